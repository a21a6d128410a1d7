#include "kernels/replay/races/shared_races.h"

#include <algorithm>
#include <bit>

#include "kernels/base/tensor_map.h"

namespace warplens::replay {

SharedRaces::SharedRaces(std::uint64_t bytes, std::uint32_t shift)
    : shift_(shift), elements_((bytes >> shift) + kBoxPieceBytes), pieces_(bytes / kBoxPieceBytes + 1) {}

void SharedRaces::start_block() {
  std::ranges::fill(elements_, Element{});
  std::ranges::fill(pieces_, Piece{});
  for (auto& waited : waited_) waited.clear();
}

SharedRaces::Touch SharedRaces::touch_of(const Order& order, const Place& place) {
  return {order.now(), place.instruction, static_cast<std::uint8_t>(place.warp),
          static_cast<std::uint8_t>(place.lane)};
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
  Piece& piece = piece_at(address);
  piece.has_plain_accesses = true;
  Found found = unordered_write(order, place, piece, address);
  const Touch mine = touch_of(order, place);
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
  Piece& piece = piece_at(address);
  Found found = unordered_read(order, place, piece, address);
  // Other lanes may store to the rest of the piece: they conflict with the same read.
  if (!found) piece.forget_reads();
  piece.has_plain_accesses = true;
  if (!found) found = unordered_write(order, place, piece, address);
  const Touch mine = touch_of(order, place);
  for_each_element(address, bytes, [&](Element& element, std::uint32_t first) {
    if (!found) found = unordered_load(order, place, element, first);
    element = {.stored = mine, .loaded = {}};
  });
  return found;
}

SharedRaces::Found SharedRaces::write_piece(const Order& order, const Place& place, std::uint32_t address) {
  Piece& piece = piece_at(address);
  Found found = unordered_read(order, place, piece, address);
  if (!found) found = unordered_write(order, place, piece, address);
  if (piece.has_plain_accesses) {
    for_each_element(address, kBoxPieceBytes, [&](Element& element, std::uint32_t first) {
      if (!found && !comes_after(order, place, element.stored)) found = conflict_with(element.stored, first);
      if (!found) found = unordered_load(order, place, element, first);
      element = {};
    });
  }
  piece.written = touch_of(order, place);
  piece.forget_reads();
  piece.has_plain_accesses = false;
  return found;
}

SharedRaces::Found SharedRaces::begin_read(const Order& order, const Place& place, std::uint32_t address) {
  Piece& piece = piece_at(address);
  piece.copied = touch_of(order, place);
  piece.copied_until = 0;
  return unordered_change(order, place, piece, address);
}

void SharedRaces::end_read(const Order& order, std::uint32_t address) {
  Piece& piece = piece_at(address);
  if (piece.copied.time != 0) piece.copied_until = order.now();
}

std::uint32_t SharedRaces::begin_product(const Order& order, const Place& place, std::uint32_t pieces,
                                         const std::uint64_t* addresses, std::uint32_t group) {
  const Touch mine = touch_of(order, place);
  const std::uint32_t warpgroup = place.warp / kWarpsOfGroup;
  std::uint32_t may_conflict = 0;
  for (std::uint32_t left = pieces; left != 0; left &= left - 1) {
    const int k = std::countr_zero(left);
    Piece& piece = piece_at(static_cast<std::uint32_t>(addresses[k]));
    piece.multiplied = mine;
    piece.groups[warpgroup] = group + 1;
    if (piece.has_plain_accesses || !comes_after(order, place, piece.written)) may_conflict |= 1u << k;
  }
  return may_conflict;
}

SharedRaces::Found SharedRaces::conflict_of_product(const Order& order, const Place& place,
                                                    std::uint32_t address) {
  return unordered_change(order, place, piece_at(address), address);
}

void SharedRaces::end_products(const Order& order, std::uint32_t warp, std::uint32_t groups) {
  if (waited_[warp].size() < groups) waited_[warp].resize(groups, order.now());
}

void SharedRaces::forget_piece(std::uint32_t address) {
  for_each_element(address, kBoxPieceBytes, [](Element& element, std::uint32_t) { element = {}; });
  piece_at(address) = {};
}

void SharedRaces::Piece::forget_reads() {
  copied = multiplied = {};
  copied_until = 0;
  groups = {};
}

SharedRaces::Piece& SharedRaces::piece_at(std::uint32_t address) {
  return pieces_[address / kBoxPieceBytes];
}

SharedRaces::Found SharedRaces::unordered_load(const Order& order, const Place& place, const Element& element,
                                               std::uint32_t address) {
  for (const Touch& loaded : element.loaded) {
    if (!comes_after(order, place, loaded)) return conflict_with(loaded, address);
  }
  return std::nullopt;
}

SharedRaces::Found SharedRaces::unordered_write(const Order& order, const Place& place, const Piece& piece,
                                                std::uint32_t address) {
  return comes_after(order, place, piece.written) ? std::nullopt
                                                  : Found(conflict_with(piece.written, address));
}

SharedRaces::Found SharedRaces::unordered_change(const Order& order, const Place& place, const Piece& piece,
                                                 std::uint32_t address) {
  Found found = unordered_write(order, place, piece, address);
  if (found || !piece.has_plain_accesses) return found;
  for_each_element(address, kBoxPieceBytes, [&](const Element& element, std::uint32_t first) {
    if (!found && !comes_after(order, place, element.stored)) found = conflict_with(element.stored, first);
  });
  return found;
}

SharedRaces::Found SharedRaces::unordered_read(const Order& order, const Place& place, const Piece& piece,
                                               std::uint32_t address) const {
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
