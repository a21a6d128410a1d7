#include "kernels/ptx/leave_out.h"

#include <fmt/core.h>

#include "kernels/base/texts.h"
#include "kernels/ptx/instrument/rewrite.h"
#include "kernels/ptx/statements.h"

namespace warplens::ptx {

Result<std::string> leave_out_blocks(const Module& module, const Function& entry,
                                     std::uint32_t threads_per_block) {
  for (const FunctionText& place : locate_functions(module.text)) {
    if (place.name != entry.name || place.instructions.empty()) continue;
    Rewrite code(module.text, place);
    code.at_begin_of_body("\n.reg .pred %wl_p;\n.reg .b32 %wl_block, %wl_extent;\n.reg .b64 %wl_at;\n");
    code.before_all(
        fmt::format("mov.u32 %wl_block, %ctaid.z;\nmov.u32 %wl_extent, %nctaid.y;\nmul.lo.u32 %wl_block, "
                    "%wl_block, %wl_extent;\n"
                    "mov.u32 %wl_extent, %ctaid.y;\nadd.u32 %wl_block, %wl_block, %wl_extent;\n"
                    "mov.u32 %wl_extent, %nctaid.x;\nmul.lo.u32 %wl_block, %wl_block, %wl_extent;\n"
                    "mov.u32 %wl_extent, %ctaid.x;\nadd.u32 %wl_block, %wl_block, %wl_extent;\n"
                    "ld.const.u64 %wl_at, [{}];\nmad.wide.u32 %wl_at, %wl_block, 4, %wl_at;\n"
                    "ld.global.u32 %wl_block, [%wl_at];\nsetp.ne.u32 %wl_p, %wl_block, 0;\n@%wl_p exit;\n",
                    kLeftOut));
    code.limit_threads(entry, threads_per_block);
    return code.finish(fmt::format(".visible .const .align 8 .u64 {};\n", kLeftOut));
  }
  return Error{tr("`{kernel}` has no code", "kernel"_a = entry.plain_name), module.name,
               tr("Give the PTX that nvcc -ptx writes.")};
}

}  // namespace warplens::ptx
