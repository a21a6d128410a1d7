#include "kernels/base/texts.h"
#include "kernels/compile/job.h"

namespace warplens::compile {

Result<JobResult> run_job(const Job&, const std::atomic<bool>*) {
  return Error{tr("a browser cannot run compilers"), "",
               tr("Compile on your machine, with nvcc -ptx -lineinfo FILE.cu, and open the PTX.")};
}

}  // namespace warplens::compile
