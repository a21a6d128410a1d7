#include "app/shell/background.h"

#include <utility>

#include "app/views/failure.h"

namespace warplens::app {

Background::~Background() {
  cancel();
}

bool Background::start(std::string what, Work work) {
  if (busy()) return false;
  auto job = std::make_unique<Job>();
  job->thread = std::jthread([job = job.get(), wake = wake_, work = std::move(work)] {
    try {
      job->outcome = work(job->progress);
    } catch (...) {
      job->failure = failure_in_words();
    }
    job->done = true;
    wake();
  });
  what_ = std::move(what);
  job_ = std::move(job);
  return true;
}

void Background::cancel() {
  if (job_) job_->progress.cancel = true;
}

void Background::poll() {
  if (!job_ || !job_->done) return;
  job_->thread.join();
  const Outcome outcome = std::move(job_->outcome);
  const std::optional<Error> failure = std::move(job_->failure);
  job_.reset();
  if (failure) return failed_(what_, *failure);
  if (outcome) outcome();
}

}  // namespace warplens::app
