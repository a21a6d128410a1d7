#include "kernels/ptx/special_registers.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string>
#include <unordered_map>

namespace warplens::ptx {

namespace {

/// `beginning`, a number less than `count`, `ending`.
bool is_one_of(std::string_view name, std::string_view beginning, unsigned count,
               std::string_view ending = "") {
  if (!name.starts_with(beginning) || !name.ends_with(ending) ||
      name.size() <= beginning.size() + ending.size())
    return false;
  const std::string_view number =
      name.substr(beginning.size(), name.size() - beginning.size() - ending.size());
  unsigned value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  return error == std::errc() && end == number.data() + number.size() && value < count &&
         (number.size() == 1 || number.front() != '0');
}

bool is_zero(std::string_view name) {
  return name == "%current_graph_exec" || name == "%is_explicit_cluster" || is_one_of(name, "%envreg", 32) ||
         is_one_of(name, "%pm", 8) || is_one_of(name, "%pm", 8, "_64");
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
      {"%tid.w", S::zero},
      {"%ntid.w", S::zero},
      {"%ctaid.w", S::zero},
      {"%nctaid.w", S::zero},
      {"%clusterid.x", S::clusterid_x},
      {"%clusterid.y", S::clusterid_y},
      {"%clusterid.z", S::clusterid_z},
      {"%clusterid.w", S::zero},
      {"%nclusterid.x", S::nclusterid_x},
      {"%nclusterid.y", S::nclusterid_y},
      {"%nclusterid.z", S::nclusterid_z},
      {"%nclusterid.w", S::zero},
      {"%cluster_ctaid.x", S::cluster_ctaid_x},
      {"%cluster_ctaid.y", S::cluster_ctaid_y},
      {"%cluster_ctaid.z", S::cluster_ctaid_z},
      {"%cluster_ctaid.w", S::zero},
      {"%cluster_nctaid.x", S::cluster_nctaid_x},
      {"%cluster_nctaid.y", S::cluster_nctaid_y},
      {"%cluster_nctaid.z", S::cluster_nctaid_z},
      {"%cluster_nctaid.w", S::zero},
      {"%cluster_ctarank", S::cluster_ctarank},
      {"%cluster_nctarank", S::cluster_nctarank},
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
      {"%globaltimer_lo", S::clock},
      {"%globaltimer_hi", S::clock_hi},
      {"%envreg1", S::grid_workspace_high},
      {"%envreg2", S::grid_workspace_low},
      {"%dynamic_smem_size", S::dynamic_smem_size},
      {"%total_smem_size", S::total_smem_size},
      {"%aggr_smem_size", S::aggr_smem_size},
      {"%reserved_smem_offset_begin", S::reserved_smem_offset_begin},
      {"%reserved_smem_offset_end", S::reserved_smem_offset_end},
      {"%reserved_smem_offset_cap", S::reserved_smem_offset_cap},
  };
  const auto found = kNames.find(name);
  if (found != kNames.end()) return found->second;
  return is_zero(name) ? S::zero : S::none;
}

std::vector<SpecialRegister> find_special_vector(std::string_view name) {
  constexpr std::string_view kVectors[] = {"%tid",       "%ntid",       "%ctaid",         "%nctaid",
                                           "%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid"};
  if (std::find(std::begin(kVectors), std::end(kVectors), name) == std::end(kVectors)) return {};
  const auto component = [&](const char* suffix) {
    return find_special_register(std::string(name) + suffix);
  };
  return {component(".x"), component(".y"), component(".z"), component(".w")};
}

bool is_other_special_register(std::string_view name) {
  for (const std::string_view beginning :
       {"%envreg", "%pm", "%cluster", "%nclusterid", "%is_explicit_cluster", "%globaltimer_",
        "%reserved_smem_offset", "%aggr_smem_size", "%current_graph_exec", "%tid", "%ntid", "%ctaid",
        "%nctaid"}) {
    if (name.starts_with(beginning)) return true;
  }
  return false;
}

}  // namespace warplens::ptx
