// Single instructions: suffixes and operands.
#include <gtest/gtest.h>

#include "kernels/ptx/opcodes.h"
#include "ptx/snippet.h"

namespace warplens::ptx {
namespace {

using Kind = Operand::Kind;

std::string register_name(const Function& function, const Operand& operand) {
  return operand.kind == Kind::reg ? function.registers.at(static_cast<std::uint32_t>(operand.reg)).name
                                   : "not a register";
}

TEST(Instruction, KeepsTextAndLine) {
  const Function function =
      parse_body("\n  @!%p1 fma.rn.f32 \t%f1,  %f2, /* why */ %f3, // that\n 0f3F800000;\nret;");
  ASSERT_EQ(function.instructions.size(), 2u);
  const Instruction& fma = function.instructions[0];
  EXPECT_EQ(fma.text, "fma.rn.f32 %f1, %f2, %f3, 0f3F800000");
  EXPECT_EQ(fma.ptx_line, kLinesBeforeBody + 2u);
  EXPECT_EQ(fma.opcode, Opcode::fma);
  EXPECT_EQ(fma.rounding, Rounding::rn);
  EXPECT_EQ(fma.type, Type::f32);
  EXPECT_EQ(fma.guard.kind, Kind::reg);
  EXPECT_TRUE(fma.guard.negated);
  EXPECT_EQ(register_name(function, fma.guard), "%p1");
  ASSERT_EQ(fma.operands.size(), 4u);
  EXPECT_EQ(register_name(function, fma.operands[2]), "%f3");
  EXPECT_EQ(fma.operands[3].bits, 0x3f800000u);
  EXPECT_EQ(fma.operands[3].immediate_type, Type::f32);
}

TEST(Instruction, BlanksMayStandBeforeASuffix) {
  const Instruction instruction = parse_instruction("@%p1 xor .b32 %r1, %r2, %r3;");
  EXPECT_EQ(instruction.opcode, Opcode::xor_);
  EXPECT_EQ(instruction.type, Type::b32);
  EXPECT_EQ(instruction.operands.size(), 3u);
  const Instruction load = parse_instruction("ld\t.global /* here */ .v2\n.u32 {%r1, %r2}, [%rd1];");
  EXPECT_EQ(load.opcode, Opcode::ld);
  EXPECT_EQ(load.space, StateSpace::global);
  EXPECT_EQ(load.vector, 2);
  EXPECT_EQ(parse_instruction("xor .b33 %r1, %r2, %r3;").opcode, Opcode::unsupported);
}

TEST(Instruction, Literals) {
  const auto last = [](const std::string& literal) {
    return parse_instruction("mov.b64 %rd1, " + literal + ";").operands.at(1);
  };
  EXPECT_EQ(last("12").bits, 12u);
  EXPECT_EQ(last("-12").bits, static_cast<std::uint64_t>(-12));
  EXPECT_EQ(last("-12").immediate_type, Type::s64);
  EXPECT_EQ(last("0x1Fu").bits, 0x1fu);
  EXPECT_EQ(last("0XFFFFFFFFFFFFFFFFU").bits, ~0ull);
  EXPECT_EQ(last("18446744073709551615").immediate_type, Type::u64);
  EXPECT_EQ(last("0b101").bits, 5u);
  EXPECT_EQ(last("010").bits, 8u);
  EXPECT_EQ(last("0").bits, 0u);
  EXPECT_EQ(last("0d3FF0000000000000").bits, 0x3ff0000000000000u);
  EXPECT_EQ(last("0d3FF0000000000000").immediate_type, Type::f64);
  EXPECT_EQ(last("-0f3F800000").bits, 0xbf800000u);
  EXPECT_EQ(last("1.5e-1").bits, 0x3fc3333333333333u);
  EXPECT_EQ(last("WARP_SZ").bits, 32u);
  EXPECT_EQ(parse_instruction("add.f32 %f1, %f2, 1.5;").operands.at(2).bits, 0x3fc00000u);
  EXPECT_EQ(parse_instruction("cvt.rn.f32.f64 %f1, 1.5;").operands.at(1).bits, 0x3ff8000000000000u);
}

TEST(Instruction, Addresses) {
  const auto address = [](const std::string& text) {
    return parse_instruction(".shared .b8 buffer[64]; ld.u32 %r1, " + text + ";").operands.at(1);
  };
  EXPECT_EQ(address("[%rd1]").kind, Kind::address);
  EXPECT_EQ(address("[%rd1]").address_base, Kind::reg);
  EXPECT_EQ(address("[%rd1+-4]").offset, -4);
  EXPECT_EQ(address("[%rd1-4]").offset, -4);
  EXPECT_EQ(address("[ %rd1 + 0x10 ]").offset, 16);
  EXPECT_EQ(address("[buffer+8]").address_base, Kind::variable);
  EXPECT_EQ(address("[buffer+8]").offset, 8);
  EXPECT_EQ(address("[kernel_param_1]").variable, 1u);
  EXPECT_EQ(address("[4096]").address_base, Kind::immediate);
  EXPECT_EQ(address("[4096]").bits, 4096u);
}

TEST(Instruction, AddressOfVariable) {
  const Function function = parse_body(
      ".local .align 16 .b8 __local_depot0[96]; mov.u64 %rd1, __local_depot0; add.u64 %rd2, __local_depot0, "
      "4; mov.b64 %rd3, "
      "__local_depot0+12;");
  const Operand& variable = function.instructions[0].operands[1];
  ASSERT_EQ(variable.kind, Kind::variable);
  EXPECT_EQ(function.variables[variable.variable].name, "__local_depot0");
  EXPECT_EQ(function.variables[variable.variable].bytes(), 96u);
  EXPECT_EQ(function.variables[variable.variable].alignment, 16u);
  EXPECT_EQ(function.variables[variable.variable].space, StateSpace::local);
  EXPECT_EQ(function.instructions[1].opcode, Opcode::add);
  EXPECT_EQ(function.instructions[2].operands[1].offset, 12);
}

TEST(Instruction, Vectors) {
  const Function function = parse_body(
      "ld.global.v4.f32 {%f1, _, %f3, %f4}, [%rd1]; mov.b64 {%r1, %r2}, %rd1; st.shared.v2.u32 [%rd1], {%r1, "
      "7};");
  const Instruction& load = function.instructions[0];
  EXPECT_EQ(load.vector, 4);
  ASSERT_EQ(load.operands[0].elements.size(), 4u);
  EXPECT_EQ(load.operands[0].elements[1].kind, Kind::none);
  EXPECT_EQ(register_name(function, load.operands[0].elements[3]), "%f4");
  EXPECT_EQ(function.instructions[1].operands[0].elements.size(), 2u);
  EXPECT_EQ(function.instructions[2].operands[1].elements[1].bits, 7u);
  EXPECT_EQ(parse_instruction("ld.global.v4.f32 {%f1, %f2}, [%rd1];").opcode, Opcode::unsupported);
  EXPECT_EQ(parse_instruction("ld.global.f32 {%f1, %f2}, [%rd1];").opcode, Opcode::unsupported);
  EXPECT_EQ(parse_instruction("ld.global.v2.f32 %f1, [%rd1];").opcode, Opcode::unsupported);
}

TEST(Instruction, PairedDestinations) {
  const Instruction plain = parse_instruction("shfl.sync.down.b32 %r1, %r2, 1, 31, -1;");
  EXPECT_FALSE(plain.paired_destination);
  EXPECT_EQ(plain.operands.size(), 5u);
  EXPECT_EQ(plain.shuffle, ShuffleMode::down);
  EXPECT_TRUE(plain.sync);
  const Instruction paired = parse_instruction("shfl.sync.bfly.b32 %r1|%p2, %r2, 1, 31, -1;");
  EXPECT_TRUE(paired.paired_destination);
  EXPECT_EQ(paired.operands.size(), 6u);
  const Instruction compare = parse_instruction("setp.ltu.and.ftz.f32 %p1|%p2, %f1, %f2, !%p3;");
  EXPECT_TRUE(compare.paired_destination);
  EXPECT_EQ(compare.compare, Compare::ltu);
  EXPECT_EQ(compare.bool_op, BoolOp::and_);
  EXPECT_TRUE(compare.ftz);
  EXPECT_TRUE(compare.operands.at(4).negated);
  EXPECT_EQ(parse_instruction("setp.hi.u32 %p1, %r1, %r2;").compare, Compare::hi);
  EXPECT_EQ(parse_instruction("mul.hi.u32 %r1, %r1, %r2;").mul, MulMode::hi);
}

TEST(Instruction, SpecialRegisters) {
  EXPECT_EQ(parse_instruction("mov.u32 %r1, %tid.x;").operands[1].special, SpecialRegister::tid_x);
  EXPECT_EQ(parse_instruction("mov.u32 %r1, %nctaid.z;").operands[1].special, SpecialRegister::nctaid_z);
  EXPECT_EQ(parse_instruction("mov.u64 %rd1, %clock64;").operands[1].special, SpecialRegister::clock64);
  EXPECT_EQ(parse_instruction("mov.u32 %r1, %envreg0;").operands[1].special, SpecialRegister::zero);
  EXPECT_EQ(parse_instruction("mov.u32 %r1, %envreg31;").operands[1].special, SpecialRegister::zero);
  EXPECT_EQ(parse_instruction("mov.u32 %r1, %envreg1;").operands[1].special,
            SpecialRegister::grid_workspace_high);
  EXPECT_EQ(parse_instruction("mov.u32 %r1, %envreg2;").operands[1].special,
            SpecialRegister::grid_workspace_low);
  EXPECT_EQ(parse_instruction("mov.u64 %rd1, %pm7_64;").operands[1].special, SpecialRegister::zero);
  EXPECT_EQ(parse_instruction("mov.u32 %r1, %aggr_smem_size;").operands[1].special,
            SpecialRegister::aggr_smem_size);
  for (const std::string statement :
       {"mov.u32 %r1, %envreg32", "mov.u32 %r1, %cluster_id", "mov.u32 %r1, %pm8"}) {
    const Instruction other = parse_instruction(statement + ";");
    EXPECT_EQ(other.opcode, Opcode::unsupported);
    EXPECT_EQ(other.text, statement);
  }
}

TEST(Instruction, Memory) {
  const Instruction streaming =
      parse_instruction("ld.global.nc.L1::no_allocate.L2::128B.v2.f64 {%fd1, %fd2}, [%rd1];");
  EXPECT_TRUE(streaming.non_coherent);
  EXPECT_EQ(streaming.space, StateSpace::global);
  EXPECT_EQ(streaming.vector, 2);
  EXPECT_EQ(parse_instruction("ld.u8 %rs1, [%rd1];").space, StateSpace::generic);
  EXPECT_TRUE(parse_instruction("ld.volatile.shared.u32 %r1, [%rd1];").is_volatile);
  EXPECT_EQ(parse_instruction("st.shared::cta.b32 [%r1], %r2;").space, StateSpace::shared);
  EXPECT_EQ(parse_instruction("ld.acquire.gpu.global.u32 %r1, [%rd1];").opcode, Opcode::ld);
  const Instruction remote = parse_instruction("st.shared::cluster.b32 [%r1], %r2;");
  EXPECT_EQ(remote.space, StateSpace::shared);
  EXPECT_TRUE(remote.of_cluster);
  const Instruction cas = parse_instruction("atom.acq_rel.cta.shared.cas.b32 %r1, [%r2], %r3, %r4;");
  EXPECT_EQ(cas.atomic, AtomicOp::cas);
  EXPECT_EQ(cas.space, StateSpace::shared);
  EXPECT_EQ(cas.operands.size(), 4u);
  EXPECT_EQ(parse_instruction("atom.global.add.noftz.f16x2 %r1, [%rd1], %r2;").type, Type::f16x2);
  EXPECT_EQ(parse_instruction("red.global.max.s32 [%rd1], %r2;").atomic, AtomicOp::max);
  EXPECT_EQ(parse_instruction("membar.sys;").opcode, Opcode::membar);
  EXPECT_EQ(parse_instruction("fence.sc.gpu;").opcode, Opcode::fence);
}

TEST(Instruction, FencesOfEveryForm) {
  for (const char* form :
       {"acq_rel.cta", "acquire.cluster", "release.sys", "mbarrier_init.release.cluster", "proxy.alias",
        "proxy.async", "proxy.async.global", "proxy.async.shared::cta", "proxy.async.shared::cluster",
        "proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster",
        "proxy.async::generic.release.sync_restrict::shared::cta.cluster",
        "acquire.sync_restrict::shared::cluster.cluster", "release.sync_restrict::shared::cta.cluster"}) {
    EXPECT_EQ(parse_instruction(std::string("fence.") + form + ";").opcode, Opcode::fence) << form;
  }
  for (const char* form : {"proxy.alias", "proxy.async", "proxy.async.global", "proxy.async.shared::cta"})
    EXPECT_EQ(parse_instruction(std::string("membar.") + form + ";").opcode, Opcode::membar) << form;
}

TEST(Instruction, AddressSpaceConversions) {
  const Instruction to = parse_instruction("cvta.to.global.u64 %rd1, %rd2;");
  EXPECT_EQ(to.space, StateSpace::generic);
  EXPECT_EQ(to.to_space, StateSpace::global);
  const Instruction from = parse_instruction("cvta.local.u64 %rd1, %rd2;");
  EXPECT_EQ(from.space, StateSpace::local);
  EXPECT_EQ(from.to_space, StateSpace::generic);
  EXPECT_EQ(parse_instruction("isspacep.shared %p1, %rd2;").space, StateSpace::shared);
}

TEST(Instruction, Barriers) {
  const Instruction sync = parse_instruction("bar.sync 0;");
  EXPECT_EQ(sync.opcode, Opcode::bar);
  EXPECT_EQ(sync.barrier, BarrierMode::sync);
  EXPECT_TRUE(sync.aligned);
  EXPECT_EQ(parse_instruction("bar.cta.sync 0, 64;").operands.size(), 2u);
  const Instruction barrier = parse_instruction("barrier.sync 0;");
  EXPECT_EQ(barrier.opcode, Opcode::barrier);
  EXPECT_FALSE(barrier.aligned);
  EXPECT_TRUE(parse_instruction("barrier.cta.sync.aligned 1;").aligned);
  EXPECT_EQ(parse_instruction("bar.arrive 1, 64;").barrier, BarrierMode::arrive);
  EXPECT_EQ(parse_instruction("bar.red.popc.u32 %r1, 0, %p1;").barrier, BarrierMode::red_popc);
  EXPECT_EQ(parse_instruction("bar.red.and.pred %p2, 0, 64, !%p1;").operands.size(), 4u);
  EXPECT_EQ(parse_instruction("bar.warp.sync 0xffffffff;").opcode, Opcode::bar_warp_sync);
  EXPECT_FALSE(is_barrier(parse_instruction("barrier.cluster.arrive.release.aligned;"))) << "not the block's";
}

TEST(Instruction, Conversions) {
  const Instruction cvt = parse_instruction("cvt.rzi.ftz.sat.s32.f32 %r1, %f1;");
  EXPECT_EQ(cvt.type, Type::s32);
  EXPECT_EQ(cvt.source_type, Type::f32);
  EXPECT_EQ(cvt.rounding, Rounding::rzi);
  EXPECT_TRUE(cvt.ftz);
  EXPECT_TRUE(cvt.sat);
  EXPECT_EQ(parse_instruction("cvt.rn.bf16x2.f32 %r1, %f1, %f2;").operands.size(), 3u);
  const Instruction tiny = parse_instruction("cvt.rn.satfinite.relu.e4m3x2.f32 %rs1, %f1, %f2;");
  EXPECT_EQ(tiny.type, Type::e4m3x2);
  EXPECT_TRUE(tiny.sat_finite);
  EXPECT_FALSE(tiny.sat);
  EXPECT_EQ(parse_instruction("cvt.rn.f16x2.e5m2x2 %r1, %rs1;").source_type, Type::e5m2x2);
  EXPECT_EQ(parse_instruction("cvt.pack.sat.s8.s32.b32 %r1, %r2, %r3, %r4;").b_type, Type::b32);
}

TEST(Instruction, MatrixInstructions) {
  const Instruction mma = parse_instruction(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, "
      "%r6}, {%f1, %f2, %f3, %f4};");
  EXPECT_EQ(mma.opcode, Opcode::mma);
  EXPECT_EQ(mma.m, 16);
  EXPECT_EQ(mma.n, 8);
  EXPECT_EQ(mma.k, 16);
  EXPECT_EQ(mma.type, Type::f32);
  EXPECT_EQ(mma.source_type, Type::f16);
  EXPECT_EQ(mma.b_type, Type::f16);
  EXPECT_EQ(mma.c_type, Type::f32);
  EXPECT_EQ(mma.layouts, 2);
  EXPECT_EQ(mma.by_columns, 2) << "of B";
  const Instruction load =
      parse_instruction("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r1, %r2, %r3, %r4}, [%r5];");
  EXPECT_EQ(load.matrices, 4);
  EXPECT_TRUE(load.transposed);
  EXPECT_EQ(load.space, StateSpace::shared);
  EXPECT_EQ(parse_instruction("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1}, [%r5];").opcode,
            Opcode::unsupported);
  const Instruction copy = parse_instruction("cp.async.cg.shared.global.L2::128B [%r1], [%rd1], 16, %r2;");
  EXPECT_EQ(copy.opcode, Opcode::cp_async);
  EXPECT_TRUE(copy.cache_global);
  EXPECT_EQ(copy.space, StateSpace::shared);
  EXPECT_EQ(copy.operands.size(), 4u);
  EXPECT_FALSE(parse_instruction("cp.async.ca.shared.global [%r1], [%rd1], 4;").cache_global);
  EXPECT_EQ(parse_instruction("cp.async.wait_group 1;").opcode, Opcode::cp_async_wait_group);
}

TEST(Instruction, OperationsOnMbarriers) {
  const std::pair<const char*, Opcode> kForms[] = {
      {"mbarrier.init.shared::cta.b64 [%r1], 32;", Opcode::mbarrier_init},
      {"mbarrier.inval.b64 [%rd1];", Opcode::mbarrier_inval},
      {"mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], %r2;", Opcode::mbarrier_expect_tx},
      {"mbarrier.complete_tx.shared.b64 [%r1], 16;", Opcode::mbarrier_complete_tx},
      {"mbarrier.arrive.shared.b64 %rd1, [%r1];", Opcode::mbarrier_arrive},
      {"mbarrier.arrive.release.cta.shared::cta.b64 _, [%r1+8], %r2;", Opcode::mbarrier_arrive},
      {"mbarrier.arrive.noComplete.shared.b64 %rd1, [%r1], 2;", Opcode::mbarrier_arrive_no_complete},
      {"mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%r1], %r2;",
       Opcode::mbarrier_arrive_expect_tx},
      {"mbarrier.arrive_drop.shared.b64 %rd1, [%r1];", Opcode::mbarrier_arrive_drop},
      {"mbarrier.arrive_drop.noComplete.shared.b64 %rd1, [%r1], 2;",
       Opcode::mbarrier_arrive_drop_no_complete},
      {"mbarrier.arrive_drop.expect_tx.shared.b64 _, [%r1], 2;", Opcode::mbarrier_arrive_drop_expect_tx},
      {"mbarrier.test_wait.shared.b64 %p1, [%r1], %rd1;", Opcode::mbarrier_test_wait},
      {"mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 %p1, [%r1], %r2;",
       Opcode::mbarrier_test_wait_parity},
      {"mbarrier.try_wait.shared.b64 %p1, [%r1], %rd1, %r3;", Opcode::mbarrier_try_wait},
      {"mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 1;", Opcode::mbarrier_try_wait_parity},
      {"mbarrier.pending_count.b64 %r1, %rd1;", Opcode::mbarrier_pending_count},
      {"cp.async.mbarrier.arrive.shared.b64 [%r1];", Opcode::cp_async_mbarrier_arrive},
      {"cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r1];", Opcode::cp_async_mbarrier_arrive_noinc}};
  for (const auto& [text, opcode] : kForms) {
    const Instruction instruction = parse_instruction(text);
    EXPECT_EQ(instruction.opcode, opcode) << text;
    if (opcode == Opcode::mbarrier_pending_count) continue;
    const auto effect = memory_effect_in(instruction, StateSpace::shared);
    ASSERT_TRUE(effect) << text;
    EXPECT_FALSE(effect->recorded) << text;
    EXPECT_EQ(effect->bytes, 8u) << text;
    EXPECT_EQ(effect->writes, !is_mbarrier_wait(instruction)) << text;
    EXPECT_EQ(instruction.operands.at(effect->address).kind, Operand::Kind::address) << text;
  }
  for (const char* text :
       {"mbarrier.init.global.b64 [%rd1], 1;", "mbarrier.init.shared.b32 [%r1], 1;",
        "mbarrier.init.shared.b64 [%r1];", "mbarrier.arrive.expect_tx.shared.b64 %rd1, [%r1];"})
    EXPECT_EQ(parse_instruction(text).opcode, Opcode::unsupported) << text;
}

TEST(Instruction, ProductsOfMatrices) {
  EXPECT_EQ(parse_instruction("mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f1};")
                .by_columns,
            1)
      << "of A";
  const Instruction saturating = parse_instruction(
      "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.u4.s4.s32 {%r1, %r2}, {%r3}, {%r4}, {%r5, %r6};");
  EXPECT_TRUE(saturating.sat_finite);
  EXPECT_EQ(saturating.k, 32);
  EXPECT_EQ(saturating.source_type, Type::u4);
  EXPECT_EQ(saturating.b_type, Type::s4);
  const Instruction bits = parse_instruction(
      "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc {%r1, %r2, %r3, %r4}, {%r5, %r6, %r7, %r8}, "
      "{%r9, "
      "%r10}, {%r1, %r2, %r3, %r4};");
  EXPECT_EQ(bits.bool_op, BoolOp::xor_);
  EXPECT_EQ(bits.k, 256);
  EXPECT_EQ(bits.source_type, Type::b1);
  const Instruction narrow = parse_instruction(
      "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16 {%r1, %r2}, {%r3, %r4, %r5, %r6}, {%r7, %r8}, "
      "{%r9, %r10};");
  EXPECT_EQ(narrow.source_type, Type::e4m3);
  EXPECT_EQ(narrow.b_type, Type::e5m2);
  const Instruction rounded = parse_instruction(
      "mma.sync.aligned.m8n8k4.row.col.rz.f64.f64.f64.f64 {%fd1, %fd2}, {%fd3}, {%fd4}, {%fd1, %fd2};");
  EXPECT_EQ(rounded.rounding, Rounding::rz);
  EXPECT_EQ(rounded.type, Type::f64);
}

TEST(Instruction, ProductsOfSparseMatrices) {
  const Instruction sparse = parse_instruction(
      "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, "
      "{%r5, %r6, "
      "%r7, %r8}, {%f1, %f2, %f3, %f4}, %r9, 0x1;");
  EXPECT_EQ(sparse.opcode, Opcode::mma_sp);
  ASSERT_EQ(sparse.operands.size(), 6u);
  EXPECT_EQ(sparse.operands[5].bits, 1u);
  const Instruction ordered = parse_instruction(
      "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.e4m3.e5m2.f32 {%f1, %f2, %f3, %f4}, {%r1, "
      "%r2, %r3, "
      "%r4}, {%r5, %r6, %r7, %r8}, {%f1, %f2, %f3, %f4}, %r9, 0;");
  EXPECT_EQ(ordered.opcode, Opcode::mma_sp_ordered);
  EXPECT_EQ(ordered.k, 64);
}

TEST(Instruction, ProductsOfFragments) {
  const Instruction halves = parse_instruction(
      "wmma.mma.sync.aligned.col.row.m32n8k16.f16.f32 {%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4, %r5, %r6, "
      "%r7, %r8}, "
      "{%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8};");
  EXPECT_EQ(halves.opcode, Opcode::wmma_mma);
  EXPECT_EQ(halves.type, Type::f16);
  EXPECT_EQ(halves.source_type, Type::f16);
  EXPECT_EQ(halves.b_type, Type::f16);
  EXPECT_EQ(halves.c_type, Type::f32);
  EXPECT_EQ(halves.by_columns, 1);
  EXPECT_EQ(halves.m, 32);
  const Instruction integers = parse_instruction(
      "wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32.satfinite {%r1, %r2}, {%r3}, {%r4}, {%r5, %r6};");
  EXPECT_TRUE(integers.sat_finite);
  EXPECT_EQ(integers.source_type, Type::s4);
  const Instruction bits = parse_instruction(
      "wmma.mma.and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 {%r1, %r2}, {%r3}, {%r4}, {%r5, %r6};");
  EXPECT_EQ(bits.bool_op, BoolOp::and_);
  EXPECT_EQ(bits.k, 128);
}

TEST(Instruction, OtherProductsAreKeptAsUnknown) {
  for (const char* product :
       {"mma.sync.aligned.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f1}",
        "mma.sync.aligned.m16n8k16.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f1}",
        "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32 {%r1}, {%r1}, {%r2}, {%r1}",
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32.xor.popc {%r1}, {%r1}, {%r2}, {%r1}",
        "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e2m3.f32 {%f1}, {%r1}, {%r2}, {%f1}",
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f1}",
        "wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8 {%r1}, {%r1}, {%r2}, {%r1}",
        "ld.global.b1 %r1, [%rd1]", "mov.e4m3 %r1, %r2"})
    EXPECT_EQ(parse_instruction(std::string(product) + ";").opcode, Opcode::unsupported) << product;
}

TEST(Instruction, Modifiers) {
  EXPECT_TRUE(parse_instruction("add.cc.u32 %r1, %r2, %r3;").carry_out);
  EXPECT_TRUE(parse_instruction("shf.l.wrap.b32 %r1, %r2, %r3, %r4;").left);
  EXPECT_TRUE(parse_instruction("shf.r.clamp.b32 %r1, %r2, %r3, %r4;").clamp);
  EXPECT_TRUE(parse_instruction("bfind.shiftamt.u32 %r1, %r2;").shiftamt);
  EXPECT_TRUE(parse_instruction("vabsdiff4.u32.u32.u32.add %r1, %r2, %r3, %r4;").secondary == AtomicOp::add);
  EXPECT_TRUE(parse_instruction("vabsdiff2.s32.s32.s32.sat %r1, %r2, %r3, %r4;").secondary == AtomicOp::none);
  const Instruction parts = parse_instruction("vadd.s32.u32.s32.sat.min %r1.h0, %r2.b3, %r3, %r4;");
  EXPECT_EQ(parts.secondary, AtomicOp::min);
  EXPECT_EQ(parts.operands[0].part, "h0");
  EXPECT_EQ(parts.operands[1].part, "b3");
  EXPECT_EQ(parts.operands[1].kind, Kind::reg);
  EXPECT_EQ(parts.operands[2].part, "");
  const Instruction product = parse_instruction("vmad.s32.s32.s32.sat.shr15 %r1, -%r2.h1, %r3.h0, %r4;");
  EXPECT_EQ(product.scale, 15);
  EXPECT_TRUE(product.operands[1].minus);
  EXPECT_FALSE(product.operands[2].minus);
  EXPECT_EQ(
      parse_instruction("atom.global.cas.L2::cache_hint.b64 %rd1, [%rd2], %rd3, %rd4, %rd5;").operands.size(),
      5u);
  EXPECT_EQ(parse_instruction("red.global.v4.f32.add [%rd1], {%f1, %f2, %f3, %f4};").vector, 4);
  EXPECT_EQ(parse_instruction("createpolicy.fractional.L2::evict_last.b64 %rd1, 0.5;").opcode,
            Opcode::createpolicy_fractional);
  EXPECT_EQ(parse_instruction("applypriority.global.L2::evict_normal [%rd1], 128;").opcode,
            Opcode::applypriority);
  EXPECT_EQ(parse_instruction("prmt.b32.rc16 %r1, %r2, %r3, %r4;").permute, PermuteMode::rc16);
  EXPECT_EQ(parse_instruction("testp.subnormal.f32 %p1, %f1;").test, FloatTest::subnormal);
  EXPECT_TRUE(parse_instruction("max.NaN.xorsign.abs.f16 %rs1, %rs2, %rs3;").xor_sign);
  EXPECT_TRUE(parse_instruction("fma.rn.relu.f16x2 %r1, %r2, %r3, %r4;").relu);
  EXPECT_TRUE(parse_instruction("div.full.f32 %f1, %f2, %f3;").full);
  EXPECT_EQ(parse_instruction("vote.sync.ballot.b32 %r1, !%p1, %r2;").vote, VoteMode::ballot);
  EXPECT_EQ(parse_instruction("match.all.sync.b32 %r1|%p1, %r2, -1;").vote, VoteMode::all);
  EXPECT_EQ(parse_instruction("redux.sync.add.s32 %r1, %r2, -1;").atomic, AtomicOp::add);
  EXPECT_EQ(parse_instruction("slct.f32.s32 %f1, %f2, %f3, %r1;").source_type, Type::s32);
  EXPECT_EQ(parse_instruction("dp2a.lo.s32.u32 %r1, %r2, %r3, %r4;").mul, MulMode::lo);
  const Instruction texel =
      parse_instruction("tex.a2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd1, {%r5, %f1, %f2, %f2}];");
  EXPECT_EQ(texel.opcode, Opcode::tex);
  EXPECT_EQ(texel.texture, TextureGeometry::layered_two);
  ASSERT_EQ(texel.operands.size(), 3u);
  EXPECT_EQ(texel.operands[1].kind, Kind::reg);
  EXPECT_EQ(texel.operands[2].elements.size(), 4u);
  EXPECT_EQ(
      parse_instruction("tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}], %f7;").opcode,
      Opcode::tex_level);
  EXPECT_EQ(parse_instruction(
                "tex.grad.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}], {%f1, %f2}, {%f3, %f4};")
                .opcode,
            Opcode::tex_grad);
  EXPECT_EQ(parse_instruction("tld4.g.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];").opcode,
            Opcode::tld4_g);
  EXPECT_EQ(
      parse_instruction("tex.acube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%r5, %f5, %f6, %f7}];").texture,
      TextureGeometry::layered_cube);
  EXPECT_EQ(parse_instruction("suld.b.1d.v2.b16.zero {%rs1, %rs2}, [%rd1, {%r1}];").beyond,
            BeyondSurface::zero);
  EXPECT_EQ(parse_instruction("sust.b.3d.b32.trap [%rd1, {%r1, %r2, %r3, %r3}], {%r4};").opcode,
            Opcode::sust);
  EXPECT_EQ(parse_instruction("setmaxnreg.inc.sync.aligned.u32 232;").opcode, Opcode::setmaxnreg_inc);
  EXPECT_EQ(parse_instruction("setmaxnreg.dec.sync.aligned.u32 40;").opcode, Opcode::setmaxnreg_dec);
}

TEST(Instruction, BulkCopies) {
  const Instruction load = parse_instruction(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster."
      "L2::"
      "cache_hint [%r1], [%rd1, {%r2, %r3}], [%r4], %rs1, %rd2;");
  EXPECT_EQ(load.opcode, Opcode::cp_async_bulk_tensor);
  EXPECT_EQ(load.space, StateSpace::global);
  EXPECT_EQ(load.to_space, StateSpace::shared);
  EXPECT_EQ(load.dimensions, 2);
  EXPECT_TRUE(load.completes_at_mbarrier && load.multicast && load.has_cache_policy);
  EXPECT_EQ(load.operands.size(), 6u);
  const MemoryEffects effects = memory_effects(load);
  EXPECT_EQ(effects.begin()->space, StateSpace::global);
  EXPECT_TRUE(effects.begin()->reads);
  EXPECT_EQ((effects.end() - 1)->space, StateSpace::shared);
  EXPECT_TRUE((effects.end() - 1)->writes);
  const Instruction store = parse_instruction(
      "cp.async.bulk.tensor.5d.global.shared::cta.bulk_group [%rd1, {%r1, %r2, %r3, %r4, %r5}], [%r6];");
  EXPECT_EQ(store.to_space, StateSpace::global);
  EXPECT_EQ(store.operands.at(1).elements.size(), 5u);
  const Instruction reduction = parse_instruction(
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [%rd1], [%r1], %r2;");
  EXPECT_EQ(reduction.atomic, AtomicOp::add);
  EXPECT_EQ(reduction.type, Type::bf16);
  EXPECT_TRUE(memory_effect_in(reduction, StateSpace::global)->reads);
  EXPECT_EQ(parse_instruction("cp.async.bulk.wait_group.read 1;").opcode,
            Opcode::cp_async_bulk_wait_group_read);
  EXPECT_EQ(parse_instruction("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd1, {%r1, %r2}];").opcode,
            Opcode::cp_async_bulk_prefetch_tensor);
}

TEST(Instruction, ParsesTensormapReplace) {
  const Instruction replace =
      parse_instruction("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%rd1+128], 1, %rd2;");
  EXPECT_EQ(replace.opcode, Opcode::tensormap_replace);
  EXPECT_EQ(replace.map_field, TensorMapField::global_stride);
  EXPECT_EQ(replace.space, StateSpace::shared);
  EXPECT_EQ(replace.type, Type::b64);
  EXPECT_EQ(replace.operands.size(), 3u);
  EXPECT_TRUE(may_write(replace, StateSpace::shared));
  EXPECT_FALSE(memory_effect_in(replace, StateSpace::shared)->recorded);
  EXPECT_EQ(parse_instruction("tensormap.replace.tile.rank.b1024.b32 [%rd1], 1;").space, StateSpace::generic);
  EXPECT_EQ(parse_instruction("tensormap.replace.tile.b1024.b32 [%rd1], 1;").opcode, Opcode::unsupported);
  const Instruction copy = parse_instruction(
      "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%r1], "
      "128;");
  EXPECT_EQ(copy.opcode, Opcode::tensormap_copy);
  EXPECT_TRUE(may_write(copy, StateSpace::global));
  EXPECT_TRUE(may_read(copy, StateSpace::shared));
}

TEST(Instruction, ParsesAsynchronousStoresAndReductions) {
  const Instruction store = parse_instruction(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.s64 [%r1], {%rd1, %rd2}, [%r2+8];");
  EXPECT_EQ(store.opcode, Opcode::st_async);
  EXPECT_EQ(store.vector, 2);
  EXPECT_TRUE(store.completes_at_mbarrier);
  EXPECT_TRUE(store.of_cluster);
  EXPECT_EQ(store.operands.at(2).offset, 8);
  const Instruction reduction = parse_instruction("red.async.relaxed.cluster.min.u32 [%rd1], %r1, [%rd2];");
  EXPECT_EQ(reduction.opcode, Opcode::red_async);
  EXPECT_EQ(reduction.space, StateSpace::generic);
  EXPECT_TRUE(reduction.completes_at_mbarrier) << "where none is named, too";
  EXPECT_EQ(parse_instruction("st.async.release.gpu.global.u32 [%rd1], %r1;").opcode, Opcode::unsupported);
}

TEST(Instruction, WarpgroupProducts) {
  const Instruction product = parse_instruction(
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1, %f2, %f3, %f4}, %rd1, %rd2, %p1, 1, -1, 0, "
      "1;");
  EXPECT_EQ(product.opcode, Opcode::wgmma_mma_async);
  EXPECT_EQ(product.n, 8);
  EXPECT_EQ(product.b_type, Type::bf16);
  const MemoryEffects of_both = memory_effects(product);
  EXPECT_EQ(of_both.end() - of_both.begin(), 2) << "A and B";
  const Instruction registers = parse_instruction(
      "wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.s8 {%r1, %r2, %r3, %r4}, {%r5, %r6, %r7, %r8}, %rd2, "
      "%p1;");
  const MemoryEffects of_b = memory_effects(registers);
  EXPECT_EQ(of_b.end() - of_b.begin(), 1) << "B alone";
}

TEST(Instruction, UnknownInstructionsAreKept) {
  for (const std::string statement :
       {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}], {%r1, %r2}",
        "tex.grad.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}], {%f1, %f2}",
        "suld.b.cube.b32.zero {%r1}, [%rd1, {%r2, %r3}]",
        "sust.p.2d.v4.b32.trap [%rd1, {%r1, %r2}], {%r1, %r2, %r3, %r4}",
        "suld.b.2d.b32 {%r1}, [%rd1, {%r2, %r3}]",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16 {%f1}, %rd1, %rd2, %p1",
        "add.s33 %r1, %r2, %r3",
        "add.s32 %r1, %r2",
        "add.s32 %r1, %r2, %r3, %r4",
        "add.s32 5, %r2, %r3",
        "ld.global.f32 %f1, %rd1",
        "cp.async.bulk.shared::cta.global.bulk_group [%r1], [%rd1], 16",
        "add %r1, %r2, %r3",
        "vabsdiff4.u32.u32.u32.mul %r1, %r2, %r3, %r4",
        "vabsdiff4.u32.u32 %r1, %r2, %r3, %r4",
        "add.u32 %r1, %r2.b0, %r3",
        "add.u32 %r1, -%r2, %r3",
        "vadd.u32.u32.u32 %r1, {%r2.b0, %r3}, %r4",
        "add.u32 %r1, %r2.c0, %r3",
        "cp.async.bulk.tensor.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], "
        "[%r4]"}) {
    const Instruction instruction = parse_instruction("@%p1 " + statement + ";");
    EXPECT_EQ(instruction.opcode, Opcode::unsupported) << statement;
    EXPECT_EQ(instruction.text, statement);
    EXPECT_TRUE(instruction.operands.empty()) << statement;
    EXPECT_EQ(instruction.guard.kind, Kind::reg);
  }
}

}  // namespace
}  // namespace warplens::ptx
