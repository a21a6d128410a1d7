#include "kernels/sass/listing.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/catalog/catalog.h"

namespace warplens::sass {
namespace {

constexpr const char* kSmall = R"(	.target	sm_90
_Z1kPf:
//## File "/home/user/helper.h", line 3 inlined at "/home/user/k.cu", line 9
//## File "/home/user/k.cu", line 9
/*0000*/ LDC R1, c[0x0][0x28] ;
.L_x_1:
/*0010*/ @!P0 LDS.128 R12, [R18.X4+UR4+-0x10] ;
/*0020*/ LDG.E.64 R2, desc[UR8][R20.64+0x80] ;
/*0030*/ IADD3 R4, P1, -R4.reuse, c[0x0][0x160], RZ ;
/*0040*/ @P0 BRA `(.L_x_1) ;
/*0050*/ EXIT ;
)";

Listing parsed(const std::string& text) {
  const Result<Listing> listing = parse_listing(text, "test.sass");
  EXPECT_TRUE(listing.ok()) << listing.error().message();
  return listing.ok() ? *listing : Listing{};
}

std::string error_of(const std::string& text) {
  const Result<Listing> listing = parse_listing(text, "test.sass");
  return listing.ok() ? "none" : listing.error().message();
}

TEST(Listing, HasTheConstantsOfItsFunctions) {
  const auto listing = parse_listing(
      "\t.target\tsm_90\n.constant k 0010 0x50 0x04 0x00\n.constant other 0000 0x01\n.symbol 0008 "
      "tickets\n.variable 0084 order\nk:\n/*0000*/ EXIT "
      ";\n",
      "k.sass");
  ASSERT_TRUE(listing.ok()) << listing.error().message();
  ASSERT_EQ(listing->literals.size(), 2u);
  EXPECT_EQ(listing->literals[0].function, "k");
  EXPECT_EQ(listing->literals[0].offset, 16u);
  EXPECT_EQ(listing->literals[0].bytes, (std::vector<std::uint8_t>{0x50, 0x04, 0x00}));
  EXPECT_EQ(listing->symbols.at(8), "tickets");
  EXPECT_EQ(listing->variables.at(0x84), "order");
  EXPECT_FALSE(
      parse_listing("\t.target\tsm_90\n.constant k 0010 0x5000\nk:\n/*0000*/ EXIT ;\n", "k.sass").ok());
}

TEST(Listing, HasTypedInstructions) {
  const Listing listing = parsed(kSmall);
  EXPECT_EQ(listing.architecture, "sm_90");
  const Function* const function = listing.find("_Z1kPf");
  ASSERT_NE(function, nullptr);
  ASSERT_EQ(function->instructions.size(), 6u);

  const Instruction& load = function->instructions[1];
  EXPECT_EQ(load.line, 9u);
  EXPECT_EQ(load.places, 1u);
  EXPECT_EQ(listing.inlined, (std::vector<std::vector<Place>>{{{0, 3}, {1, 9}}}));
  EXPECT_EQ(load.address, 0x10u);
  EXPECT_EQ(load.opcode, "LDS");
  EXPECT_TRUE(load.has("128"));
  EXPECT_EQ(access_bytes(load), 16);
  EXPECT_TRUE(load.guard.negated);
  EXPECT_EQ(load.guard.predicate, 0u);
  ASSERT_EQ(load.operands.size(), 2u);
  const Address& address = load.operands[1].address;
  EXPECT_EQ(address.base, 18u);
  EXPECT_EQ(address.scale, 4u);
  EXPECT_EQ(address.uniform_base, 4u);
  EXPECT_EQ(address.offset, -16);

  EXPECT_TRUE(function->instructions[2].operands[1].address.wide);
  EXPECT_EQ(function->instructions[2].operands[1].address.offset, 0x80);
  const auto& sum = function->instructions[3].operands;
  ASSERT_EQ(sum.size(), 5u);
  EXPECT_EQ(sum[1].kind, Operand::Kind::predicate);
  EXPECT_TRUE(sum[2].negated);
  EXPECT_EQ(sum[3].kind, Operand::Kind::constant);
  EXPECT_EQ(sum[3].address.offset, 0x160);
  EXPECT_EQ(sum[4].index, kZeroRegister);

  const Operand& target = function->instructions[4].operands.back();
  EXPECT_TRUE(target.resolved);
  EXPECT_EQ(target.index, 1u);
}

TEST(Listing, NamesTheCallOfAnInlinedHelper) {
  const Listing listing = parsed(kSmall);
  const Instruction& instruction = listing.functions.front().instructions.front();
  EXPECT_EQ(instruction.line, 9u);
  EXPECT_EQ(listing.files[instruction.file], "k.cu");
}

TEST(Listing, ReadsWhatCuobjdumpPrints) {
  const Listing listing = parsed(R"(	code for sm_86
		Function : _Z1kPf
	.headerflags	@"EF_CUDA_SM86"
        /*0000*/                   MOV R1, c[0x0][0x28] ;         /* 0x00000a0000017a02 */
                                                                   /* 0x000fe40000000f00 */
        /*0010*/              @!P0 BRA 0x0 ;                       /* 0xfffffff000008947 */
                                                                   /* 0x000fc0000383ffff */
        /*0020*/                   EXIT ;                          /* 0x000000000000794d */
)");
  EXPECT_EQ(listing.architecture, "sm_86");
  ASSERT_EQ(listing.functions.size(), 1u);
  ASSERT_EQ(listing.functions[0].instructions.size(), 3u);
  EXPECT_EQ(listing.functions[0].instructions[0].text, "MOV R1, c[0x0][0x28]");
  EXPECT_TRUE(listing.functions[0].instructions[1].operands.back().resolved);
}

TEST(Listing, SaysWhatIsWrongAndWhere) {
  EXPECT_NE(
      error_of("_Z1k:\n/*0000*/ EXIT ;\n/*0000*/ EXIT ;\n").find("test.sass:3: addresses that do not ascend"),
      std::string::npos);
  EXPECT_NE(error_of("/*0000*/ EXIT ;\n").find("outside a function"), std::string::npos);
  EXPECT_NE(error_of("_Z1k:\n/*0000*/ BRA `(.L_x_7) ;\n").find("a label that is not there"),
            std::string::npos);
  EXPECT_NE(error_of("_Z1k:\n/*0000*/ MOV R1, c[0x0 ;\n/*0010*/ EXIT ;\n").find("test.sass:2: operands"),
            std::string::npos);
  EXPECT_NE(error_of("_Z1k:\n/*0000*/ MOV R1, RZ ;\n").find("ends within a function"), std::string::npos);
  EXPECT_NE(error_of("_Z1k:\n/*0000*/ EXI").find("without its end"), std::string::npos);
}

TEST(Listing, SaysWhatAKernelTakes) {
  const std::string resources =
      ".resources _Z1kPf, 255 registers, 168 bytes stack frame, 292 bytes spill stores, 296 bytes spill "
      "loads, 64 bytes smem\n";
  const Listing listing = parsed(resources + kSmall);
  EXPECT_EQ(listing.functions.front().resources, (Resources{.registers = 255,
                                                            .stack_bytes = 168,
                                                            .spill_store_bytes = 292,
                                                            .spill_load_bytes = 296,
                                                            .shared_bytes = 64}));
  EXPECT_FALSE(parsed(kSmall).functions.front().resources) << "nvdisasm does not say";
  EXPECT_NE(
      error_of(".resources _Z1kPf, 255 registers\n").find("test.sass:1: resources that are not understood"),
      std::string::npos);
  EXPECT_NE(error_of(".resources _Z1kPf, many registers, 1\n").find("resources"), std::string::npos);
}

class EveryListing : public testing::TestWithParam<std::string> {};

TEST_P(EveryListing, IsRead) {
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    if ("sm_" + std::to_string(ladder_capability(kernel.source_file)) > GetParam()) continue;
    const Result<std::string> text = ladder_listing(kernel.source_file, GetParam());
    ASSERT_TRUE(text.ok()) << text.error().message();
    const Listing listing = parsed(*text);
    EXPECT_TRUE(listing.architecture == GetParam() || listing.architecture == GetParam() + "a")
        << listing.architecture;
    ASSERT_FALSE(listing.functions.empty());
    for (const Function& function : listing.functions) {
      ASSERT_TRUE(function.resources) << function.name;
      EXPECT_GT(function.resources->registers, 0u) << function.name;
      for (const Instruction& instruction : function.instructions) {
        EXPECT_NE(instruction.line, 0u) << function.name << ": " << instruction.text;
        if (instruction.line == 0) break;
      }
    }
  }
}

/// A listing cut anywhere is refused, or is one of fewer functions.
TEST_P(EveryListing, IsRefusedOrHarmlessWhereCutShort) {
  const Result<std::string> text = ladder_listing("tiled.cu", GetParam());
  ASSERT_TRUE(text.ok());
  const std::size_t functions = parsed(*text).functions.size();
  for (std::size_t length = 0; length < text->size(); length += 97) {
    const Result<Listing> cut = parse_listing(std::string_view(*text).substr(0, length), "cut.sass");
    EXPECT_TRUE(!cut.ok() || cut->functions.size() <= functions);
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, EveryListing, testing::Values("sm_75", "sm_86", "sm_90"),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace warplens::sass
