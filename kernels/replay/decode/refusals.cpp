#include "kernels/replay/decode/refusals.h"

#include <algorithm>
#include <string_view>

#include "kernels/base/texts.h"
#include "kernels/ptx/suffixes.h"

namespace warplens::replay {
namespace {

struct Family {
  std::string_view beginning;  ///< Of the opcode
  RefusalKind kind;
};
constexpr Family kFamilies[] = {
    {"wmma.mma", RefusalKind::form},
    {"wmma", RefusalKind::tensor_cores},
    {"wgmma", RefusalKind::tensor_cores},
    {"tcgen05", RefusalKind::tensor_cores},
    {"ldmatrix", RefusalKind::tensor_cores},
    {"stmatrix", RefusalKind::tensor_cores},
    {"cp.async", RefusalKind::asynchronous_copies},
    {"cp.reduce.async", RefusalKind::asynchronous_copies},
    {"cp.multimem", RefusalKind::asynchronous_copies},
    {"fence.proxy", RefusalKind::asynchronous_copies},
    {"tensormap", RefusalKind::asynchronous_copies},
    {"prefetch.tensormap", RefusalKind::asynchronous_copies},
    {"prefetch.const.tensormap", RefusalKind::asynchronous_copies},
    {"prefetch.param.tensormap", RefusalKind::asynchronous_copies},
    {"st.bulk", RefusalKind::asynchronous_copies},
    {"multimem", RefusalKind::other_devices},
    {"st.async", RefusalKind::asynchronous_copies},
    {"red.async", RefusalKind::asynchronous_copies},
    {"barrier.cluster", RefusalKind::clusters},
    {"clusterlaunchcontrol", RefusalKind::clusters},
    {"mapa", RefusalKind::clusters},
    {"getctarank", RefusalKind::clusters},
    {"tex", RefusalKind::textures},
    {"tld4", RefusalKind::textures},
    {"txq", RefusalKind::textures},
    {"suld", RefusalKind::textures},
    {"sust", RefusalKind::textures},
    {"sured", RefusalKind::textures},
    {"suq", RefusalKind::textures},
    {"istypep", RefusalKind::textures},
    {"call", RefusalKind::calls},
};

bool begins_with_words(std::string_view opcode, std::string_view words) {
  return opcode.starts_with(words) && (opcode.size() == words.size() || opcode[words.size()] == '.');
}

RefusalKind kind_of(const ptx::Instruction& instruction) {
  const std::string_view text = instruction.text, opcode = text.substr(0, text.find(' '));
  for (const Family& family : kFamilies) {
    if (begins_with_words(opcode, family.beginning)) return family.kind;
  }
  if (opcode.find("::cluster") != std::string_view::npos) return RefusalKind::clusters;
  const bool is_known = instruction.opcode != ptx::Opcode::unsupported || ptx::is_known(opcode);
  return is_known ? RefusalKind::form : RefusalKind::unknown;
}

}  // namespace

const char* name_of(RefusalKind kind) {
  switch (kind) {
    case RefusalKind::tensor_cores: return marked("tensor cores");
    case RefusalKind::asynchronous_copies: return marked("asynchronous copies");
    case RefusalKind::clusters: return marked("clusters");
    case RefusalKind::textures: return marked("textures and surfaces");
    case RefusalKind::other_devices: return marked("memory of several devices");
    case RefusalKind::calls: return marked("calls");
    case RefusalKind::form: return marked("forms of instructions");
    case RefusalKind::unknown: break;
  }
  return marked("unknown instructions");
}

Refusal refusal_of(const ptx::Instruction& instruction) {
  const RefusalKind kind = kind_of(instruction);
  switch (kind) {
    case RefusalKind::form: return {kind, tr("the replay does not run this form of the instruction")};
    case RefusalKind::unknown: return {kind, tr("the replay does not know this instruction")};
    case RefusalKind::tensor_cores:
      return {kind, tr("the replay does not run this instruction of tensor cores")};
    case RefusalKind::asynchronous_copies:
      return {kind, tr("the replay does not run this kind of asynchronous copy")};
    case RefusalKind::clusters: return {kind, tr("the replay does not run this instruction of clusters")};
    case RefusalKind::textures:
      return {kind, tr("the replay does not run this form of texture or surface access")};
    case RefusalKind::other_devices: return {kind, tr("the replay runs on one device")};
    case RefusalKind::calls: break;
  }
  return {RefusalKind::calls, tr("calls of functions are not replayed")};
}

}  // namespace warplens::replay
