#include "app/shell/worker.h"

#include <utility>

namespace warplens::app {

Worker::~Worker() {
  cancel();
}

bool Worker::start(std::string what, Work work) {
  if (busy()) return false;
  what_ = std::move(what);
  job_ = std::make_unique<Job>();
  job_->thread = std::jthread([job = job_.get(), wake = wake_, work = std::move(work)] {
    job->outcome = work(job->progress);
    job->done = true;
    wake();
  });
  return true;
}

void Worker::cancel() {
  if (job_) job_->progress.cancel = true;
}

void Worker::poll() {
  if (!job_ || !job_->done) return;
  job_->thread.join();
  const Outcome outcome = std::move(job_->outcome);
  job_.reset();
  if (outcome) outcome();
}

}  // namespace warplens::app
