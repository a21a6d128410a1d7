#include "kernels/base/texts.h"
#include "kernels/ladder/volkov.h"

namespace warplens {
namespace {

const RegisterKernel kVolkovPadded{
    {.rank = 150,
     .id = "volkov_padded",
     .source_file = "volkov_padded.cu",
     .shows = marked("One unused word at the end of each row of A's tile: the store conflicts are gone"),
     .plan =
         [](const Problem& problem) { return plan_volkov(problem, "volkov_padded", kVolkovK, kVolkovM + 1); },
     .opening = {.line = "as[x % K]"},
     .global_loads = loads_of_volkov()}};

}  // namespace
}  // namespace warplens
