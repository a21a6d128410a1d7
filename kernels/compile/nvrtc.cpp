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
constexpr int kDone = 0;

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

  template <class Function>
  bool find(const char* symbol, Function& function) const {
    function = reinterpret_cast<Function>(dlsym(library, symbol));
    return function != nullptr;
  }
  bool find_all() {
    return find("nvrtcVersion", version) && find("nvrtcCreateProgram", create) && find("nvrtcDestroyProgram", destroy) &&
           find("nvrtcAddNameExpression", add_name) && find("nvrtcCompileProgram", compile) && find("nvrtcGetProgramLogSize", log_size) &&
           find("nvrtcGetProgramLog", log) && find("nvrtcGetPTXSize", ptx_size) && find("nvrtcGetPTX", ptx) && version(&major, &minor) == kDone;
  }
};

std::optional<Nvrtc> open() {
  std::vector<std::string> names;
  for (const auto& folder : toolkit_folders()) {
    for (const char* lib : {"lib", "lib64"}) {
      for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12"}) names.push_back(folder / lib / name);
    }
  }
  names.insert(names.end(), {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"});
  for (const std::string& name : names) {
    Nvrtc nvrtc{.library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL), .path = name};  // Never closed: it has threads of its own
    if (nvrtc.library != nullptr && nvrtc.find_all()) return nvrtc;
  }
  return std::nullopt;
}

const std::optional<Nvrtc>& library() {
  static const std::optional<Nvrtc> kLibrary = open();
  return kLibrary;
}

class Program {
 public:
  Program(const Nvrtc& nvrtc, const Source& source) : nvrtc_(nvrtc) {
    if (nvrtc.create(&handle_, source.text.c_str(), source.name.c_str(), 0, nullptr, nullptr) != kDone) handle_ = nullptr;
  }
  ~Program() {
    if (handle_ != nullptr) nvrtc_.destroy(&handle_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  bool compile(const std::vector<std::string>& instances, const std::vector<std::string>& options) {
    if (handle_ == nullptr) return false;
    for (const std::string& name : instances) nvrtc_.add_name(handle_, name.c_str());
    std::vector<const char*> pointers;
    for (const std::string& option : options) pointers.push_back(option.c_str());
    return nvrtc_.compile(handle_, static_cast<int>(pointers.size()), pointers.data()) == kDone;
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
  const bool done = program.compile(source.instances, options_for(source));
  compiled.messages = parse_messages(program.log());
  if (done) compiled.ptx = program.ptx();
  return compiled;
}

std::string nvrtc_name() {
  const std::optional<Nvrtc>& nvrtc = library();
  return nvrtc ? fmt::format("NVRTC {}.{} ({})", nvrtc->major, nvrtc->minor, nvrtc->path) : std::string();
}

}  // namespace warplens::compile
