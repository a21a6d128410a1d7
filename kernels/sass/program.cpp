#include "kernels/sass/program.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <utility>

namespace warplens::sass {
namespace {

using Live = std::bitset<kRegisters + kPredicates>;

bool has_effect(const Op& op) {
  switch (op.action) {
    case Action::memory:
    case Action::copy_to_shared:
    case Action::bulk_copy:
    case Action::product:
    case Action::wait:
    case Action::branch:
    case Action::call:
    case Action::indirect_return:
    case Action::set_barrier:
    case Action::wait_barrier:
    case Action::leave_barrier:
    case Action::warp_barrier:
    case Action::block_barrier:
    case Action::cluster_barrier:
    case Action::leave:
    case Action::unsupported: return true;
    default: return false;
  }
}

bool is_unconditional(const Op& op) {
  return op.guard.index == kTruePredicate && !op.guard.negated;
}

template <class F>
void for_each_result(const Op& op, F&& f) {
  for (std::uint32_t i = 0; i < op.d_count; ++i) {
    if (op.d != kNoRegister && op.d + i < kRegisters) f(op.d + i);
  }
  for (const std::uint32_t p : {op.p, op.q}) {
    if (p != kTruePredicate) f(kRegisters + p);
  }
  for (std::uint32_t p = 0; op.action == Action::spread_bits && p < kTruePredicate; ++p) {
    if ((op.amount >> p & 1) != 0) f(kRegisters + p);
  }
}

void add_sources(const Op& op, Live& live) {
  for (const Source* const source : {&op.a, &op.b, &op.c, &op.a_high, &op.b_high, &op.c_high}) {
    if (source->kind == Source::Kind::reg && source->index < kRegisters) live.set(source->index);
  }
  for (const PredicateSource& in : op.in) live.set(kRegisters + in.index);
  live.set(kRegisters + op.guard.index);
  for (std::uint32_t p = 0; op.action == Action::pack_predicates && p < kTruePredicate; ++p) {
    if ((op.amount >> p & 1) != 0) live.set(kRegisters + p);
  }
  for (std::uint32_t i = 0; i < op.bulk.rank; ++i) live.set(op.bulk.coordinates + i);
  if (op.action != Action::memory && op.action != Action::copy_to_shared) return;
  for (std::uint32_t i = 1; op.a.kind == Source::Kind::reg && i < op.d_count && op.a.index + i < kRegisters;
       ++i)
    live.set(op.a.index + i);
  for (std::uint32_t i = 0; i < 2; ++i) {
    for (const Address* const address : {&op.address, &op.to}) {
      if (address->base != kZeroRegister) live.set(address->base + i);
      if (address->uniform_base != kUniformZeroRegister)
        live.set(kUniformRegisters + address->uniform_base + i);
    }
  }
}

/// What is live before an op, of what is live after it; and whether the op is needed for it.
bool step_back(const Op& op, Live& live) {
  bool needed = has_effect(op);
  for_each_result(op, [&](std::uint32_t result) { needed = needed || live.test(result); });
  if (!needed) return false;
  if (is_unconditional(op)) for_each_result(op, [&](std::uint32_t result) { live.reset(result); });
  add_sources(op, live);
  return true;
}

/// Gives constants and what is not known registers of their own.
void place_sources(Op& op, std::vector<std::uint32_t>& constants) {
  for (Source* const source : {&op.a, &op.b, &op.c, &op.a_high, &op.b_high, &op.c_high}) {
    if (source->kind == Source::Kind::unknown) source->index = kUnknownRegister;
    if (source->kind != Source::Kind::value || source->value == 0) continue;
    const auto known = std::ranges::find(constants, source->value);
    source->index = kFirstConstant + static_cast<std::uint32_t>(known - constants.begin());
    if (known == constants.end()) constants.push_back(source->value);
  }
}

bool ends_block(const Op& op) {
  switch (op.action) {
    case Action::wait:
    case Action::branch:
    case Action::call:
    case Action::indirect_return:
    case Action::wait_barrier:
    case Action::leave_barrier:
    case Action::warp_barrier:
    case Action::block_barrier:
    case Action::cluster_barrier:
    case Action::leave:
    case Action::unsupported: return true;
    default: return false;
  }
}

void cut_into_blocks(Program& program, const std::vector<Op>& ops, const std::vector<bool>& needed) {
  std::vector<bool> leads(ops.size() + 1);
  leads.front() = true;
  const bool jumps =
      std::ranges::any_of(ops, [](const Op& op) { return op.action == Action::indirect_return; });
  for (const Label& label : program.function->labels) {
    if (jumps && label.instruction < ops.size()) leads[label.instruction] = true;
  }
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ends_block(ops[i])) leads[i + 1] = true;
    if (ops[i].action == Action::branch || ops[i].action == Action::call) leads[ops[i].target] = true;
  }
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    if (leads[i])
      program.blocks.push_back(
          {.first = i, .end = i, .first_op = static_cast<std::uint32_t>(program.ops.size())});
    if (needed[i]) program.ops.push_back(ops[i]);
    program.blocks.back().end = i + 1;
    program.blocks.back().end_op = static_cast<std::uint32_t>(program.ops.size());
    program.block_of.push_back(static_cast<std::uint32_t>(program.blocks.size() - 1));
  }
}

/// Accesses that a loop makes until another warp has come: compare-and-swaps, and loads of one and the same
/// place. How often is not determined.
void mark_tries(std::vector<Op>& ops) {
  const auto is_plain = [](const Op& op) { return op.action == Action::memory && op.function == nullptr; };
  for (std::uint32_t end = 0; end < ops.size(); ++end) {
    if (ops[end].action != Action::branch || ops[end].target > end) continue;
    const auto first = ops.begin() + ops[end].target, last = ops.begin() + end;
    const bool accesses = std::any_of(first, last, is_plain);
    const auto is_changed = [&](std::uint32_t reg) {
      return std::any_of(first, last, [&](const Op& op) {
        return op.d != kNoRegister && op.d <= reg && reg < op.d + op.d_count;
      });
    };
    for (auto op = first; op != last; ++op) {
      if (!op->may_wait) continue;
      const bool moves_on =
          is_changed(op->address.base) || is_changed(kUniformRegisters + op->address.uniform_base);
      if (is_plain(*op) && moves_on) continue;
      op->is_tried_again = true;
      op->tries_accesses = op->tries_accesses || accesses;
    }
  }
}

Site make_site(const Instruction& instruction, std::uint32_t index, Space space, AccessOp op) {
  Site site;
  site.instruction = index;
  site.file = instruction.file;
  site.line = instruction.line;
  site.space = space;
  site.op = op;
  site.bytes = is_of_matrices(op) || is_of_pieces(op) ? 16 : access_bytes(instruction);
  site.matrices = is_of_matrices(op) ? matrices_of(instruction) : 0;
  site.text = instruction.text;
  return site;
}

/// Gives an operation the sites of what it accesses.
void add_sites(std::vector<Site>& sites, const Instruction& instruction, Op& op) {
  const auto add = [&](Space space, AccessOp access) {
    sites.push_back(make_site(instruction, op.instruction, space, access));
    return static_cast<std::uint32_t>(sites.size() - 1);
  };
  if (op.action == Action::memory || op.action == Action::copy_to_shared) {
    const MemoryOpcode& opcode = *find_memory_opcode(instruction.opcode);
    op.site = add(opcode.space, opcode.op);
    if (op.action == Action::copy_to_shared || op.is_generic) op.to_site = add(Space::shared, opcode.op);
  } else if (op.action == Action::bulk_copy) {
    const AccessOp access = op.bulk.is_reduction ? AccessOp::bulk_reduction
                            : op.bulk.loads      ? AccessOp::bulk_load
                                                 : AccessOp::bulk_store;
    op.site = op.bulk.is_between ? add(Space::shared, AccessOp::bulk_store) : add(Space::global, access);
    op.to_site = add(Space::shared, access);
  } else if (op.action == Action::product) {
    if (!op.product.a_is_in_registers) op.site = add(Space::shared, AccessOp::wgmma);
    op.to_site = add(Space::shared, AccessOp::wgmma);
  }
}

/// What the driver tells a kernel of compute capability 9.0 of its cluster, by offset in constant bank 0, and
/// where its parameters are. (Seen in what ptxas makes of PTX's special registers.)
void put_cluster(ConstantWords& words, const Launch& launch) {
  constexpr std::uint32_t kIsCluster = 0x140, kExtents = 0x144, kReciprocals = 0x150, kClusters = 0x15c,
                          kBlocks = 0x188, kParameters = 0x198;
  const auto put = [&](std::uint32_t offset, auto value) {
    put_constants(words, 0, offset, std::as_bytes(std::span(&value, 1)));
  };
  const std::array<std::uint32_t, 3> cluster{launch.cluster.x, launch.cluster.y, launch.cluster.z},
      grid{launch.grid.x, launch.grid.y, launch.grid.z};
  for (std::uint32_t k = 0; k < 3; ++k) {
    put(kExtents + 4 * k, cluster.at(k));
    // Of any cluster's extent, 1 to 16, it is no less than the exact one, so that quotients are right.
    put(kReciprocals + 4 * k, 1.0f / static_cast<float>(cluster.at(k)));
    put(kClusters + 4 * k, grid.at(k) / cluster.at(k));
  }
  put(kBlocks, static_cast<std::uint32_t>(launch.cluster.count()));
  put(kParameters, kParametersAddress);
  if (launch.cluster.count() > 1) put(kIsCluster, std::uint32_t{1});
}

}  // namespace

std::uint32_t parameters_offset(std::string_view architecture) {
  const std::string_view number = architecture.substr(std::min<std::size_t>(3, architecture.size()));
  if (number.starts_with("10") || number.starts_with("12")) return 0x380;
  return number.starts_with("9") ? 0x210 : 0x160;
}

const MemoryOpcode* find_memory_opcode(std::string_view name) {
  static constexpr MemoryOpcode kOpcodes[] = {
      {"LDG", Space::global, AccessOp::load},        {"STG", Space::global, AccessOp::store},
      {"LDS", Space::shared, AccessOp::load},        {"STS", Space::shared, AccessOp::store},
      {"LDL", Space::local, AccessOp::load},         {"STL", Space::local, AccessOp::store},
      {"ATOMS", Space::shared, AccessOp::atomic},    {"ATOMG", Space::global, AccessOp::atomic},
      {"ATOM", Space::global, AccessOp::atomic},     {"RED", Space::global, AccessOp::reduction},
      {"LDSM", Space::shared, AccessOp::ldmatrix},   {"STSM", Space::shared, AccessOp::stmatrix},
      {"LDGSTS", Space::global, AccessOp::cp_async}, {"REDG", Space::global, AccessOp::reduction},
      {"LD", Space::global, AccessOp::load},         {"ST", Space::global, AccessOp::store}};
  const auto* const found = std::ranges::find(kOpcodes, name, &MemoryOpcode::name);
  return found == std::end(kOpcodes) ? nullptr : found;
}

bool falls_through(const Op& op) {
  if (op.action == Action::indirect_return) return !is_unconditional(op);
  if (op.action != Action::branch && op.action != Action::leave) return true;
  return !is_unconditional(op) || op.together != Together::not_asked || op.in[0].index != kTruePredicate ||
         op.in[0].negated;
}

std::vector<bool> needed_ops(const std::vector<Op>& ops) {
  std::vector<Live> before(ops.size() + 1);
  std::vector<bool> needed(ops.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = ops.size(); i-- > 0;) {
      const Op& op = ops[i];
      Live live = falls_through(op) ? before[i + 1] : Live();
      if (op.action == Action::branch || op.action == Action::call) live |= before[op.target];
      // Whoever control goes to may read anything; what is unsupported may be a RET, where it is not followed
      if (op.action == Action::indirect_return || op.action == Action::unsupported) live.set();
      if (step_back(op, live)) needed[i] = true;
      changed = changed || live != before[i];
      before[i] = live;
    }
  }
  return needed;
}

void put_constants(ConstantWords& words, std::uint64_t bank, std::uint32_t offset,
                   std::span<const std::byte> bytes) {
  for (const std::byte byte : bytes) {
    words[constant_at(bank, offset / 4 * 4)] |= std::to_integer<std::uint32_t>(byte) << (offset % 4 * 8);
    ++offset;
  }
}

std::optional<std::uint64_t> constant_bytes(const ConstantWords& words, std::uint64_t bank,
                                            std::uint32_t offset, std::uint32_t size) {
  std::uint64_t value = 0;
  if (offset % size != 0) return std::nullopt;
  for (std::uint32_t i = 0; i < size; i += 4) {
    const auto word = words.find(constant_at(bank, (offset + i) / 4 * 4));
    if (word == words.end()) return std::nullopt;
    value |= std::uint64_t{word->second} << (8 * i);
  }
  return value >> (offset % 4 * 8) & (~std::uint64_t{0} >> (64 - 8 * size));
}

Setting setting_of(const Listing& listing, const Function& function, const Launch& launch) {
  constexpr std::uint64_t kLaunchBank = 0, kLiteralBank = 2, kVariableBank = 3, kAddressBank = 4;
  Setting setting{.architecture = listing.architecture, .launch = launch, .constants = {}};
  const std::uint32_t parameters = parameters_offset(listing.architecture);
  put_constants(setting.constants, kLaunchBank, parameters, launch.parameters);
  if (listing.architecture.starts_with("sm_9")) put_cluster(setting.constants, launch);
  for (const Literals& literals : listing.literals) {
    if (literals.function == function.name)
      put_constants(setting.constants, kLiteralBank, literals.offset,
                    std::as_bytes(std::span(literals.bytes)));
  }
  for (const auto& [offset, name] : listing.variables) {
    const auto contents = launch.constants.find(name);
    if (contents != launch.constants.end())
      put_constants(setting.constants, kVariableBank, offset, contents->second);
  }
  for (const auto& [offset, name] : listing.symbols) {
    const auto address = launch.symbols.find(name);
    if (address == launch.symbols.end()) continue;
    setting.constants[constant_at(kAddressBank, offset)] = static_cast<std::uint32_t>(address->second);
    setting.constants[constant_at(kAddressBank, offset + 4)] =
        static_cast<std::uint32_t>(address->second >> 32);
  }
  return setting;
}

Program decode(const Function& function, Setting setting) {
  Program program{.function = &function,
                  .ops = {},
                  .blocks = {},
                  .block_of = {},
                  .sites = {},
                  .tried_sites = {},
                  .generic_sites = {},
                  .constants = {},
                  .words = {}};
  std::vector<Op> ops;
  for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
    ops.push_back(decode_instruction(function.instructions[i], setting));
    ops.back().instruction = i;
    add_sites(program.sites, function.instructions[i], ops.back());
    if (ops.back().is_generic) program.generic_sites.push_back(ops.back().site);
  }
  if (setting.launch.memory) mark_tries(ops);
  for (const Op& op : ops) {
    if (op.is_tried_again) program.tried_sites.push_back(op.site);
  }
  cut_into_blocks(program, ops,
                  setting.launch.memory ? std::vector<bool>(ops.size(), true) : needed_ops(ops));
  for (Op& op : program.ops) place_sources(op, program.constants);
  program.words = std::move(setting.constants);
  return program;
}

}  // namespace warplens::sass
