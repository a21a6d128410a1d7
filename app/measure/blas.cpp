#include "app/measure/blas.h"

#include <dlfcn.h>

#include <cassert>

#include "kernels/base/texts.h"

namespace warplens::measure {
namespace {

// As far as needed of cblas.h ("Basic Linear Algebra Subprograms Technical Forum Standard", C interface) and
// of OpenBLAS's own additions.
constexpr int kRowMajor = 101, kNotTransposed = 111;

struct Library {
  void (*multiply)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                   const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc) = nullptr;
  void (*set_threads)(int threads) = nullptr;
  [[nodiscard]] bool complete() const { return multiply != nullptr && set_threads != nullptr; }
};

template <class Function>
void find(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
}

Library load_library() {
  Library library;
  void* const handle =
      dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);  // Never closed: it has threads of its own
  if (handle == nullptr) return library;
  find(handle, "cblas_sgemm", library.multiply);
  find(handle, "openblas_set_num_threads", library.set_threads);
  return library;
}

const Library& library() {
  static const Library loaded = load_library();
  return loaded;
}

}  // namespace

std::optional<std::string> what_is_missing_of_blas() {
  if (library().complete()) return std::nullopt;
  return marked("OpenBLAS (libopenblas.so.0) is not here: install the package libopenblas0.");
}

void blas_multiply(const float* a, const float* b, float* c, const ProductSize& size, unsigned threads) {
  assert(library().complete());
  library().set_threads(static_cast<int>(threads));
  const auto m = static_cast<int>(size.m), p = static_cast<int>(size.p), n = static_cast<int>(size.n);
  library().multiply(kRowMajor, kNotTransposed, kNotTransposed, m, n, p, 1.0f, a, p, b, n, 0.0f, c, n);
}

}  // namespace warplens::measure
