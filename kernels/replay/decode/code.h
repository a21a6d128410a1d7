// The decoded form of a kernel.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/variable_contents.h"
#include "kernels/base/zero_pages.h"
#include "kernels/ptx/calls.h"
#include "kernels/ptx/control_flow.h"
#include "kernels/ptx/module.h"
#include "kernels/recording/recording.h"
#include "kernels/replay/core/core.h"
#include "kernels/replay/core/machine.h"
#include "kernels/replay/core/video.h"
#include "kernels/replay/decode/load_groups.h"
#include "kernels/replay/decode/provenance.h"
#include "kernels/replay/decode/wgmma_registers.h"
#include "kernels/replay/program.h"
#include "kernels/tensor/fragment_access.h"

namespace warplens::replay {

/// A Head of the register file before a warp starts, and where its lanes are kept (bytes from the start of
/// the file; 0: nowhere).
struct HeadPlan {
  std::uint64_t initial = 0;
  std::uint32_t lanes_offset = 0;
  bool wide = false;
  bool in_shared = false;  ///< `initial` is an offset in shared memory; its address depends on the launch
                           ///< (Options::shared_base)
  ptx::SpecialRegister special = ptx::SpecialRegister::none;  ///< Set when the warp starts
};

/// Variables of one state space, laid out in order of declaration.
struct VariableSpace {
  struct Placed {
    std::string name;
    std::uint64_t offset = 0, bytes = 0;
    std::uint32_t element_bytes = 1;
    std::vector<std::uint8_t> initial = {};  ///< The first bytes; the rest is zero
    std::uint32_t variable = 0;              ///< Index into Function::variables; names may repeat
  };
  std::vector<Placed> variables;
  std::uint64_t bytes = 0;  ///< At most kEndlessBytes
  /// Returns the contents at the start of a launch that sets some of the variables.
  [[nodiscard]] std::vector<std::byte> contents(std::span<const VariableContents> set) const;
  /// The same in memory that is taken where it is not zero, or is stored to. Throws std::bad_alloc.
  [[nodiscard]] ZeroPages pages(std::span<const VariableContents> set) const;

 private:
  void write(std::span<const VariableContents> set, std::byte* to) const;
};
/// What sizes of variables that no machine has count as.
inline constexpr std::uint64_t kEndlessBytes = std::uint64_t{1} << 44;

/// The source of a call's argument, or the destination of its result: a parameter variable, or a register or
/// constant.
struct CallArgument {
  bool in_register = false;
  std::uint32_t head = 0;   ///< Of the register or constant
  std::uint32_t piece = 0;  ///< Else: whose variable it is, and where it is in that piece's part
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;  ///< 0: of a result that nobody wants
  std::optional<std::uint32_t>
      kept_in;  ///< Head of the register that a called function has it in, besides its memory
};
inline constexpr std::uint32_t kByAddress = 0xffffffffu;
/// Functions that no module has a body of.
enum class SystemFunction : std::uint8_t { print, fail_assertion, allocate, release };
[[nodiscard]] std::optional<SystemFunction> system_function(std::string_view name);
/// A tex, tld4, suld or sust.
struct TexelAccess {
  std::uint32_t instruction = 0;
  std::uint32_t parameter = 0;  ///< Of the kernel: what its handle comes from
  bool is_store = false, of_surface = false;
  bool by_index = false;  ///< tex of integer coordinates
  bool gives_floats = false;
  std::optional<std::uint32_t> gathered;  ///< tld4: the component
  ptx::TextureGeometry geometry = ptx::TextureGeometry::none;
  ptx::BeyondSurface beyond = ptx::BeyondSurface::none;
  std::uint32_t component_bytes = 4;  ///< Of suld and sust
  std::vector<std::uint32_t> coordinates,
      values;  ///< Heads; of what is loaded 0xffffffff where nobody wants it
};
/// A txq or suq. Its result is known before the launch: the kernel loads it as a hidden parameter.
struct TextureQuery {
  ptx::Opcode opcode = ptx::Opcode::txq_width;
  bool of_surface = false;
  std::uint32_t parameter = 0;  ///< Of the kernel: what its handle comes from
  std::uint32_t variable = 0;   ///< The hidden parameter, in Program::Code::function
};
/// An address as an instruction gives it: the register file's Head at `head`, plus `offset`.
struct AddressOperand {
  std::uint32_t head = 0;
  bool wide = false;
  std::int64_t offset = 0;
};
/// A bulk copy, decoded: of memory that lies in one piece, or of a box of a tensor.
struct BulkCopy {
  ptx::StateSpace from = ptx::StateSpace::global, to = ptx::StateSpace::shared;
  bool is_tensor = false, completes_at_mbarrier = false;
  ptx::AtomicOp reduction = ptx::AtomicOp::none;
  ptx::Type type = ptx::Type::none;         ///< Of what is reduced; a tensor map tells its own
  AddressOperand global, shared, mbarrier;  ///< Between shared memories: `shared` is the destination
  AddressOperand shared_source;             ///< Only there
  std::uint32_t bytes = 0;                  ///< Head, where it is no tensor
  std::uint32_t map = 0;                    ///< Head of the address of the tensor map
  std::vector<std::uint32_t> coordinates;   ///< Heads
  std::vector<std::uint32_t> offsets;       ///< Heads, of loads in im2col mode
  bool is_im2col = false;
  bool is_multicast = false;
  std::uint32_t ranks = 0;  ///< Head of the blocks of the cluster that it is multicast to, a bit each
};

struct CallSite {
  std::optional<SystemFunction> system;
  std::uint32_t piece = kByAddress;
  std::uint32_t target = 0;  ///< Head of the register with the function's address
  std::vector<CallArgument> arguments, results;
};
/// A function as it runs. Of one that may be called while it runs, each call has memory of its own, and keeps
/// what the registers of the call before held.
struct CalledPiece {
  const Instr* entry = nullptr;
  bool is_recursive = false;
  std::vector<CallArgument> parameters, returns;
  std::uint64_t call_param_bytes = 0, local_bytes = 0;  ///< Recursive: of a call
  std::vector<std::uint32_t> registers;                 ///< Recursive: indices of heads
  struct Base {
    std::uint32_t head = 0;  ///< Index of a head that holds an address in the call's memory
    std::uint64_t offset = 0;
  };
  std::vector<Base> call_param_bases, local_bases;
};
/// Functions' addresses as mov gives them; no memory lies there.
inline constexpr std::uint64_t kFunctionWindow = std::uint64_t{0x7004} << 32;
inline constexpr std::uint64_t kFunctionStride = 16;
/// Handles of textures and surfaces: behind it by parameter. On a GPU they are other numbers, and no
/// addresses either.
inline constexpr std::uint64_t kTextureHandles = std::uint64_t{0x7006} << 32;
/// Recursive calls have so much for their variables and parameters together with those before them, in bytes
/// a lane.
inline constexpr std::uint64_t kStackBytes = 16384;

/// True of a suq, false of a txq; nullopt: it is neither.
[[nodiscard]] std::optional<bool> is_query_of_surface(ptx::Opcode opcode);
/// Whether the thread has nothing left to do at that PTX instruction but exit.
[[nodiscard]] bool exits_at(const Program::Code& code, std::uint32_t instruction);

struct Program::Code {
  std::string module_name;
  ptx::Function function;
  ptx::ControlFlow flow;
  std::vector<std::string> files;
  std::vector<Unsupported> unsupported;
  const Core* core = nullptr;

  std::vector<Instr> instructions;
  std::vector<std::uint32_t> operand_lists;  ///< What Instr::more points into
  std::vector<std::string> reasons;          ///< By PTX instruction: why it cannot be run; empty if it can

  std::vector<HeadPlan> heads;                  ///< Constants, special registers, then slots
  std::vector<std::uint32_t> head_of_register;  ///< By PTX register
  std::uint32_t register_file_bytes = 0;
  /// By basic block: Heads that are live when it starts, as far as those of slots go. Others are never
  /// written.
  std::vector<std::uint64_t> live_heads;
  std::size_t live_words = 0;  ///< A block's, one behind the other

  std::vector<std::shared_ptr<const VideoForm>>
      video_forms;  ///< Instr::imm of video instructions points to one

  std::vector<std::shared_ptr<const tensor::FragmentAccess>>
      fragment_accesses;                ///< Instr::more of wmma.load and wmma.store begins with where one is
  std::vector<std::uint32_t> products;  ///< PTX instructions, one for each form of a product of matrices:
                                        ///< Instr::imm of such instructions is a number of this list

  std::vector<TensorTotals> tensor;          ///< Tensor-core instructions of `function`, with 0 executions
  std::vector<std::uint32_t> tensor_before;  ///< As tensor_instructions_before says

  WgmmaRegisterPlan wgmma_registers;

  std::vector<std::shared_ptr<const BulkCopy>> bulk_copies;  ///< Instr::imm of bulk copies points to one

  std::vector<Handler> cluster_handlers;  ///< By PTX instruction: what access_in_cluster runs; else null
  std::map<std::uint32_t, AddressOperand>
      completions;                ///< By PTX instruction: the mbarriers of st.async and red.async
  bool uses_cluster = false;      ///< Blocks of a cluster must run together
  bool uses_async_proxy = false;  ///< By bulk copies or wgmma

  std::vector<TextureQuery> texture_queries;
  std::vector<std::shared_ptr<const TexelAccess>>
      texel_accesses;  ///< Instr::imm of such instructions points to one

  std::vector<CalledPiece> pieces;                ///< The kernel first
  std::vector<ptx::CalledFunction> called;        ///< The others, as they lie in `function`
  std::vector<std::uint64_t> variable_addresses;  ///< By Function::variables; of what a recursive function
                                                  ///< declares, in the memory of a call
  std::vector<CallSite> calls;
  std::uint64_t call_param_bytes =
      0;  ///< Parameters of calls, for each lane; those of recursive functions lie behind
  std::uint64_t lane_call_param_bytes = 0, lane_local_bytes = 0;  ///< All of a lane's

  std::vector<LoadGroupPlan> load_groups;
  std::vector<Site> sites;
  std::vector<bool>
      generic_site;  ///< By site: one of the three of a generic access, dropped if that space is never met
  VariableSpace shared, local, global, constant;
  std::uint32_t dynamic_shared_alignment = 16;
  std::string dynamic_shared_name;
  std::uint32_t dynamic_element_bytes = 4;
  std::vector<ptx::Variable> parameters;
  std::vector<std::uint64_t> parameter_offsets;
  std::uint64_t parameter_bytes = 0;

  bool has_barrier = false;
  bool waits_for_grid = false;       ///< By the barrier of a cooperative launch
  bool allocates = false;            ///< By malloc or free
  bool has_volatile_shared = false;  ///< Volatile accesses that may be of shared memory
  bool sequential = false;  ///< Blocks must run in order: what they do to global memory depends on it
  Provenance provenance;    ///< So must they where they load from a buffer that they also store to
};

/// Global variables of the module lie here, above every buffer.
inline constexpr std::uint64_t kModuleBase = std::uint64_t{1} << 40;

/// One for each memory instruction and state space, in order; first_site[i] is that of PTX instruction i.
struct SiteList {
  std::vector<Site> sites;
  std::vector<bool> generic;
  std::vector<std::uint32_t> first_site;
};
[[nodiscard]] SiteList list_sites(const ptx::Function& function);
[[nodiscard]] bool is_strong(const ptx::Instruction& instruction);
/// Returns the bytes that a lane accesses; a row of a matrix has 16.
[[nodiscard]] std::uint32_t accessed_bytes(const ptx::Instruction& instruction);
/// atom: some instruction reads the destination.
[[nodiscard]] std::vector<bool> results_used(const ptx::Function& function);

}  // namespace warplens::replay
