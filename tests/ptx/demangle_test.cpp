#include "kernels/ptx/demangle.h"

#include <gtest/gtest.h>

#include <string>

namespace warplens::ptx {
namespace {

TEST(PlainName, IsWhatAProgrammerCallsTheFunction) {
  EXPECT_EQ(plain_name("_Z5naivePKfS0_Pfi"), "naive");
  EXPECT_EQ(plain_name("_Z5tiledILi32EEvPKfS1_Pfi"), "tiled<32>");
  EXPECT_EQ(plain_name("_Z5tiledILj32EEvPKfS1_Pfi"), "tiled<32>");
  EXPECT_EQ(plain_name("_Z5tiledILm32ELln4EfEvPT1_"), "tiled<32, -4, float>");
  EXPECT_EQ(plain_name("_Z5tiledILb1ELs16ELh3EEvv"), "tiled<true, 16, 3>");
  EXPECT_EQ(plain_name("_ZN6kernel5tiledILi8EEEvPf"), "kernel::tiled<8>");
  EXPECT_EQ(plain_name("_ZN12_GLOBAL__N_16hiddenEPf"), "(anonymous namespace)::hidden");
  EXPECT_EQ(plain_name("_Z3runIZ4mainEUliE_EvT_"), "run<main::{lambda(int)#1}>");
  EXPECT_EQ(plain_name("plain_c_name"), "plain_c_name");
  EXPECT_EQ(plain_name("_Znonsense"), "_Znonsense");
  EXPECT_EQ(plain_name(""), "");
}

TEST(PlainName, DigitsInNamesStay) {
  EXPECT_EQ(plain_name("_Z9block64ulILi4EEvPf"), "block64ul<4>");
}

// Each argument is a pair of the one before: without a limit, 2^40 names.
TEST(PlainName, DoesNotGrowExponentially) {
  std::string mangled = "_Z1f1AIiiE";
  for (const char* const next :
       {"S_IS0_S0_E", "S_IS1_S1_E", "S_IS2_S2_E", "S_IS3_S3_E", "S_IS4_S4_E", "S_IS5_S5_E", "S_IS6_S6_E", "S_IS7_S7_E", "S_IS8_S8_E",
        "S_IS9_S9_E", "S_ISA_SA_E", "S_ISB_SB_E", "S_ISC_SC_E", "S_ISD_SD_E", "S_ISE_SE_E", "S_ISF_SF_E", "S_ISG_SG_E", "S_ISH_SH_E",
        "S_ISI_SI_E", "S_ISJ_SJ_E", "S_ISK_SK_E", "S_ISL_SL_E", "S_ISM_SM_E", "S_ISN_SN_E", "S_ISO_SO_E", "S_ISP_SP_E"}) {
    mangled += next;
  }
  EXPECT_EQ(plain_name(mangled), mangled);
}

TEST(WithoutTemplateArguments, CutsTheLastOnes) {
  EXPECT_EQ(without_template_arguments("tiled<32>"), "tiled");
  EXPECT_EQ(without_template_arguments("space<int>::tiled<pair<int>, 4>"), "space<int>::tiled");
  EXPECT_EQ(without_template_arguments("naive"), "naive");
  EXPECT_EQ(without_template_arguments(">"), ">");
}

}  // namespace
}  // namespace warplens::ptx
