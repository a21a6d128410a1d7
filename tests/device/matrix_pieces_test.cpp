#include "kernels/gpu/matrix_pieces.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "kernels/ptx/parser.h"
#include "kernels/tensor/fragment_access.h"

namespace warplens::gpu {
namespace {

std::string list_of(const char* prefix, int count) {
  std::string list;
  for (int k = 0; k < count; ++k) list += fmt::format("{}{}{}", k == 0 ? "" : ", ", prefix, k);
  return list;
}

/// A kernel of one instruction, whose list of registers has so many.
Result<ptx::Module> module_of(const std::string& opcode, const char* prefix, int registers) {
  const bool loads = opcode.find("load") != std::string::npos;
  const std::string list = "{" + list_of(prefix, registers) + "}";
  return ptx::parse(
      ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<9>; .reg .f32 "
      "%f<9>; "
      ".reg .f64 %d<9>; .reg .b64 %rd<2>;\n" +
          opcode + (loads ? " " + list + ", [%rd0], 16;" : " [%rd0], " + list + ", 16;") + "\nret;\n}\n",
      "test");
}

TEST(MatrixPieces, EqualTheReplaysAccesses) {
  int forms = 0;
  for (const char* access : {"load.a", "load.b", "load.c", "store.d"}) {
    for (const char* layout : {"row", "col"}) {
      for (const char* shape :
           {"m16n16k16", "m32n8k16", "m8n32k16", "m16n16k8", "m8n8k4", "m8n8k32", "m8n8k128"}) {
        for (const char* type : {"f16", "bf16", "tf32", "f32", "f64", "u8", "s8", "s32", "u4", "s4", "b1"}) {
          const std::string opcode =
              fmt::format("wmma.{}.sync.aligned.{}.{}.global.{}", access, layout, shape, type);
          const char* const prefix = type == std::string("f64")   ? "%d"
                                     : type == std::string("f32") ? "%f"
                                                                  : "%r";
          for (const int registers : {1, 2, 4, 8}) {
            const Result<ptx::Module> module = module_of(opcode, prefix, registers);
            ASSERT_TRUE(module.ok()) << module.error().message();
            const ptx::Instruction& instruction = module->functions.front().instructions.front();
            if (instruction.opcode == ptx::Opcode::unsupported) continue;
            const auto known = tensor::fragment_access_of(instruction);
            if (!known || tensor::fragment_registers(instruction) != registers) continue;
            ++forms;
            const std::vector<ptx::MatrixPiece> pieces = pieces_of_matrix(instruction);
            ASSERT_EQ(pieces.size(), known->places.size()) << opcode;
            for (std::size_t k = 0; k < pieces.size(); ++k) {
              for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
                const auto at = [lane](const ptx::LaneNumber& number) {
                  return number.constant + number.by_group * (lane / 4) + number.by_lane * (lane % 4);
                };
                EXPECT_EQ(at(pieces[k].line), known->places[k][lane].line) << opcode << " " << lane;
                EXPECT_EQ(at(pieces[k].bytes), known->places[k][lane].bytes) << opcode << " " << lane;
              }
            }
          }
        }
      }
    }
  }
  EXPECT_GT(forms, 60) << "forms of wmma.load and wmma.store";
}

}  // namespace
}  // namespace warplens::gpu
