// Opcodes with their suffixes, such as `ld.global.v4.f32`.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/ptx/module.h"

namespace warplens::ptx {

/// Suffixes come in families, and an opcode takes some of them: the same word can mean several things (`.lo`
/// is half of a product, or "unsigned lower").
enum SuffixFamily : std::uint64_t {
  kRounding = 1u << 0,
  kFtz = 1u << 1,
  kSat = 1u << 2,
  kRelu = 1u << 3,
  kApprox = 1u << 4,
  kExtremum = 1u << 5,  ///< .NaN .xorsign .abs
  kCarry = 1u << 6,
  kHalves = 1u << 7,  ///< .lo .hi .wide
  kShift = 1u << 8,   ///< .l .r .wrap .clamp .shiftamt
  kPermute = 1u << 9,
  kTest = 1u << 10,
  kCompare = 1u << 11,
  kBool = 1u << 12,
  kUniform = 1u << 13,
  kSpace = 1u << 14,
  kVector = 1u << 15,
  kMemory = 1u << 16,  ///< Ordering, scope, caches
  kFence = 1u << 17,
  kAtomic = 1u << 18,
  kSync = 1u << 19,     ///< .sync
  kAligned = 1u << 20,  ///< .aligned, where nothing else is possible
  kMayAlign = 1u << 21,
  kShuffle = 1u << 22,
  kVote = 1u << 23,
  kMatrix = 1u << 24,     ///< Shape, layout and number of matrices
  kTo = 1u << 25,         ///< .to
  kBarrier = 1u << 26,    ///< What bar and barrier do
  kSecondary = 1u << 27,  ///< .add .min .max of video instructions
  kSatFinite = 1u << 28,
  kEvents = 1u << 29,              ///< .mask of pmevent
  kVideoProduct = 1u << 30,        ///< .po .shr7 .shr15 of vmad
  kTexture = 1u << 31,             ///< Shape of a texture or surface, and what a surface does beyond its edge
  kBulk = std::uint64_t{1} << 32,  ///< State spaces, completion and mode of bulk copies
  kCompletion = std::uint64_t{1} << 33,  ///< Of st.async and red.async
  kTensorMap = std::uint64_t{1} << 34,   ///< Mode and field of tensormap.replace

  kArithmetic = kRounding | kFtz | kSat | kCarry,
  kAccess = kSpace | kVector | kMemory,
  kConversion = kRounding | kFtz | kSat | kSatFinite | kRelu,
  kOfMatrices = kSync | kAligned | kMatrix,
  kOfProducts = kOfMatrices | kRounding | kSatFinite | kBool,
};

/// Every field that the words before the operands decide; `unsupported` where one of them is unknown, or the
/// number of types is wrong.
[[nodiscard]] Instruction decode_opcode(std::string_view written);

/// Whether the table of opcodes has the opcode, with whatever suffixes.
[[nodiscard]] bool is_known(std::string_view written);

}  // namespace warplens::ptx
