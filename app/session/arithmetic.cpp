#include "app/session/arithmetic.h"

#include <algorithm>

#include "kernels/base/figures.h"
#include "kernels/base/texts.h"
#include "kernels/catalog/arithmetic.h"

namespace warplens::app {
namespace {

constexpr std::uint64_t kUsualSize = 1024;  // Of the ladder's figures, where the recording is of no product

}  // namespace

analysis::Arithmetic arithmetic_of(const Recording& recording, const analysis::Report& report) {
  analysis::Arithmetic arithmetic = analysis::counted_arithmetic(recording, report);
  arithmetic.kernel = name_with_tile(recording.kernel, recording.parameters);
  if (arithmetic.tensor_type.empty()) {
    if (recording.value_type == "f64") arithmetic.other_values = "double";
    if (recording.value_type == "i32") arithmetic.other_values = "int";
  }
  const bool product = recording.m > 0 && recording.p > 0 && recording.n > 0;
  const std::uint64_t m = product ? recording.m : kUsualSize, p = product ? recording.p : kUsualSize,
                      n = product ? recording.n : kUsualSize;
  const std::string size = product_size_in_words(m, p, n);
  arithmetic.size = product ? size : tr("{size} of a product", "size"_a = size);
  const KernelDescriptor* const own = ladder_kernel_of(recording);
  const std::string& type = own != nullptr ? recording.value_type : arithmetic.tensor_type;
  for (const CatalogKernel& catalog_kernel :
       ladder_by_formula(m, p, n, own != nullptr ? own->id : "", recording.parameters, type)) {
    arithmetic.ladder.push_back({.kernel = catalog_kernel.kernel,
                                 .tile = tile_of(catalog_kernel.parameters),
                                 .name = name_with_tile(catalog_kernel.kernel, catalog_kernel.parameters),
                                 .loads = catalog_kernel.loads,
                                 .value_type = catalog_kernel.value_type,
                                 .intensity_text = catalog_kernel.intensity,
                                 .intensity = catalog_kernel.figures.intensity(),
                                 .measured = std::nullopt,
                                 .recorded = own != nullptr && catalog_kernel.kernel == own->id});
  }
  return arithmetic;
}

std::string product_size_in_words(std::uint64_t m, std::uint64_t p, std::uint64_t n) {
  if (m == p && p == n) return with_thousands(n);
  return tr("{m} x {p} x {n}", "m"_a = with_thousands(m), "p"_a = with_thousands(p),
            "n"_a = with_thousands(n));
}

std::int64_t tile_of(const std::vector<NamedValue>& parameters) {
  const auto found = std::ranges::find(parameters, "T", &NamedValue::name);
  return found == parameters.end() ? 0 : found->value;
}

}  // namespace warplens::app
