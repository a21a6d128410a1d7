// The Python program that imports a file and compiles a kernel of it. Private to kernels/compile.
#pragma once

namespace warplens::compile {

/// Reads request.json in its working folder; writes kernel.ptx, kernel.ttir and kernel.json there.
extern const char* const kPythonRunner;

}  // namespace warplens::compile
