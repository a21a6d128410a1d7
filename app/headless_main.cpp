// The program of a build without the window.
#include <iostream>

#include "app/cli/cli.h"

int main(int argc, char** argv) {
  return warplens::app::run_cli({argv + 1, argv + argc}, std::cout, std::cerr);
}
