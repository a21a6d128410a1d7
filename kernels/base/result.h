// Result<T>: what a fallible operation returns. Errors carry what happened, where, and what to do about it.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace warplens {

struct Error {
  std::string
      what;  ///< What happened, one sentence without a full stop: "unknown instruction `tex.2d.v4.f32.f32`".
  std::string where;                   ///< The place: "file.ptx:120" or a path. May be empty.
  std::string hint;                    ///< What to do about it, one sentence. May be empty.
  std::string unreadable_folder = {};  ///< A folder that may not be read without the user's consent, with
                                       ///< which the operation would go on. Mostly empty.

  /// "where: what. hint" with the empty parts left out, on one line that can be shown: without control
  /// characters, cut where it is too long.
  [[nodiscard]] std::string message() const;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    assert(ok());
    return std::move(*std::get_if<0>(&state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  [[nodiscard]] const Error& error() const {
    assert(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

/// The result of an operation that yields nothing: `return Done{};` or an Error.
struct Done {};

}  // namespace warplens
