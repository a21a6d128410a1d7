#include "app/cli/outlet.h"

#include <cerrno>

namespace warplens::app {

Outlet::int_type Outlet::overflow(int_type character) {
  if (sync() != 0) return traits_type::eof();
  if (!traits_type::eq_int_type(character, traits_type::eof())) sputc(traits_type::to_char_type(character));
  return traits_type::not_eof(character);
}

int Outlet::sync() {
  const std::ptrdiff_t size = pptr() - pbase();
  setp(piece_.data(), piece_.data() + piece_.size());
  if (failed_ || size == 0) return failed_ ? -1 : 0;
  errno = 0;
  if (to_.write(piece_.data(), size).flush()) return 0;
  failed_ = true;
  reason_ = errno;
  return -1;
}

}  // namespace warplens::app
