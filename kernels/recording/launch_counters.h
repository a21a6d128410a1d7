// What a GPU's own counters said of one launch. The counters' names: docs/memory_model.md,
// docs/memory_levels.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warplens {

/// Counters of one instruction of the machine code that accesses memory.
struct InstructionCounters {
  std::uint32_t offset = 0;    ///< In bytes from the function's beginning
  std::uint64_t requests = 0;  ///< Warps that execute it; those too whose lanes its guard switches off
  std::uint64_t sectors = 0, ideal_sectors = 0, lines = 0;
  std::uint64_t wavefronts = 0, ideal_wavefronts = 0;
  friend bool operator==(const InstructionCounters&, const InstructionCounters&) = default;
};

struct InstructionField {
  const char* id;                      ///< In JSON and tables
  std::array<const char*, 3> metrics;  ///< Of CUPTI, from compute capability 7.5 on, added up; some nullptr
  std::uint64_t InstructionCounters::* value;
};
inline constexpr std::array kInstructionFields{
    InstructionField{"requests",
                     {"smsp__sass_inst_executed_op_global", "smsp__sass_inst_executed_op_local",
                      "smsp__sass_inst_executed_op_shared"},
                     &InstructionCounters::requests},
    InstructionField{"sectors",
                     {"smsp__sass_sectors_mem_global", "smsp__sass_sectors_mem_local", nullptr},
                     &InstructionCounters::sectors},
    InstructionField{"ideal_sectors",
                     {"smsp__sass_sectors_mem_global_ideal", nullptr, nullptr},
                     &InstructionCounters::ideal_sectors},
    InstructionField{
        "lines", {"smsp__sass_l1tex_tags_mem_global", nullptr, nullptr}, &InstructionCounters::lines},
    InstructionField{"wavefronts",
                     {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared", nullptr, nullptr},
                     &InstructionCounters::wavefronts},
    InstructionField{"ideal_wavefronts",
                     {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal", nullptr, nullptr},
                     &InstructionCounters::ideal_wavefronts},
};

/// nullopt: this GPU has no such counter.
struct LaunchCounters {
  std::optional<std::uint64_t> global_load_requests, global_load_sectors, global_store_requests,
      global_store_sectors;
  std::optional<std::uint64_t> shared_load_wavefronts, shared_store_wavefronts;
  /// Of bulk copies: sectors that arrive at L1s, once for each block that a copy is multicast to, elements
  /// that are filled included; and that leave them.
  std::optional<std::uint64_t> bulk_load_sectors, bulk_store_sectors;
  std::optional<std::uint64_t> wgmma_wavefronts;                ///< Reading shared memory
  std::optional<std::uint64_t> sectors_from_l2, sectors_to_l2;  ///< By all L1s
  std::optional<std::uint64_t> dram_read_bytes;   ///< With an L2 that held none of the buffers before
  int cc_major = 0, cc_minor = 0;                 ///< The GPU's compute capability
  std::vector<InstructionCounters> instructions;  ///< By offset
  std::string why_no_instructions;                ///< Empty: they were counted
  friend bool operator==(const LaunchCounters&, const LaunchCounters&) = default;
};

struct CounterField {
  const char* id;      ///< In JSON and tables
  const char* metric;  ///< As NVIDIA's profilers know it, from compute capability 7.5 on; of bulk copies and
                       ///< wgmma from 9.0 on
  std::optional<std::uint64_t> LaunchCounters::* value;
};
inline constexpr std::array kCounterFields{
    CounterField{"global_load_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                 &LaunchCounters::global_load_requests},
    CounterField{"global_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                 &LaunchCounters::global_load_sectors},
    CounterField{"global_store_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
                 &LaunchCounters::global_store_requests},
    CounterField{"global_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                 &LaunchCounters::global_store_sectors},
    CounterField{"shared_load_wavefronts", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                 &LaunchCounters::shared_load_wavefronts},
    CounterField{"shared_store_wavefronts", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
                 &LaunchCounters::shared_store_wavefronts},
    CounterField{"bulk_load_sectors", "l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum",
                 &LaunchCounters::bulk_load_sectors},
    CounterField{"bulk_store_sectors", "l1tex__m_l1tex2xbar_write_sectors_pipe_tma.sum",
                 &LaunchCounters::bulk_store_sectors},
    CounterField{"wgmma_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum",
                 &LaunchCounters::wgmma_wavefronts},
    CounterField{"sectors_from_l2", "l1tex__m_xbar2l1tex_read_sectors.sum", &LaunchCounters::sectors_from_l2},
    CounterField{"sectors_to_l2", "l1tex__m_l1tex2xbar_write_sectors.sum", &LaunchCounters::sectors_to_l2},
    CounterField{"dram_read_bytes", "dram__bytes_read.sum", &LaunchCounters::dram_read_bytes},
};

}  // namespace warplens
