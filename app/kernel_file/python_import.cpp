// PTX of a kernel of Python that is made by importing its file.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "app/kernel_file/python_file.h"
#include "app/launch_form/launch_form.h"
#include "kernels/base/files.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

/// What was made by importing, of late: the launch row changes more often than the source.
class ImportedUnits {
 public:
  using Key = std::array<std::string, 4>;  ///< File, text, kernel, and what it was compiled for

  std::optional<PythonUnit> find(const Key& key, bool for_anything) {
    const std::lock_guard lock(mutex_);
    for (const auto& [known, unit] : kept_) {
      if (std::equal(known.begin(), known.end() - (for_anything ? 1 : 0), key.begin())) return unit;
    }
    return std::nullopt;
  }
  void keep(const Key& key, const PythonUnit& unit) {
    constexpr std::size_t kMostUnits = 32;
    const std::lock_guard lock(mutex_);
    kept_.emplace_front(key, unit);
    if (kept_.size() > kMostUnits) kept_.pop_back();
  }

 private:
  std::mutex mutex_;
  std::deque<std::pair<Key, PythonUnit>> kept_;
};

ImportedUnits& imported_units() {
  static ImportedUnits units;
  return units;
}

/// "f32" of "f32[n]:ints" and of "f32:1.5".
std::string element_in(const std::string& argument) {
  return argument.substr(0, argument.find_first_of("[]*:,@"));
}

/// Returns the type as Triton writes it: "*fp32" for "f32[n]"; empty where the argument does not tell.
std::string triton_type_of(const std::string& argument) {
  static const std::map<std::string, std::string, std::less<>> kTypes{
      {"f16", "fp16"}, {"bf16", "bf16"}, {"f32", "fp32"}, {"f64", "fp64"}, {"i8", "i8"},   {"u8", "u8"},
      {"i16", "i16"},  {"u16", "u16"},   {"i32", "i32"},  {"u32", "u32"},  {"i64", "i64"}, {"u64", "u64"}};
  const auto known = kTypes.find(element_in(argument));
  if (known != kTypes.end()) return (argument.find('[') != std::string::npos ? "*" : "") + known->second;
  if (argument.starts_with('&')) return "*fp32";
  return argument.find('.') != std::string::npos ? "fp32" : "i32";
}

/// Returns the type as Numba writes it: "float32[:,:]" for "f32[m][n]".
std::string numba_type_of(const std::string& argument) {
  static const std::map<std::string, std::string, std::less<>> kTypes{
      {"f16", "float16"}, {"f32", "float32"}, {"f64", "float64"}, {"i8", "int8"},
      {"u8", "uint8"},    {"i16", "int16"},   {"u16", "uint16"},  {"i32", "int32"},
      {"u32", "uint32"},  {"i64", "int64"},   {"u64", "uint64"}};
  const auto known = kTypes.find(element_in(argument));
  const auto extents = std::ranges::count(argument.substr(0, argument.find(':')), '[');
  if (known == kTypes.end()) return argument.find('.') != std::string::npos ? "float32" : "int32";
  if (extents == 0) return known->second;
  std::string type = known->second + "[";
  for (std::ptrdiff_t i = 1; i < extents; ++i) type += ":,";
  return type + "::1]";
}

compile::PythonRequest request_for(const std::filesystem::path& file, const PythonKernel& kernel,
                                   const FileWishes& wishes) {
  compile::PythonRequest request{
      .kind = kernel.kind == PythonKernelKind::triton ? "triton" : "numba",
      .python = {},
      .file = file,
      .kernel = kernel.name,
      .architecture = wishes.architecture.empty() ? compile::architecture_of(wishes.cc.major, wishes.cc.minor)
                                                  : wishes.architecture,
      .readable = readable_folders(file, wishes.source_folders),
      .limits = {.time = wishes.compile_time},
      .cancelled = wishes.cancelled};
  request.python = compile::python_for(request.readable);
  std::vector<FormField> fields;
  if (const Result<LaunchForm> form = parse_form(kernel.launch); form.ok()) fields = form->fields;
  fields.insert(fields.end(), wishes.arguments.begin(), wishes.arguments.end());
  for (const compile::SourceParameter& parameter : kernel.parameters) {
    const bool is_constant = parameter.type.find("constexpr") != std::string::npos;
    if (kernel.kind == PythonKernelKind::numba && !parameter.type.empty())
      request.types[parameter.name] = parameter.type;
    for (const FormField& field : fields) {
      if (field.name != parameter.name || field.guessed) continue;
      if (is_constant) {
        request.constants[field.name] = field.text;
      } else {
        request.types[field.name] =
            kernel.kind == PythonKernelKind::triton ? triton_type_of(field.text) : numba_type_of(field.text);
      }
    }
  }
  return request;
}

/// Takes the parameters of a Numba kernel from what the import reports: an array is several PTX parameters.
std::optional<PythonUnit> numba_unit(compile::PythonPtx made, const PythonKernel& kernel,
                                     const std::string& architecture) {
  const nlohmann::json metadata = nlohmann::json::parse(made.metadata, nullptr, false);
  if (!metadata.is_object()) return std::nullopt;
  PythonUnit unit{.cuda = {},
                  .ptx = std::move(made.ptx),
                  .compiler = "Numba",
                  .architecture = architecture,
                  .launch = kernel.launch,
                  .line = kernel.line};
  try {
    for (const nlohmann::json& one : metadata.at("parameters")) {
      KernelParameter parameter{.name = one.at("name").get<std::string>(),
                                .written = {},
                                .type = one.at("type").get<std::string>(),
                                .is_pointer = one.at("pointer").get<bool>()};
      parameter.pointer_depth = parameter.is_pointer ? 1 : 0;
      parameter.written = parameter.type + (parameter.is_pointer ? "*" : "");
      const std::string value = one.at("value").get<std::string>();
      if (!value.empty())
        unit.launch += fmt::format("{}{}={}", unit.launch.empty() ? "" : " ", parameter.name, value);
      unit.parameters.push_back(std::move(parameter));
    }
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
  return unit;
}

std::string words_of(const compile::PythonRequest& request) {
  return nlohmann::json{request.architecture, request.types, request.constants}.dump(
      -1, ' ', true, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::optional<PythonUnit> unit_imported_before(const std::filesystem::path& file, const std::string& text,
                                               const PythonKernel& kernel) {
  return imported_units().find({file.string(), text, kernel.name, {}}, true);
}

Result<PythonUnit> imported_unit(const std::filesystem::path& file, const std::string& text,
                                 const PythonKernel& kernel, const FileWishes& wishes) {
  const compile::PythonRequest request = request_for(file, kernel, wishes);
  const ImportedUnits::Key key{file.string(), text, kernel.name, words_of(request)};
  if (std::optional<PythonUnit> before = imported_units().find(key, false)) return *std::move(before);
  if (request.python.empty()) {
    return Error{tr("there is no Python to import the file with"), file.filename().string(),
                 tr("Install python3, or name an environment by VIRTUAL_ENV.")};
  }
  Result<compile::PythonPtx> made = compile::compile_python(request);
  if (!made.ok()) return made.error();
  std::optional<PythonUnit> unit = kernel.kind == PythonKernelKind::triton
                                       ? triton_unit(*std::move(made), kernel)
                                       : numba_unit(*std::move(made), kernel, request.architecture);
  if (!unit) return Error{tr("Python did not say what it made"), file.filename().string(), tr("Try again.")};
  imported_units().keep(key, *unit);
  return *std::move(unit);
}

}  // namespace warplens::app
