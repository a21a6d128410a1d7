// Any bytes give a recording or an error; and what was read is written and read again as the same. Checksums
// are ignored, or nothing would get past them.
#include <cstdint>
#include <span>
#include <string>

#include "kernels/recording/compare.h"
#include "kernels/recording/file.h"
#include "kernels/recording/shape_table.h"
#include "require.h"

namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{64} << 20;

/// Does with a recording what the program does, without looking at any index first.
void use(warplens::Recording recording) {
  require(warplens::differences(recording, recording).empty(), "a recording equals itself");
  std::uint64_t sum = 0;
  for (std::size_t event = 0; event < recording.events.size(); ++event) {
    sum += warplens::lane_address(recording, event, __builtin_ctz(recording.events.mask[event]));
    sum += recording.phases[recording.events.phase[event]].requests();
  }
  const auto first = warplens::events_of_phase(recording, 0, 0, 0);
  require(first.end <= recording.events.size() && sum != 1, "a phase's events are among the events");
  warplens::canonicalise(recording);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes{reinterpret_cast<const std::byte*>(data), size};
  const auto recording = warplens::decode(bytes, kMaxBytes, warplens::Checksums::ignored);
  if (!recording) {
    require(!recording.error().what.empty(), "an error says what");
    return 0;
  }
  const auto written = warplens::encode(*recording, warplens::Compression::none);
  const auto again = warplens::decode(written);
  require(again.ok() && *again == *recording,
          again.ok() ? "what is written is read as the same" : again.error().message());
  for (std::uint32_t block = 0; block < recording->event_blocks.size() && block < 3; ++block) {
    const auto part = warplens::decode_block(written, [&](const warplens::Recording&) { return block; });
    require(part.ok(), part.ok() ? "" : part.error().message());
    require(part->events.size() == warplens::events_of_block(*recording, block).size(),
            "a block's events are found through the index");
  }
  use(*recording);
  return 0;
}
