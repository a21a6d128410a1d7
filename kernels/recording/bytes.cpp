#include "kernels/recording/bytes.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "kernels/base/text.h"
#include "kernels/base/texts.h"

namespace warplens {
namespace {

/// Memory that a byte and a line of a text take: a byte that is no character becomes three, and a view keeps
/// the lines of the text besides.
constexpr std::uint64_t kHeldByte = 4, kHeldLine = 128;

}  // namespace

void ByteWriter::number(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  number(bits);
}

void ByteWriter::text(const std::string& value) {
  assert(value.size() <= std::numeric_limits<std::uint32_t>::max());
  number(static_cast<std::uint32_t>(value.size()));
  const auto from = std::as_bytes(std::span(value));
  bytes_.insert(bytes_.end(), from.begin(), from.end());
}

void ByteReader::number(double& value) {
  std::uint64_t bits = 0;
  number(bits);
  std::memcpy(&value, &bits, sizeof value);
}

void ByteReader::flag(bool& value) {
  value = small_number(1) != 0;
}

void ByteReader::flag(std::optional<bool>& value) {
  const std::uint8_t state = small_number(2);
  value = state == 2 ? std::nullopt : std::optional(state == 1);
}

void ByteReader::text(std::string& value) {
  std::uint32_t size = 0;
  number(size);
  const auto from = take(size);
  if (from.empty()) return;
  const std::string_view text(reinterpret_cast<const char*>(from.data()), from.size());
  const auto lines = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
  if (!budget_->take(size, kHeldByte) || !budget_->take(lines, kHeldLine))
    return fail(tr("needs more memory than is allowed"));
  value = valid_utf8(text);
}

std::size_t ByteReader::count(std::uint64_t stored_each, std::uint64_t held_each) {
  std::uint64_t declared = 0;
  number(declared);
  if (declared > (bytes_.size() - at_) / stored_each) {
    fail(tr("declares {items} items, more than its remaining {left} bytes can hold", "items"_a = declared,
            "left"_a = bytes_.size() - at_));
  } else if (!budget_->take(declared, held_each)) {
    fail(tr("declares {items} items, which need more memory than is allowed", "items"_a = declared));
  }
  return ok() ? static_cast<std::size_t>(declared) : 0;
}

void ByteReader::fail(std::string what) {
  if (!error_)
    error_ =
        Error{std::move(what), tr("section `{section}`, byte {byte}", "section"_a = section_, "byte"_a = at_),
              tr("Make the recording again")};
}

Result<Done> ByteReader::finish() {
  if (at_ < bytes_.size()) fail(tr("{left} bytes are left over", "left"_a = bytes_.size() - at_));
  if (error_) return *error_;
  return Done{};
}

std::span<const std::byte> ByteReader::take(std::size_t size) {
  if (error_) return {};
  if (size > bytes_.size() - at_) {
    fail(tr("ends too early: {wanted} bytes wanted, {left} left", "wanted"_a = size,
            "left"_a = bytes_.size() - at_));
    return {};
  }
  const auto taken = bytes_.subspan(at_, size);
  at_ += size;
  return taken;
}

std::uint8_t ByteReader::small_number(std::uint8_t last) {
  std::uint8_t value = 0;
  number(value);
  if (value <= last) return value;
  fail(tr("holds {value} where at most {most} is known", "value"_a = value, "most"_a = last));
  return 0;
}

}  // namespace warplens
