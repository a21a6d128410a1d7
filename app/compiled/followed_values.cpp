#include "app/compiled/followed_values.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/base/texts.h"

namespace warplens::app {

Result<FollowedValues> follow_values(const Recording& recording, const sass::Listing& listing,
                                     const sass::Function& function, sass::Launch launch,
                                     const std::atomic<bool>* cancelled) {
  constexpr std::uint64_t kMostWalked = 50'000'000, kMostHeld = std::uint64_t{1} << 28;
  std::uint64_t held = 0;
  for (const Buffer& buffer : recording.buffers) held += std::min(buffer.bytes, kMostHeld);
  const auto too_large = [] {
    return Error{
        tr("its loads decide on addresses or branches, and its memory is too large to follow what it holds"),
        "", ""};
  };
  if (held > kMostHeld) return too_large();
  Result<Countable> again = countable(launch_of(recording), true, nullptr);
  if (!again.ok()) return again.error();
  const std::vector<Buffer>& buffers = again->memory->buffers();
  const auto as_large = [](const Buffer& a, const Buffer& b) { return a.bytes == b.bytes; };
  if (!std::ranges::equal(buffers, recording.buffers, as_large))
    return Error{tr("the recording is of other buffers"), "", ""};
  launch.memory.emplace();
  for (std::uint32_t i = 0; i < buffers.size(); ++i)
    launch.memory->push_back({.base = recording.buffers[i].base, .bytes = again->memory->bytes(i)});
  if (replay::bytes_of_global_variables(*again->program) > kMostHeld) return too_large();
  std::vector<replay::ModuleVariable> variables =
      replay::global_variables(*again->program, again->launch.variables);
  for (replay::ModuleVariable& variable : variables) {
    launch.symbols[variable.name] = variable.address;
    launch.memory->push_back({.base = variable.address, .bytes = variable.bytes});
  }
  for (replay::ModuleVariable& variable :
       replay::constant_variables(*again->program, again->launch.variables)) {
    launch.constants[variable.name] = std::move(variable.bytes);
  }
  launch.max_instructions = std::min(launch.max_instructions, kMostWalked);
  Result<sass::SymbolicExecution> followed = sass::execute_symbolically(listing, function, launch, cancelled);
  if (!followed.ok()) return followed.error();
  return FollowedValues{*std::move(followed), *std::move(again)};
}

bool leaves_what_the_replay_leaves(const Recording& recording, const FollowedValues& values) {
  if (recording.blocks_counted != recording.blocks_total || is_large(recording)) return false;
  if (values.followed.stored_unknown || replay::bytes_of_global_variables(*values.after.program) > 0)
    return false;
  LaunchRequest request = launch_of(recording);
  request.engine = Engine::cpu;
  request.whole_result = true;
  request.event_blocks.reset();
  request.product.reset();
  request.expect.clear();
  Result<LaunchResult> replayed = launch(request);
  if (!replayed.ok() || replayed->memory.buffers().size() != values.after.memory->buffers().size())
    return false;
  for (std::uint32_t i = 0; i < values.after.memory->buffers().size(); ++i) {
    if (!std::ranges::equal(values.after.memory->bytes(i), replayed->memory.bytes(i))) return false;
  }
  return true;
}

}  // namespace warplens::app
