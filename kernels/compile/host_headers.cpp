#include "kernels/compile/host_headers.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "kernels/compile/stand_ins.h"

namespace warplens::compile {
namespace {

/// A header, and the file of stand_ins/ that it has; empty: nothing stands in it.
struct Known {
  const char *name, *file;
};
constexpr Known kKnown[] = {{kPreludeName, "prelude.h"},
                            {kDevicePreludeName, "device_prelude.h"},
                            {kLibraryName, "library.h"},
                            {"warplens/standard.h", "standard.h"},
                            {"cstdint", "integers.h"},
                            {"stdint.h", "integers.h"},
                            {"inttypes.h", "integers.h"},
                            {"cinttypes", "integers.h"},
                            {"climits", "limits.h"},
                            {"limits.h", "limits.h"},
                            {"cfloat", "floats.h"},
                            {"float.h", "floats.h"},
                            {"cmath", "math.h"},
                            {"math.h", "math.h"},
                            {"cuda.h", "driver.h"},
                            {"cudaTypedefs.h", "driver.h"},
                            {"cuda_device_runtime_api.h", "device_runtime.h"},
                            {"warplens/book.h", "book.h"},
                            {"warplens/cub.h", "cub.h"},
                            {"warplens/cuda_samples.h", "cuda_samples.h"},
                            {"warplens/hip.h", "hip.h"},
                            {"warplens/numbers.h", "numbers.h"},
                            {"warplens/torch.h", "torch.h"},
                            {"time.h", "time.h"},
                            {"ctime", "time.h"},
                            {"sys/time.h", "time.h"},
                            {"stdio.h", "stdio.h"},
                            {"cstdio", "stdio.h"}};

/// Declarations of the host's alone, and of what prelude.h declares anyway.
constexpr const char* kEmpty[] = {"algorithm",
                                  "array",
                                  "assert.h",
                                  "atomic",
                                  "bitset",
                                  "cassert",
                                  "cctype",
                                  "cerrno",
                                  "chrono",
                                  "complex",
                                  "complex.h",
                                  "condition_variable",
                                  "csignal",
                                  "cstdarg",
                                  "cstddef",
                                  "cstdlib",
                                  "cstring",
                                  "ctype.h",
                                  "direct.h",
                                  "dirent.h",
                                  "dlfcn.h",
                                  "cuda_runtime.h",
                                  "cuda_runtime_api.h",
                                  "deque",
                                  "device_functions.h",
                                  "device_launch_parameters.h",
                                  "errno.h",
                                  "exception",
                                  "execution",
                                  "fcntl.h",
                                  "filesystem",
                                  "fstream",
                                  "functional",
                                  "future",
                                  "getopt.h",
                                  "initializer_list",
                                  "iomanip",
                                  "ios",
                                  "iosfwd",
                                  "iostream",
                                  "istream",
                                  "iterator",
                                  "limits",
                                  "list",
                                  "locale",
                                  "malloc.h",
                                  "map",
                                  "math_functions.h",
                                  "memory",
                                  "mutex",
                                  "new",
                                  "numeric",
                                  "netdb.h",
                                  "omp.h",
                                  "optional",
                                  "ostream",
                                  "pthread.h",
                                  "queue",
                                  "random",
                                  "ratio",
                                  "regex",
                                  "set",
                                  "signal.h",
                                  "sstream",
                                  "stack",
                                  "stdarg.h",
                                  "stdbool.h",
                                  "stddef.h",
                                  "stdexcept",
                                  "stdlib.h",
                                  "streambuf",
                                  "string",
                                  "string.h",
                                  "string_view",
                                  "strings.h",
                                  "sys/ioctl.h",
                                  "sys/mman.h",
                                  "sys/resource.h",
                                  "sys/socket.h",
                                  "sys/stat.h",
                                  "sys/types.h",
                                  "system_error",
                                  "thread",
                                  "tuple",
                                  "type_traits",
                                  "typeindex",
                                  "typeinfo",
                                  "unistd.h",
                                  "unordered_map",
                                  "unordered_set",
                                  "utility",
                                  "valarray",
                                  "variant",
                                  "vector",
                                  "version",
                                  "wchar.h",
                                  "windows.h"};

const char* text_of_stand_in(std::string_view file) {
  const std::optional<std::string_view> text = stand_ins::embedded_file(file);
  assert(text.has_value());
  return text->data();
}

}  // namespace

std::span<const HostHeader> host_headers() {
  static const std::vector<HostHeader> kHeaders = [] {
    std::vector<HostHeader> headers;
    for (const Known& one : kKnown) headers.push_back({one.name, text_of_stand_in(one.file)});
    for (const char* const name : kEmpty) headers.push_back({name, ""});
    return headers;
  }();
  return kHeaders;
}

bool is_host_header(std::string_view name) {
  return std::ranges::any_of(host_headers(), [&](const HostHeader& one) { return one.name == name; });
}

const char* stand_in_for(std::string_view missing) {
  struct Library {
    std::string_view begin;  ///< Of the header's name
    const char* text;        ///< Names the header in which all of them stand, so that it is read once
  };
  constexpr std::array kLibraries{Library{"torch/", "#include <warplens/torch.h>\n"},
                                  Library{"ATen/", "#include <warplens/torch.h>\n"},
                                  Library{"c10/", "#include <warplens/torch.h>\n"},
                                  Library{"THC/", "#include <warplens/torch.h>\n"},
                                  Library{"pybind11/", "#include <warplens/torch.h>\n"},
                                  Library{"helper_", "#include <warplens/cuda_samples.h>\n"},
                                  Library{"cutil", "#include <warplens/cuda_samples.h>\n"},
                                  Library{"exception.h", "#include <warplens/cuda_samples.h>\n"},
                                  Library{"common/book.h", "#include <warplens/book.h>\n"},
                                  Library{"book.h", "#include <warplens/book.h>\n"},
                                  Library{"../common/book.h", "#include <warplens/book.h>\n"},
                                  Library{"hip/", "#include <warplens/hip.h>\n"}};
  for (const Library& one : kLibraries) {
    if (missing.starts_with(one.begin)) return one.text;
  }
  return nullptr;
}

}  // namespace warplens::compile
