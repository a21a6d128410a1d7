#include "app/session/other_rules.h"

#include <new>

#include "app/session/grid_counts.h"

namespace warplens::app {

void OtherRules::give_up() {
  if (job_) job_->cancelled = true;
  job_.reset();  // Waits for its thread, which ends within a moment
}

std::shared_ptr<const Loaded> OtherRules::by_rules(const std::shared_ptr<const Loaded>& loaded,
                                                   analysis::ComputeCapability cc,
                                                   const std::function<void()>& wake) {
  if (!job_ || job_->recording != loaded->recording || job_->cc != cc) {
    give_up();
    job_ = std::make_unique<Job>();
    job_->recording = loaded->recording;
    job_->cc = cc;
    job_->thread = std::jthread([job = job_.get(), loaded, wake] {
      try {
        job->costed = with_rules(*loaded, job->cc, &job->cancelled, MachineCode::made);
      } catch (const std::bad_alloc&) {
        job->costed = nullptr;
      }
      job->done = true;
      wake();
    });
  }
  if (!job_->done || !job_->costed) return nullptr;
  // What was counted meanwhile holds by any rules.
  if (job_->costed->grid_counts != loaded->grid_counts)
    job_->costed = with_counts(*job_->costed, loaded->grid_counts);
  return job_->costed;
}

}  // namespace warplens::app
