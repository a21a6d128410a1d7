#include "kernels/ladder/volkov.h"

#include "kernels/base/texts.h"

namespace warplens {
namespace {

const RegisterKernel kVolkov{
    {.rank = 130,
     .id = "volkov",
     .source_file = "volkov.cu",
     .shows = marked(
         "A column of 16 elements of C a thread, B straight to a register: fewer threads, more work each"),
     .plan = [](const Problem& problem) { return plan_volkov(problem, "volkov", kVolkovM, kVolkovK); },
     .global_loads = loads_of_volkov()}};

}  // namespace
}  // namespace warplens
