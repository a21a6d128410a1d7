#include "app/launch/host.h"

#include "kernels/base/texts.h"

namespace warplens::app {

Result<Done> check_memory(std::uint64_t bytes) {
  const std::uint64_t available = available_memory_bytes();
  if (bytes <= available) return Done{};
  return Error{
      tr("the buffers need {needed:.1f} GiB, more than the {present:.1f} GiB of memory available here",
         "needed"_a = static_cast<double>(bytes) / 0x1p30,
         "present"_a = static_cast<double>(available) / 0x1p30),
      "", tr("Choose smaller ones.")};
}

}  // namespace warplens::app
