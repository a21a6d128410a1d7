// Kernels of the user's: any PTX, with the launch and the arguments given by hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/session/session.h"
#include "kernels/base/result.h"
#include "kernels/ptx/module.h"
#include "kernels/recording/recording.h"
#include "kernels/replay/replay.h"

namespace warplens::app {

struct ScalarSpec {
  std::string type;              ///< "i32", "u32", "i64", "u64", "f32", "f64"
  std::vector<std::byte> bytes;  ///< Little-endian
};

enum class Fill : std::uint8_t { zero, iota, random, file };

struct BufferSpec {
  ElementType type = ElementType::f32;
  std::uint64_t count = 0;
  Fill fill = Fill::zero;
  std::filesystem::path file;  ///< Raw little-endian; exactly `count` elements
};

using ArgumentSpec = std::variant<ScalarSpec, BufferSpec>;

/// "i32:256", "f64:0.5", "buf:f32:65536:random", "buf:u8:100:file=PATH".
[[nodiscard]] Result<ArgumentSpec> parse_argument(const std::string& text);

/// What a buffer holds at the start. iota: 0, 1, 2, .. (u8 wraps round); random: integers of -3 to 3 (u8: 0 to 6), the same for the same `seed`.
/// An error where the buffer is empty or has no address, and what reading its file says.
[[nodiscard]] Result<std::vector<std::byte>> initial_contents(const BufferSpec& buffer, std::uint64_t seed);

/// The memory that it takes to make them; UINT64_MAX for what has no address.
[[nodiscard]] std::uint64_t bytes_to_fill(const BufferSpec& buffer);

/// Reads and parses a PTX file. The error for CUDA source says how to make PTX of it.
[[nodiscard]] Result<ptx::Module> load_ptx(const std::filesystem::path& path);

struct UserKernelRequest {
  std::filesystem::path file;
  std::string entry;  ///< Mangled, or plain where it is unique; empty: the only one
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<ArgumentSpec> arguments;      ///< In the order of the kernel's parameters
  BlockChoice replay_blocks;                ///< Blocks to replay
  std::optional<BlockChoice> event_blocks;  ///< As in RecordRequest
  analysis::ComputeCapability cc;
  unsigned threads = 0;
  Engine engine = Engine::cpu;
  /// Where sources may be read, they and all below them, beside the folder of `file`: their texts go into the recording.
  std::vector<std::filesystem::path> source_folders = {};
};

/// A source that accesses of a kernel lie in and that is not in the recording.
struct UnreadSource {
  std::string named;  ///< As the PTX does
  std::string reason;
};

struct UserKernelRun {
  Recording recording;
  replay::Memory memory;                              ///< After the run
  std::vector<std::optional<std::uint32_t>> buffers;  ///< By argument: its buffer in memory; nullopt for scalars
  std::vector<UnreadSource> unread_sources;
};

/// Runs an entry of a PTX file. Source texts come from the files that the PTX names, where they may be read (read_sources).
[[nodiscard]] Result<UserKernelRun> replay_user_kernel(const UserKernelRequest& request, replay::Progress* progress = nullptr);

}  // namespace warplens::app
