// Accesses of global memory through which blocks may see each other.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/replay/decode/code.h"
#include "kernels/replay/replay.h"

namespace warplens::replay {

/// Whether loads and stores of these origins (provenance.h) may be of one buffer at this launch.
[[nodiscard]] bool may_meet(std::uint64_t read, std::uint64_t written, const Launch& launch);
/// Stores and atomics, and loads of what may be stored to: PTX instructions, ascending.
[[nodiscard]] std::vector<std::uint32_t> exposed_accesses(const Program::Code& code, const Launch& launch);
/// Returns, by Region::id (buffers first, then the module's variables), whether anything may be stored there.
[[nodiscard]] std::vector<bool> written_regions(const Program::Code& code, const Launch& launch,
                                                std::size_t buffers);

/// The code with `handler` in the place of what runs those instructions; `handlers`, by PTX instruction, are
/// what it has to call. `code` must live as long as the result.
[[nodiscard]] Program::Code with_handler(const Program::Code& code,
                                         std::span<const std::uint32_t> instructions, Handler handler);
[[nodiscard]] std::vector<Handler> handlers_of(const Program::Code& code);

/// How a thread takes part in what blocks tell each other.
enum class AccessKind : std::uint8_t {
  load,
  store,
  strong_load,   ///< volatile, relaxed, acquire; past L1, as flags are read with __ldcg and __ldcv
  strong_store,  ///< The same of stores; red
  exchange       ///< atom, whose result is used
};
[[nodiscard]] constexpr bool is_strong(AccessKind kind) {
  return kind >= AccessKind::strong_load;
}
[[nodiscard]] constexpr bool reads_strongly(AccessKind kind) {
  return kind == AccessKind::strong_load || kind == AccessKind::exchange;
}
[[nodiscard]] constexpr bool writes_strongly(AccessKind kind) {
  return kind == AccessKind::strong_store || kind == AccessKind::exchange;
}
/// Returns the kinds by PTX instruction; meaningless for instructions that are not accesses. A volatile load,
/// or one past L1, whose value only goes to global memory waits for nothing, and counts as a plain one.
[[nodiscard]] std::vector<AccessKind> kinds_of_accesses(const Program::Code& code);

/// The lanes of an access that fall into global memory, whole and aligned: what it is made of.
struct GlobalLanes {
  std::uint32_t mask = 0;
  std::uint32_t bytes = 0;  ///< Of a lane
  std::uint64_t address[kWarpSize] = {};
  /// Of wmma.store: the register (a Head's offset) that holds the values, and how far up in it.
  std::uint32_t data = 0;
  std::uint8_t data_bytes = 0, data_shift = 0;
};
/// Returns where the first lane's access begins, if all lanes are active and each is right behind the one
/// before it.
[[nodiscard]] std::optional<std::uint64_t> first_of_neighbours(const Machine& m, const Instr& instr);
/// How many accesses of all lanes the instruction makes: several of a matrix in registers.
[[nodiscard]] int count_accesses(const Instr& instr);
/// Returns by lane the offset of piece `which` from the instruction's address; 0 unless it is a wmma.load or
/// wmma.store.
[[nodiscard]] std::array<std::uint64_t, kWarpSize> piece_offsets(const Machine& m, const Instr& instr,
                                                                 int which);
/// Of the active lanes, before the access is made. `which` of the instruction's accesses.
[[nodiscard]] GlobalLanes global_lanes(const Machine& m, const Instr& instr, int which = 0);
/// Those that fall into the block's shared memory, by their addresses in it.
[[nodiscard]] GlobalLanes shared_lanes(const Machine& m, const Instr& instr);

}  // namespace warplens::replay
