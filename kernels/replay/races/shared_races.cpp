#include "kernels/replay/races/shared_races.h"

#include <algorithm>

#include "kernels/base/tensor_map.h"

namespace warplens::replay {

SharedRaces::SharedRaces(std::uint64_t bytes, std::uint32_t shift)
    : shift_(shift), elements_((bytes >> shift) + kBoxPieceBytes), pieces_(bytes / kBoxPieceBytes + 1) {}

void SharedRaces::start_block() {
  std::ranges::fill(elements_, Element{});
  std::ranges::fill(pieces_, Piece{});
  for (auto& waited : waited_) waited.clear();
}

SharedRaces::Touch SharedRaces::touch_of(const Order& order, const Place& place, bool by_async_proxy) {
  return {order.now(), place.instruction, static_cast<std::uint8_t>(place.warp),
          static_cast<std::uint8_t>(place.lane), by_async_proxy};
}

bool SharedRaces::comes_after(const Order& order, const Place& place, const Touch& touch) {
  return touch.time == 0 || order.comes_after(place.warp, touch.warp, touch.time);
}

SharedRaces::Conflict SharedRaces::conflict_with(const Touch& touch, std::uint32_t first_byte) {
  return {.other = {touch.instruction, touch.warp, touch.lane}, .first_byte = first_byte};
}

template <class Visit>
void SharedRaces::for_each_element(std::uint32_t address, std::uint32_t bytes, Visit visit) {
  const std::uint32_t end = (address + bytes - 1) >> shift_;
  for (std::uint32_t e = address >> shift_; e <= end; ++e)
    visit(elements_[e], std::max(address, e << shift_));
}

SharedRaces::Found SharedRaces::load(const Order& order, const Place& place, std::uint32_t address,
                                     std::uint32_t bytes) {
  Found found;
  const Touch mine = touch_of(order, place, false);
  for_each_element(address, bytes, [&](Element& element, std::uint32_t first) {
    if (!found && !comes_after(order, place, element.stored)) found = conflict_with(element.stored, first);
    auto& [last, other] = element.loaded;
    if (last.time != 0 && last.warp != mine.warp) other = last;
    last = mine;
  });
  return found;
}

SharedRaces::Found SharedRaces::store(const Order& order, const Place& place, std::uint32_t address,
                                      std::uint32_t bytes) {
  return replace(order, place, address, bytes, false);
}

SharedRaces::Found SharedRaces::write_piece(const Order& order, const Place& place, std::uint32_t address) {
  return replace(order, place, address, kBoxPieceBytes, true);
}

SharedRaces::Found SharedRaces::replace(const Order& order, const Place& place, std::uint32_t address,
                                        std::uint32_t bytes, bool by_async_proxy) {
  Found found = unordered_read(order, place, address);
  // Other lanes may store to the rest of the piece: they conflict with the same read.
  if (!found) pieces_[address / kBoxPieceBytes] = {};
  const Touch mine = touch_of(order, place, by_async_proxy);
  for_each_element(address, bytes, [&](Element& element, std::uint32_t first) {
    const bool is_compared = by_async_proxy || element.stored.by_async_proxy;
    if (!found && is_compared && !comes_after(order, place, element.stored))
      found = conflict_with(element.stored, first);
    for (const Touch& loaded : element.loaded) {
      if (!found && !comes_after(order, place, loaded)) found = conflict_with(loaded, first);
    }
    element = {.stored = mine, .loaded = {}};
  });
  return found;
}

/// Of a piece.
SharedRaces::Found SharedRaces::unordered_store(const Order& order, const Place& place,
                                                std::uint32_t address) {
  Found found;
  for_each_element(address, kBoxPieceBytes, [&](const Element& element, std::uint32_t first) {
    if (!found && !comes_after(order, place, element.stored)) found = conflict_with(element.stored, first);
  });
  return found;
}

SharedRaces::Found SharedRaces::begin_read(const Order& order, const Place& place, std::uint32_t address) {
  Piece& piece = pieces_[address / kBoxPieceBytes];
  piece.copied = touch_of(order, place, true);
  piece.copied_until = 0;
  return unordered_store(order, place, address);
}

void SharedRaces::end_read(const Order& order, std::uint32_t address) {
  Piece& piece = pieces_[address / kBoxPieceBytes];
  if (piece.copied.time != 0) piece.copied_until = order.now();
}

SharedRaces::Found SharedRaces::begin_product(const Order& order, const Place& place, std::uint32_t address,
                                              std::uint32_t group) {
  Piece& piece = pieces_[address / kBoxPieceBytes];
  piece.multiplied = touch_of(order, place, true);
  piece.groups[place.warp / kWarpsOfGroup] = group + 1;
  return unordered_store(order, place, address);
}

void SharedRaces::end_products(const Order& order, std::uint32_t warp, std::uint32_t groups) {
  if (waited_[warp].size() < groups) waited_[warp].resize(groups, order.now());
}

void SharedRaces::forget_piece(std::uint32_t address) {
  for_each_element(address, kBoxPieceBytes, [](Element& element, std::uint32_t) { element = {}; });
  pieces_[address / kBoxPieceBytes] = {};
}

SharedRaces::Found SharedRaces::unordered_read(const Order& order, const Place& place,
                                               std::uint32_t address) const {
  const Piece& piece = pieces_[address / kBoxPieceBytes];
  const auto conflict = [&](const Touch& touch) {
    Conflict with = conflict_with(touch, address);
    with.is_read_of_proxy = true;
    return with;
  };
  const bool comes_after_copy =
      piece.copied.time == 0 ||
      (piece.copied_until != 0 && order.comes_after(place.warp, piece.copied.warp, piece.copied_until));
  if (!comes_after_copy) return conflict(piece.copied);
  if (piece.multiplied.time == 0) return std::nullopt;
  for (std::uint32_t warpgroup = 0; warpgroup < piece.groups.size(); ++warpgroup) {
    if (piece.groups[warpgroup] == 0) continue;
    const std::uint32_t group = piece.groups[warpgroup] - 1;
    bool ordered = false;
    for (std::uint32_t warp = warpgroup * kWarpsOfGroup; warp < (warpgroup + 1) * kWarpsOfGroup; ++warp)
      ordered |= waited_[warp].size() > group && order.comes_after(place.warp, warp, waited_[warp][group]);
    if (!ordered) return conflict(piece.multiplied);
  }
  return std::nullopt;
}

}  // namespace warplens::replay
