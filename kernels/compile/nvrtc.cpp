#include "kernels/compile/nvrtc.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <mutex>
#include <vector>

#include "kernels/compile/toolkit.h"

namespace warplens::compile {
namespace {

struct OpaqueProgram;
using Handle = OpaqueProgram*;
constexpr int kDone = 0, kOutOfMemory = 1;

/// The part of its interface that is used; "NVRTC", CUDA 13.0, chapter 3.
struct Nvrtc {
  void* library = nullptr;
  std::string path;
  int major = 0, minor = 0;
  int (*version)(int*, int*) = nullptr;
  int (*create)(Handle*, const char* text, const char* name, int headers, const char* const*, const char* const*) = nullptr;
  int (*destroy)(Handle*) = nullptr;
  int (*add_name)(Handle, const char*) = nullptr;
  int (*compile)(Handle, int count, const char* const* options) = nullptr;
  int (*log_size)(Handle, std::size_t*) = nullptr;
  int (*log)(Handle, char*) = nullptr;
  int (*ptx_size)(Handle, std::size_t*) = nullptr;
  int (*ptx)(Handle, char*) = nullptr;
  const char* (*name_of_error)(int) = nullptr;
  int (*on_progress)(Handle, int (*callback)(void* payload, void*), void* payload) = nullptr;  ///< Before 12.8 there is none

  template <class Function>
  bool find(const char* symbol, Function& function) const {
    function = reinterpret_cast<Function>(dlsym(library, symbol));
    return function != nullptr;
  }
  bool find_all() {
    return find("nvrtcVersion", version) && find("nvrtcCreateProgram", create) && find("nvrtcDestroyProgram", destroy) &&
           find("nvrtcAddNameExpression", add_name) && find("nvrtcCompileProgram", compile) && find("nvrtcGetProgramLogSize", log_size) &&
           find("nvrtcGetProgramLog", log) && find("nvrtcGetPTXSize", ptx_size) && find("nvrtcGetPTX", ptx) &&
           find("nvrtcGetErrorString", name_of_error) && version(&major, &minor) == kDone && (find("nvrtcSetFlowCallback", on_progress) || true);
  }
};

/// NVRTC looks for its library of built-in functions by its name alone, and so does not find it in a folder that the system's loader does not know.
void load_builtins_beside(const std::filesystem::path& nvrtc) {
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(nvrtc.parent_path(), error)) {
    const std::string name = file.path().filename();
    if (name.starts_with("libnvrtc-builtins.so.")) dlopen(file.path().c_str(), RTLD_NOW | RTLD_LOCAL);
  }
}

std::optional<Nvrtc> open() {
  std::vector<std::string> names;
  for (const auto& folder : toolkit_folders()) {
    for (const char* lib : {"lib", "lib64"}) {
      for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12"}) names.push_back(folder / lib / name);
    }
  }
  names.insert(names.end(), {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"});
  for (const std::string& name : names) {
    load_builtins_beside(name);
    Nvrtc nvrtc{.library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL), .path = name};  // Never closed: it has threads of its own
    if (nvrtc.library != nullptr && nvrtc.find_all()) return nvrtc;
  }
  return std::nullopt;
}

const std::optional<Nvrtc>& library() {
  static const std::optional<Nvrtc> kLibrary = open();
  return kLibrary;
}

/// Headers that files with host code include. What they have for kernels, NVRTC has without them, but for this.
struct HostHeader {
  const char *name, *text;
};
constexpr const char* kIntegers =
    "#pragma once\n"
    "typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long long int64_t;\n"
    "typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned uint32_t; typedef unsigned long long uint64_t;\n"
    "typedef long long intptr_t; typedef unsigned long long uintptr_t;\n"
    "#define INT32_MAX 2147483647\n#define INT32_MIN (-INT32_MAX - 1)\n#define UINT32_MAX 4294967295u\n"
    "#define INT64_MAX 9223372036854775807ll\n#define INT64_MIN (-INT64_MAX - 1)\n#define UINT64_MAX 18446744073709551615ull\n";
constexpr const char* kLimits =
    "#pragma once\n#define CHAR_BIT 8\n#define INT_MAX 2147483647\n#define INT_MIN (-INT_MAX - 1)\n#define UINT_MAX 4294967295u\n"
    "#define LLONG_MAX 9223372036854775807ll\n#define LLONG_MIN (-LLONG_MAX - 1)\n#define ULLONG_MAX 18446744073709551615ull\n";
constexpr const char* kFloats =
    "#pragma once\n#define FLT_MAX 3.402823466e+38f\n#define FLT_MIN 1.175494351e-38f\n#define FLT_EPSILON 1.192092896e-7f\n"
    "#define DBL_MAX 1.7976931348623157e+308\n#define DBL_MIN 2.2250738585072014e-308\n#define DBL_EPSILON 2.220446049250313e-16\n";
constexpr const char* kMath =
    "#pragma once\n#ifndef INFINITY\n#define INFINITY __int_as_float(0x7f800000)\n#endif\n#ifndef NAN\n#define NAN "
    "__int_as_float(0x7fffffff)\n#endif\n"
    "#define M_PI 3.14159265358979323846\n#define M_E 2.7182818284590452354\n#define M_SQRT2 1.41421356237309504880\n"
    "#define M_SQRT1_2 0.70710678118654752440\n#define M_LN2 0.69314718055994530942\n";
constexpr HostHeader kHostHeaders[] = {{"cstdint", kIntegers},
                                       {"stdint.h", kIntegers},
                                       {"climits", kLimits},
                                       {"limits.h", kLimits},
                                       {"cfloat", kFloats},
                                       {"float.h", kFloats},
                                       {"cmath", kMath},
                                       {"math.h", kMath},
                                       {"algorithm", ""},
                                       {"assert.h", ""},
                                       {"cassert", ""},
                                       {"chrono", ""},
                                       {"cstddef", ""},
                                       {"cstdio", ""},
                                       {"cstdlib", ""},
                                       {"cstring", ""},
                                       {"ctime", ""},
                                       {"cuda.h", ""},
                                       {"cuda_runtime.h", ""},
                                       {"cuda_runtime_api.h", ""},
                                       {"device_launch_parameters.h", ""},
                                       {"fstream", ""},
                                       {"iomanip", ""},
                                       {"iostream", ""},
                                       {"numeric", ""},
                                       {"random", ""},
                                       {"sstream", ""},
                                       {"stddef.h", ""},
                                       {"stdio.h", ""},
                                       {"stdlib.h", ""},
                                       {"string", ""},
                                       {"string.h", ""},
                                       {"sys/time.h", ""},
                                       {"time.h", ""},
                                       {"unistd.h", ""},
                                       {"vector", ""}};

class Program {
 public:
  Program(const Nvrtc& nvrtc, const Source& source) : nvrtc_(nvrtc) {
    std::vector<const char*> names, texts;
    for (const HostHeader& header : kHostHeaders) {
      names.push_back(header.name);
      texts.push_back(header.text);
    }
    const int headers = static_cast<int>(names.size());
    if (nvrtc.create(&handle_, source.text.c_str(), source.name.c_str(), headers, texts.data(), names.data()) != kDone) handle_ = nullptr;
  }
  ~Program() {
    if (handle_ != nullptr) nvrtc_.destroy(&handle_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// kDone, or which error
  int compile(const std::vector<std::string>& instances, const std::vector<std::string>& options, const std::atomic<bool>* cancelled) {
    if (handle_ == nullptr) return kOutOfMemory;
    if (cancelled != nullptr && nvrtc_.on_progress != nullptr) {
      const auto is_over = [](void* payload, void*) { return static_cast<const std::atomic<bool>*>(payload)->load() ? 1 : 0; };
      nvrtc_.on_progress(handle_, is_over, const_cast<std::atomic<bool>*>(cancelled));
    }
    for (const std::string& name : instances) nvrtc_.add_name(handle_, name.c_str());
    std::vector<const char*> pointers;
    for (const std::string& option : options) pointers.push_back(option.c_str());
    return nvrtc_.compile(handle_, static_cast<int>(pointers.size()), pointers.data());
  }
  [[nodiscard]] std::string log() const { return text(nvrtc_.log_size, nvrtc_.log); }
  [[nodiscard]] std::string ptx() const { return text(nvrtc_.ptx_size, nvrtc_.ptx); }

 private:
  [[nodiscard]] std::string text(int (*size_of)(Handle, std::size_t*), int (*get)(Handle, char*)) const {
    std::size_t size = 0;
    if (handle_ == nullptr || size_of(handle_, &size) != kDone || size == 0) return {};
    std::string result(size, '\0');
    if (get(handle_, result.data()) != kDone) return {};
    result.resize(size - 1);  // It counts the zero at the end
    return result;
  }
  const Nvrtc& nvrtc_;
  Handle handle_ = nullptr;
};

std::vector<std::string> options_for(const Source& source) {
  std::vector<std::string> options{"--gpu-architecture=" + source.architecture, "-lineinfo", "-std=c++17"};
  if (!source.folder.empty()) options.push_back("-I" + source.folder.string());
  if (const auto headers = headers_folder(); !headers.empty()) {
    options.push_back("-I" + headers.string());
    options.push_back("-I" + (headers / "cccl").string());
  }
  return options;
}

}  // namespace

std::optional<Compiled> compile_with_nvrtc(const Source& source) {
  const std::optional<Nvrtc>& nvrtc = library();
  if (!nvrtc) return std::nullopt;
  static std::mutex one_at_a_time;  // Its optimiser keeps state of the process
  const std::lock_guard lock(one_at_a_time);
  Program program(*nvrtc, source);
  Compiled compiled{.compiler = fmt::format("NVRTC {}.{}", nvrtc->major, nvrtc->minor)};
  const int status = program.compile(source.instances, options_for(source), source.cancelled);
  compiled.messages = parse_messages(program.log());
  if (status == kDone) compiled.ptx = program.ptx();
  if (compiled.ptx.empty() && compiled.messages.empty()) compiled.messages.push_back({.text = nvrtc->name_of_error(status)});
  return compiled;
}

std::string nvrtc_name() {
  const std::optional<Nvrtc>& nvrtc = library();
  return nvrtc ? fmt::format("NVRTC {}.{} ({})", nvrtc->major, nvrtc->minor, nvrtc->path) : std::string();
}

}  // namespace warplens::compile
