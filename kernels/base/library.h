// A shared library that may be missing, looked for at run time.
#pragma once

#include <initializer_list>
#include <string>

namespace warplens {

/// Never closed: libraries of NVIDIA start threads of their own.
class Library {
 public:
  /// The first of these that the loader finds; `found()` says whether there is one.
  explicit Library(std::initializer_list<const char*> names);

  [[nodiscard]] bool found() const { return handle_ != nullptr; }
  [[nodiscard]] const std::string& name() const { return name_; }

  /// A symbol that is not there is remembered: see missing_symbol().
  template <class Function>
  void find(const char* symbol, Function& function) {
    function = reinterpret_cast<Function>(address_of(symbol));
    if (function == nullptr && missing_symbol_.empty()) missing_symbol_ = symbol;
  }
  /// The first symbol that was not there; empty if all were.
  [[nodiscard]] const std::string& missing_symbol() const { return missing_symbol_; }

 private:
  [[nodiscard]] void* address_of(const char* symbol) const;

  void* handle_ = nullptr;
  std::string name_, missing_symbol_;
};

}  // namespace warplens
