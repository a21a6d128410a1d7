// What the assembler makes of PTX.
#pragma once

#include <atomic>
#include <string>

#include "kernels/base/result.h"

namespace warplens::compile {

/// Whether this machine has what it takes: ptxas and nvdisasm.
[[nodiscard]] bool has_assembler();

/// The machine code for "sm_90" as nvdisasm lists it, with a line `.resources NAME, ...` for each kernel of
/// what ptxas says it takes: the form of the listings that the ladder ships. Takes some tenths of a second,
/// for which it waits. The error: a tool is missing, what ptxas says, or `cancelled` was set.
[[nodiscard]] Result<std::string> list_machine_code(const std::string& ptx, const std::string& architecture,
                                                    const std::atomic<bool>* cancelled = nullptr);

/// What of nvdisasm's text the listing keeps: no directives that only the linker reads, no padding, no
/// indentation. `resources` goes after `.target`.
[[nodiscard]] std::string listing_of(const std::string& disassembly, const std::string& resources);
/// ".resources NAME, 29 registers, 0 bytes stack frame, ...", a line for each kernel in what `ptxas -v`
/// printed.
[[nodiscard]] std::string resources_in(const std::string& said);

/// Returns the assembler that list_machine_code uses, so that its results can be kept: path, size and time of
/// ptxas; empty: there is none.
[[nodiscard]] std::string assembler_in_words();

}  // namespace warplens::compile
