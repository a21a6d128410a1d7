#include "kernels/base/texts.h"
#include "kernels/ladder/volkov.h"

namespace warplens {
namespace {

const RegisterKernel kVolkovTransposed{
    {.rank = 140,
     .id = "volkov_transposed",
     .source_file = "volkov_transposed.cu",
     .shows = marked("A column of 16 elements of C a thread; A's tile is stored transposed, 16 words a row: "
                     "16-way store conflicts"),
     .plan =
         [](const Problem& problem) { return plan_volkov(problem, "volkov_transposed", kVolkovK, kVolkovM); },
     .opening = {.line = "as[x % K]"},
     .global_loads = loads_of_volkov()}};

}  // namespace
}  // namespace warplens
