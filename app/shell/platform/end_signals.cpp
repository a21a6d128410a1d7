#include "app/shell/platform/end_signals.h"

#include <semaphore.h>

#include <utility>

namespace warplens::app {
namespace {

sem_t arrival;  // A handler reaches nothing but what is global, and may do little but this: POSIX, "sem_post"

void on_signal(int) {
  sem_post(&arrival);
}

}  // namespace

EndSignals::EndSignals(std::function<void()> wake) : wake_(std::move(wake)) {
  sem_init(&arrival, 0, 0);
  waiting_ = std::thread([this] {
    while (sem_wait(&arrival) != 0) continue;
    if (stopping_) return;
    arrived_ = true;
    wake_();
  });
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (std::size_t k = 0; k < std::size(kSignals); ++k) sigaction(kSignals[k], &action, &before_[k]);
}

EndSignals::~EndSignals() {
  for (std::size_t k = 0; k < std::size(kSignals); ++k) sigaction(kSignals[k], &before_[k], nullptr);
  stopping_ = true;
  sem_post(&arrival);
  waiting_.join();
  sem_destroy(&arrival);
}

}  // namespace warplens::app
