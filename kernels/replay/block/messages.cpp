#include "kernels/replay/block/messages.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace warplens::replay {

void Messages::add(std::uint64_t block, Message message) {
  if (kept_.size() == kMaxMessages || bytes_ + message.text.size() > kMaxMessageBytes) {
    ++left_out_;
    return;
  }
  bytes_ += message.text.size();
  kept_.push_back({block, std::move(message)});
}

void Messages::merge(Messages&& other) {
  std::ranges::move(other.kept_, std::back_inserter(kept_));
  left_out_ += other.left_out_;
}

void Messages::give_to(Recording& recording) {
  std::ranges::stable_sort(kept_, {}, &Kept::block);
  std::uint64_t bytes = 0;
  auto kept = kept_.begin();
  for (; kept != kept_.end() && recording.messages.size() < kMaxMessages; ++kept) {
    bytes += kept->message.text.size();
    if (bytes > kMaxMessageBytes) break;
    recording.messages.push_back(std::move(kept->message));
  }
  recording.messages_left_out = left_out_ + static_cast<std::uint64_t>(kept_.end() - kept);
}

}  // namespace warplens::replay
