#include "kernels/ptx/special_registers.h"

#include <charconv>
#include <unordered_map>

namespace warplens::ptx {

namespace {

/// %envreg0 to %envreg31.
bool is_environment(std::string_view name) {
  constexpr std::string_view kBeginning = "%envreg";
  if (!name.starts_with(kBeginning)) return false;
  const std::string_view number = name.substr(kBeginning.size());
  unsigned value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  return error == std::errc() && end == number.data() + number.size() && value < 32 && (number.size() == 1 || number.front() != '0');
}

}  // namespace

SpecialRegister find_special_register(std::string_view name) {
  using S = SpecialRegister;
  static const std::unordered_map<std::string_view, SpecialRegister> kNames = {
      {"%tid.x", S::tid_x},
      {"%tid.y", S::tid_y},
      {"%tid.z", S::tid_z},
      {"%ntid.x", S::ntid_x},
      {"%ntid.y", S::ntid_y},
      {"%ntid.z", S::ntid_z},
      {"%ctaid.x", S::ctaid_x},
      {"%ctaid.y", S::ctaid_y},
      {"%ctaid.z", S::ctaid_z},
      {"%nctaid.x", S::nctaid_x},
      {"%nctaid.y", S::nctaid_y},
      {"%nctaid.z", S::nctaid_z},
      {"%laneid", S::laneid},
      {"%warpid", S::warpid},
      {"%nwarpid", S::nwarpid},
      {"%smid", S::smid},
      {"%nsmid", S::nsmid},
      {"%gridid", S::gridid},
      {"%lanemask_eq", S::lanemask_eq},
      {"%lanemask_le", S::lanemask_le},
      {"%lanemask_lt", S::lanemask_lt},
      {"%lanemask_ge", S::lanemask_ge},
      {"%lanemask_gt", S::lanemask_gt},
      {"%clock", S::clock},
      {"%clock_hi", S::clock_hi},
      {"%clock64", S::clock64},
      {"%globaltimer", S::globaltimer},
      {"%dynamic_smem_size", S::dynamic_smem_size},
      {"%total_smem_size", S::total_smem_size},
      {"%reserved_smem_offset_begin", S::reserved_smem_offset_begin},
      {"%reserved_smem_offset_end", S::reserved_smem_offset_end},
      {"%reserved_smem_offset_cap", S::reserved_smem_offset_cap},
  };
  const auto found = kNames.find(name);
  if (found != kNames.end()) return found->second;
  return is_environment(name) ? S::environment : S::none;
}

bool is_other_special_register(std::string_view name) {
  for (const std::string_view beginning : {"%envreg", "%pm", "%cluster", "%is_explicit_cluster", "%globaltimer_", "%reserved_smem_offset",
                                           "%aggr_smem_size", "%current_graph_exec", "%tid", "%ntid", "%ctaid", "%nctaid"}) {
    if (name.starts_with(beginning)) return true;
  }
  return false;
}

}  // namespace warplens::ptx
