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
       {"S_IS0_S0_E", "S_IS1_S1_E", "S_IS2_S2_E", "S_IS3_S3_E", "S_IS4_S4_E", "S_IS5_S5_E", "S_IS6_S6_E",
        "S_IS7_S7_E", "S_IS8_S8_E", "S_IS9_S9_E", "S_ISA_SA_E", "S_ISB_SB_E", "S_ISC_SC_E", "S_ISD_SD_E",
        "S_ISE_SE_E", "S_ISF_SF_E", "S_ISG_SG_E", "S_ISH_SH_E", "S_ISI_SI_E", "S_ISJ_SJ_E", "S_ISK_SK_E",
        "S_ISL_SL_E", "S_ISM_SM_E", "S_ISN_SN_E", "S_ISO_SO_E", "S_ISP_SP_E"}) {
    mangled += next;
  }
  EXPECT_EQ(plain_name(mangled), mangled);
}

// A pack that is expanded in a pack that is expanded: 20^12 types.
TEST(PlainName, PacksInPacksStayMangled) {
  std::string mangled = "_Z1fIJ" + std::string(20, 'i') + "EEv";
  for (int i = 0; i < 12; ++i) mangled += "DpFT_";
  mangled += "T_" + std::string(12, 'E');
  EXPECT_EQ(plain_name(mangled), mangled);
  EXPECT_EQ(plain_name("_Z1fIJifEEvDpT_"), "f<int, float>") << "one pack is what variadic kernels have";
}

TEST(PlainName, WhatComesOutIsBounded) {
  const std::string mangled = "_Z1fI1AI300" + std::string(300, 'n') + "S0_S0_S0_S0_S0_ES1_S1_S1_S1_S1_EvT_";
  EXPECT_LT(plain_name(mangled).size(), 1100u);
  const std::string long_name = "_Z600" + std::string(600, 'n') + "v";
  EXPECT_EQ(plain_name(long_name), long_name);
}

TEST(ComparableName, IsTheSameHoweverItIsWritten) {
  for (const char* const name : {"mm<16, float>", "mm< 16,float >", "mm<(int)16, float>",
                                 "mm<(unsigned int)16u, float>", "mm<16ul,float>"}) {
    EXPECT_EQ(comparable_name(name), "mm<16,float>") << name;
  }
  EXPECT_EQ(comparable_name("lib::mm<-4>"), "lib::mm<-4>");
  EXPECT_EQ(comparable_name("block64ul<4>"), "block64ul<4>");
  EXPECT_NE(comparable_name("mm<1>"), comparable_name("mm<11>"));
}

TEST(NameOfLocal, IsWhatTheSourceCallsIt) {
  EXPECT_EQ(name_of_local("_ZZ5tiledILi32EEvPKfS1_PfiiiE2as"), "as");
  EXPECT_EQ(name_of_local("partial"), "partial");
  EXPECT_EQ(name_of_local("s"), "s") << "which is how a type is encoded, too";
}

// Each argument is a pair of the one before, for 28 times: what is said of functions holds for variables.
TEST(NameOfLocal, DoesNotGrowExponentially) {
  std::string mangled = "_Z1f1AIiiE";
  for (char c = '0'; c <= '9'; ++c) mangled += std::string("S_IS") + c + "_S" + c + "_E";
  for (char c = 'A'; c <= 'R'; ++c) mangled += std::string("S_IS") + c + "_S" + c + "_E";
  EXPECT_EQ(name_of_local(mangled), mangled);
}

TEST(WithoutTemplateArguments, CutsTheLastOnes) {
  EXPECT_EQ(without_template_arguments("tiled<32>"), "tiled");
  EXPECT_EQ(without_template_arguments("space<int>::tiled<pair<int>, 4>"), "space<int>::tiled");
  EXPECT_EQ(without_template_arguments("naive"), "naive");
  EXPECT_EQ(without_template_arguments(">"), ">");
}

TEST(Demangle, BaseNamesHaveNoScopesArgumentsAndTags) {
  EXPECT_EQ(base_name("saxpy"), "saxpy");
  EXPECT_EQ(base_name("__main__::saxpy[abi:v1][abi:cw51cXTL]"), "saxpy");
  EXPECT_EQ(base_name("lib::tile<16, lib::Kind>"), "tile");
}

}  // namespace
}  // namespace warplens::ptx
