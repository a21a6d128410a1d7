// The program of a build without the window.
#include <iostream>

#include "app/cli/cli.h"
#include "kernels/compile/compiler_process.h"

int main(int argc, char** argv) {
  if (const auto status = warplens::compile::run_as_compiler_process(argc, argv)) return *status;
  return warplens::app::run_cli({argv + 1, argv + argc}, std::cout, std::cerr);
}
