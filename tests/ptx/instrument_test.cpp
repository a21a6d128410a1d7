#include "kernels/ptx/instrument/instrument.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "kernels/ptx/flatten.h"
#include "kernels/ptx/grid_barrier.h"
#include "kernels/ptx/opcodes.h"
#include "kernels/ptx/parser.h"
#include "kernels/ptx/raise_target.h"
#include "kernels/ptx/statements.h"

namespace warplens::ptx {
namespace {

std::vector<std::filesystem::path> ptx_files() {
  std::vector<std::filesystem::path> files;
  for (const char* folder : {WARPLENS_TEST_DATA "/ptx", WARPLENS_TEST_DATA "/../../assets/ptx"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".ptx") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string read(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

bool has_call(const Function& function) {
  return std::any_of(function.instructions.begin(), function.instructions.end(),
                     [](const Instruction& i) { return i.opcode == Opcode::call; });
}

bool reads_texels(const Function& function) {
  return std::any_of(function.instructions.begin(), function.instructions.end(),
                     [](const Instruction& i) { return i.texture != TextureGeometry::none; });
}

const InstrumentOptions kAllOptions[] = {
    {.mode = RecordMode::totals, .threads_per_block = 1024, .choose_blocks = false},
    {.mode = RecordMode::totals, .threads_per_block = 64, .one_window = true, .choose_blocks = true},
    {.mode = RecordMode::events, .threads_per_block = 256, .choose_blocks = false}};

/// The recorder on the GPU does not know bulk copies yet.
bool has_bulk_copies(const Function& function) {
  return std::ranges::any_of(function.instructions,
                             [](const Instruction& instruction) { return is_bulk_copy(instruction); });
}

/// Where the pieces of wmma.load and wmma.store lie is not known to kernels/ptx.
bool has_fragments(const Function& function) {
  return std::ranges::any_of(function.instructions, [](const Instruction& instruction) {
    return effect_of(instruction) == Effect::load_fragment ||
           effect_of(instruction) == Effect::store_fragment;
  });
}

template <class Check>
void for_each_entry(Check check) {
  for (const auto& path : ptx_files()) {
    const Result<Module> module = parse(read(path), path.filename().string());
    ASSERT_TRUE(module.ok()) << module.error().message();
    for (const Function& function : module->functions) {
      if (!function.is_entry || has_call(function) || waits_for_grid(*module, function) ||
          reads_texels(function) || has_fragments(function) || has_bulk_copies(function))
        continue;
      SCOPED_TRACE(path.filename().string() + ": " + function.plain_name);
      check(*module, function);
    }
  }
}

TEST(Statements, LieWhereTheInstructionsAre) {
  for_each_entry([](const Module& module, const Function& function) {
    for (const FunctionText& place : locate_functions(module.text)) {
      if (place.name != function.name || place.instructions.empty()) continue;
      ASSERT_LE(function.instructions.size() - place.instructions.size(), 1u);
      for (std::size_t i = 0; i < place.instructions.size(); ++i) {
        const std::string_view text =
            std::string_view(module.text)
                .substr(place.instructions[i].begin, place.instructions[i].end - place.instructions[i].begin);
        const std::string opcode =
            function.instructions[i].text.substr(0, function.instructions[i].text.find(' '));
        EXPECT_NE(text.find(opcode.substr(0, opcode.find(';'))), std::string_view::npos) << text;
      }
    }
  });
}

TEST(Segments, HoldEveryInstructionOnceInOrder) {
  for_each_entry([](const Module&, const Function& function) {
    std::uint32_t at = 0;
    for (const Segment& segment : find_segments(function, analyse_control_flow(function))) {
      EXPECT_EQ(segment.first, at);
      EXPECT_GT(segment.end, segment.first);
      std::uint32_t counted = segment.unguarded;
      for (const GuardGroup& group : segment.guards)
        counted += static_cast<std::uint32_t>(group.instructions.size());
      for (const AccessGroup& group : segment.accesses) {
        if (group.guard.kind == Operand::Kind::reg)
          counted += static_cast<std::uint32_t>(group.members.size());
      }
      const Instruction& last = function.instructions[segment.end - 1];
      const bool may_extrapolate =
          last.guard.kind == Operand::Kind::reg &&
          (last.opcode == Opcode::bra || last.opcode == Opcode::ret || last.opcode == Opcode::exit);
      EXPECT_GE(counted + (may_extrapolate ? 1 : 0), segment.end - segment.first);
      EXPECT_LE(counted, segment.end - segment.first);
      at = segment.end;
    }
    EXPECT_EQ(at, function.instructions.size());
  });
}

TEST(Segments, AccessesOffOneAddressAreOneGroup) {
  const Result<Module> module = parse(read(WARPLENS_TEST_DATA "/../../assets/ptx/tiled.ptx"), "tiled.ptx");
  ASSERT_TRUE(module.ok());
  const Function& function = *module->find_entry("tiled<32>");
  std::size_t largest = 0, groups = 0;
  for (const Segment& segment : find_segments(function, analyse_control_flow(function))) {
    if (!segment.in_loop) continue;
    groups += segment.accesses.size();
    for (const AccessGroup& group : segment.accesses) largest = std::max(largest, group.members.size());
  }
  EXPECT_EQ(largest, 32u) << "the 32 loads of a row of A's tile";
  EXPECT_EQ(groups, 6u) << "two loads and two stores of the fill, and a row and a column of the tiles";
}

/// Without scopes, whose names change.
Function flat(const Module& module, const Function& function) {
  for (const FunctionText& place : locate_functions(module.text)) {
    if (place.name != function.name || place.instructions.empty()) continue;
    const Result<Module> made = parse(flatten(module.text, place), module.name);
    EXPECT_TRUE(made.ok()) << made.error().message();
    return *made->find_entry(function.name);
  }
  return function;
}

TEST(Flatten, ChangesNamesAlone) {
  for_each_entry([](const Module& module, const Function& function) {
    const Function other = flat(module, function);
    ASSERT_EQ(other.instructions.size(), function.instructions.size());
    EXPECT_EQ(other.variables.size(), function.variables.size());
    for (std::size_t i = 0; i < function.instructions.size(); ++i) {
      const Instruction &a = function.instructions[i], &b = other.instructions[i];
      EXPECT_EQ(a.text.substr(0, a.text.find(' ')), b.text.substr(0, b.text.find(' ')));
      EXPECT_EQ(a.location, b.location);
      ASSERT_EQ(a.operands.size(), b.operands.size());
      for (std::size_t k = 0; k < a.operands.size(); ++k) EXPECT_EQ(a.operands[k].label, b.operands[k].label);
    }
  });
}

TEST(Flatten, GivesEveryNameOneMeaning) {
  const std::string text =
      ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<3>, a;\nmov.u32 "
      "%r1, 1;\n{\n.reg .b32 %r<2>, b;\n"
      "L:\nmov.u32 %r1, %r2;\n@p bra L;\n}\n.reg .pred p;\n{\n.reg .v2 .b32 a;\nL:\nmov.u32 b.x, a.y;\n@!p "
      "bra L;\n}\nret;\n}\n";
  const std::string made = flatten(text, locate_functions(text).front());
  EXPECT_EQ(
      made.substr(made.find("{\n")),
      "{\n.reg .b32 %r<3>, a;\n.reg .b32 %r_wl1_<2>, b_wl1;\n.reg .pred p_wl0;\n.reg .v2 .b32 "
      "a_wl2;\nmov.u32 %r1, 1;\nL_wl1:\n"
      "mov.u32 %r_wl1_1, %r2;\n@p bra L_wl1;\nL_wl2:\nmov.u32 b.x, a_wl2.y;\n@!p_wl0 bra L_wl2;\nret;\n}\n");
}

std::string flat_body(const std::string& head, const std::string& body) {
  const std::string text =
      ".version 8.0\n.target sm_75\n.address_size 64\n" + head + ".visible .entry k()\n{\n" + body + "}\n";
  const std::string made = flatten(text, locate_functions(text).back());
  return made.substr(made.rfind("{\n") + 2, made.rfind('}') - made.rfind("{\n") - 2);
}

TEST(Flatten, KeepsWhatNamesMeantBeforeTheyWereHidden) {
  EXPECT_EQ(flat_body(".global .b32 g;\n", "mov.u64 a, g;\n.shared .b32 g;\nst.shared.b32 [g], 2;\nret;\n"),
            ".shared .b32 g_wl0;\nmov.u64 a, g;\nst.shared.b32 [g_wl0], 2;\nret;\n");
  EXPECT_EQ(
      flat_body("", ".reg .b32 %r3;\nmov.b32 %r3, 7;\n{ .reg .b32 %r<0x10>; mov.b32 %r3, %r12; }\nret;\n"),
      ".reg .b32 %r3;\n.reg .b32 %r_wl1_<0x10>;\nmov.b32 %r3, 7;\nmov.b32 %r_wl1_3, %r_wl1_12;\nret;\n");
}

TEST(Flatten, TakesOtherSuffixesWhereSomebodyHasThem) {
  EXPECT_EQ(flat_body(".global .b32 x_wl1;\n",
                      "mov.u64 a, x_wl1;\n{ .shared .b32 x; st.shared.b32 [x], 2; }\nret;\n"),
            ".shared .b32 x_wl_1;\nmov.u64 a, x_wl1;\nst.shared.b32 [x_wl_1], 2;\nret;\n");
}

TEST(Statements, ALocationEndsWhereItsWordsDo) {
  const std::string text =
      ".version 8.0\n.target sm_75\n.entry k()\n.pragma \"a\";\n{\n.loc 1 2 3 mov.b32 %z, 4;\n.loc 1 5\n6, "
      "function_name $x + 4, inlined_at 1 2 3\n"
      "{ ret; }\n.loc 1 7 8 }\n";
  const std::vector<FunctionText> found = locate_functions(text);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].instructions.size(), 2u);
  EXPECT_FALSE(found[0].is_flat);
  EXPECT_EQ(text.substr(found[0].whole.end), "\n");
}

TEST(Statements, DeclarationsBehindALabelAreNotFlat) {
  for (const char* const body :
       {"L: .shared .b32 s; ret;", "L: ret; .pragma \"nounroll\"; T: .branchtargets L;"}) {
    const std::string text = std::string(".version 8.0\n.target sm_75\n.entry k()\n{\n") + body + "}\n";
    EXPECT_EQ(locate_functions(text).at(0).is_flat,
              std::string_view(body).find(".shared") == std::string_view::npos)
        << body;
  }
}

TEST(RaiseTarget, GivesLanesTheirOwnSchedules) {
  const auto raised = [](const std::string& version, const std::string& target) {
    return raise_target("//\n.version " + version + "\n.target " + target + "\n.address_size 64\n", false);
  };
  const auto as = [](const std::string& version, const std::string& target) {
    return "//\n.version " + version + "\n.target " + target + "\n.address_size 64\n";
  };
  EXPECT_EQ(raised("4.3", "sm_52"), as("6.3", "sm_75"));
  EXPECT_EQ(raised("7.0", "sm_61, texmode_independent"), as("7.0", "sm_75, texmode_independent"));
  EXPECT_EQ(raised("6.0", "sm_70"), as("6.0", "sm_70"));
  EXPECT_EQ(raise_target(as("7.0", "sm_60"), true), as("6.3", "sm_75"));
  EXPECT_EQ(raise_target(as("7.0", "sm_70"), true), as("7.0", "sm_70"));
  EXPECT_EQ(raised("8.7", "sm_100a"), as("8.7", "sm_100a"));
}

// What comes out is PTX again, with every instruction of the kernel in its order.
TEST(Instrument, LeavesTheKernelAsItWas) {
  for_each_entry([](const Module& module, const Function& function) {
    for (const InstrumentOptions& options : kAllOptions) {
      const Result<Instrumented> made = instrument(module, function, options);
      ASSERT_TRUE(made.ok()) << made.error().message();
      const Result<Module> again = parse(made->text, module.name);
      ASSERT_TRUE(again.ok()) << again.error().message();
      if (options.choose_blocks) continue;  // Some of its words change
      const Function* after = again->find_entry(function.name);
      ASSERT_NE(after, nullptr);
      const Function before = flat(module, function);
      std::size_t found = 0;
      for (const Instruction& instruction : after->instructions) {
        found += found < before.instructions.size() && instruction.text == before.instructions[found].text;
      }
      EXPECT_EQ(found, before.instructions.size());
    }
  });
}

/// Each kernel by one of the options in turn; with WARPLENS_AT_LENGTH by all of them.
TEST(Instrument, IsTakenByTheAssembler) {
  const bool at_length = std::getenv("WARPLENS_AT_LENGTH") != nullptr;
  if (std::system("ptxas --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no ptxas on the PATH";
  const auto folder =
      std::filesystem::temp_directory_path() / ("warplens_instrument_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::size_t kernels = 0;
  for_each_entry([&](const Module& module, const Function& function) {
    const std::size_t turn = kernels++ % std::size(kAllOptions);
    for (std::size_t i = 0; i < std::size(kAllOptions); ++i) {
      if (!at_length && i != turn) continue;
      const InstrumentOptions& options = kAllOptions[i];
      const Result<Instrumented> made = instrument(module, function, options);
      ASSERT_TRUE(made.ok());
      const auto file = folder / "instrumented.ptx";
      std::ofstream(file) << made->text;
      const std::string command =
          "ptxas -c -O0 -arch=" + std::string(module.target == "sm_75" ? "sm_75" : module.target) + " " +
          file.string() + " -o " + (folder / "o").string() + " 2>" + (folder / "log").string();
      EXPECT_EQ(std::system(command.c_str()), 0) << read(folder / "log");
      if (::testing::Test::HasFailure()) return;
    }
  });
  std::filesystem::remove_all(folder);
}

/// What is said of a kernel that calls `f`, whose body is given.
std::string refusal_of(const std::string& body_of_f, const std::string& body_of_kernel,
                       bool has_body = true) {
  const Result<Module> module =
      parse(".version 9.0\n.target sm_75\n.address_size 64\n.func f(.param .b64 a)\n{\n.reg .pred p;\n" +
                body_of_f +
                "ret;\n}\n.visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n.reg "
                ".pred p;\n" +
                body_of_kernel + "ret;\n}\n",
            "calls.ptx");
  if (!module.ok()) return module.error().message();
  const CalledFunction f{.name = "f", .first_instruction = 0, .variables = {0}};
  const Result<Instrumented> made = instrument(
      *module, *module->find_entry("k"), {}, has_body ? std::span(&f, 1) : std::span<const CalledFunction>());
  return made.ok() ? "" : made.error().message();
}

TEST(Instrument, RefusesVariablesThatRegistersIndex) {
  const Result<Module> module = parse(
      ".version 9.0\n.target sm_90\n.address_size 64\n.shared .u32 t[8];\n"
      ".entry k() { .reg .u32 i, v; mov.u32 i, %tid.x; ld.shared.u32 v, t[i]; ret; }\n",
      "test.ptx");
  ASSERT_TRUE(module.ok()) << module.error().message();
  const Result<Instrumented> made = instrument(*module, module->functions[0], kAllOptions[0], {});
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().message(),
            "test.ptx:5: `ld.shared.u32 v, t[i]` cannot be recorded on the GPU. Record on the CPU.");
}

// The accesses of a copy follow from the map that the launch has.
TEST(Instrument, RefusesKernelsThatChangeTensorMaps) {
  const Result<Module> module = parse(
      ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 map) {\n.reg .b64 m;\n"
      "ld.param.u64 m, [map];\ntensormap.replace.tile.global_dim.global.b1024.b32 [m], 0, 8;\nret;\n}\n",
      "test.ptx");
  ASSERT_TRUE(module.ok()) << module.error().message();
  const Result<Instrumented> made = instrument(*module, module->functions[0], kAllOptions[0], {});
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().message().find("cannot be recorded on the GPU"), std::string::npos)
      << made.error().message();
}

// A product reads what its descriptors say, which are the same in all lanes; a copy what its thread says.
TEST(Instrument, RecordsTheOperandsOfCopiesAndProducts) {
  const Result<Module> module = parse(
      ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 from) {\n"
      ".reg .b64 f, a, b; .reg .b32 s, m; .reg .f32 d<4>; .reg .pred p;\nld.param.u64 f, [from];\n"
      "@p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [f], 128, [m];\n"
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {d0, d1, d2, d3}, a, b, p, 1, 1, 0, 0;\nret;\n}\n",
      "test.ptx");
  ASSERT_TRUE(module.ok()) << module.error().message();
  const Result<Instrumented> made = instrument(*module, module->functions[0], kAllOptions[0], {});
  ASSERT_TRUE(made.ok()) << made.error().message();
  std::vector<OperandGroup> groups;
  for (const Segment& segment : made->segments)
    std::ranges::copy(segment.operands, std::back_inserter(groups));
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].operands.size(), 3u) << "shared memory, global memory, bytes";
  EXPECT_EQ(groups[0].guard.kind, Operand::Kind::reg);
  EXPECT_FALSE(groups[0].is_of_warp);
  EXPECT_EQ(groups[1].operands.size(), 2u) << "the descriptors of A and B";
  EXPECT_TRUE(groups[1].is_of_warp);
}

TEST(Instrument, SaysWhichCallsItRefuses) {
  const std::string call =
      "ld.param.u64 %rd1, [out];\n{\n.param .b64 x;\nst.param.b64 [x], %rd1;\ncall.uni f, (x);\n}\n";
  EXPECT_EQ(refusal_of("", call), "");
  EXPECT_EQ(refusal_of("@p exit;\n", call), "");
  EXPECT_NE(refusal_of("", call, false).find("has no body of the function"), std::string::npos)
      << refusal_of("", call, false);
  const std::string amid =
      "ld.param.u64 %rd1, [out];\n{\n.param .b64 x;\nst.param.b64 [x], %rd1;\nld.global.u32 %r1, "
      "[%rd1];\ncall.uni f, (x);\n}\n";
  EXPECT_NE(refusal_of("", amid).find("stands amid what passes the parameters"), std::string::npos)
      << refusal_of("", amid);
}

}  // namespace
}  // namespace warplens::ptx
