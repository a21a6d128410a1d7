#include "app/cli/interrupt.h"

#include <signal.h>

namespace warplens::app {
namespace {

std::atomic<std::atomic<bool>*> g_flag = nullptr;
static_assert(std::atomic<std::atomic<bool>*>::is_always_lock_free && std::atomic<bool>::is_always_lock_free,
              "a signal's handler uses them");

void set_flag(int /*signal*/) {
  if (std::atomic<bool>* const flag = g_flag.load()) flag->store(true);
}

}  // namespace

Interrupt::Interrupt(std::atomic<bool>& flag) {
  g_flag = &flag;
  struct sigaction before = {}, action = {};
  sigaction(SIGINT, nullptr, &before);
  if (before.sa_handler == SIG_IGN) return;
  action.sa_handler = set_flag;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
}

Interrupt::~Interrupt() {
  struct sigaction now = {};
  sigaction(SIGINT, nullptr, &now);
  if (now.sa_handler == set_flag) signal(SIGINT, SIG_DFL);
  g_flag = nullptr;
}

}  // namespace warplens::app
