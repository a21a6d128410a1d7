// What a GPU's own counters said of one launch. The counters' names: docs/memory_model.md, docs/memory_levels.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warplens {

/// Of one instruction of the machine code that accesses memory.
struct InstructionCounters {
  std::uint32_t offset = 0;      ///< In bytes from the function's beginning
  std::uint64_t sectors = 0;     ///< smsp__sass_sectors_mem_global, and .._mem_local
  std::uint64_t wavefronts = 0;  ///< smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared
  friend bool operator==(const InstructionCounters&, const InstructionCounters&) = default;
};

/// nullopt: this GPU has no such counter.
struct LaunchCounters {
  std::optional<std::uint64_t> global_load_requests, global_load_sectors, global_store_requests, global_store_sectors;
  std::optional<std::uint64_t> shared_load_wavefronts, shared_store_wavefronts;
  std::optional<std::uint64_t> sectors_from_l2, sectors_to_l2;  ///< By all L1s
  std::optional<std::uint64_t> dram_read_bytes;                 ///< With an L2 that held none of the buffers before
  int cc_major = 0, cc_minor = 0;                               ///< The GPU's compute capability
  std::vector<InstructionCounters> instructions;                ///< By offset
  std::string why_no_instructions;                              ///< Empty: they were counted
  friend bool operator==(const LaunchCounters&, const LaunchCounters&) = default;
};

struct CounterField {
  const char* id;      ///< In JSON and tables
  const char* metric;  ///< As NVIDIA's profilers know it, from compute capability 7.5 on
  std::optional<std::uint64_t> LaunchCounters::*value;
};
inline constexpr std::array kCounterFields{
    CounterField{"global_load_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", &LaunchCounters::global_load_requests},
    CounterField{"global_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", &LaunchCounters::global_load_sectors},
    CounterField{"global_store_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", &LaunchCounters::global_store_requests},
    CounterField{"global_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", &LaunchCounters::global_store_sectors},
    CounterField{"shared_load_wavefronts", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", &LaunchCounters::shared_load_wavefronts},
    CounterField{"shared_store_wavefronts", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
                 &LaunchCounters::shared_store_wavefronts},
    CounterField{"sectors_from_l2", "l1tex__m_xbar2l1tex_read_sectors.sum", &LaunchCounters::sectors_from_l2},
    CounterField{"sectors_to_l2", "l1tex__m_l1tex2xbar_write_sectors.sum", &LaunchCounters::sectors_to_l2},
    CounterField{"dram_read_bytes", "dram__bytes_read.sum", &LaunchCounters::dram_read_bytes},
};

}  // namespace warplens
