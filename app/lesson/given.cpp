#include "app/lesson/given.h"

#include <algorithm>
#include <utility>

namespace warplens::app {

SceneKeeper::SceneKeeper(Lesson lesson, ScenePlayer player, std::function<void()> wake)
    : lesson_(std::move(lesson)),
      player_(std::move(player)),
      wake_(std::move(wake)),
      ready_(lesson_.scenes.size()) {
  thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

SceneKeeper::~SceneKeeper() = default;

void SceneKeeper::want(std::size_t scene) {
  const std::scoped_lock lock(mutex_);
  wanted_ = scene;
}

void SceneKeeper::prepare_anew() {
  const std::scoped_lock lock(mutex_);
  ++times_begun_;
  for (PreparedResult& ready : ready_) ready.reset();
  changed_.notify_all();
}

PreparedResult SceneKeeper::find(std::size_t scene) const {
  const std::scoped_lock lock(mutex_);
  return ready_[scene];
}

std::optional<std::size_t> SceneKeeper::next() const {
  for (std::size_t i = 0; i < ready_.size(); ++i) {
    const std::size_t scene = (wanted_ + i) % ready_.size();
    if (!ready_[scene]) return scene;
  }
  return std::nullopt;
}

void SceneKeeper::work(const std::stop_token& stop) {
  while (true) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [this] { return next().has_value(); })) return;
    const std::size_t scene = *next();
    const std::uint64_t begun = times_begun_;
    lock.unlock();
    auto ready =
        std::make_shared<const Result<PreparedScene>>(prepared(lesson_, lesson_.scenes[scene], player_));
    if (stop.stop_requested()) return;
    lock.lock();
    if (begun == times_begun_) ready_[scene] = std::move(ready);
    lock.unlock();
    wake_();
  }
}

GivenLesson::GivenLesson(OpenedLesson opened, std::function<void()> wake)
    : seen_(opened.lesson.scenes.size()),
      keeper_(std::move(opened.lesson), std::move(opened.player), std::move(wake)) {}

std::string GivenLesson::title_of(std::size_t scene) const {
  const PreparedResult prepared = keeper_.find(scene);
  return prepared && prepared->ok() ? (*prepared)->words.title : lesson().scenes[scene].title;
}

void GivenLesson::forward() {
  if (covered()) {
    uncovered_ = true;
    seen_[scene_] = true;
  } else if (scene_ + 1 < lesson().scenes.size()) {
    go(scene_ + 1);
  }
}

void GivenLesson::back() {
  if (scene_ > 0) go(scene_ - 1);
}

void GivenLesson::go(std::size_t scene) {
  scene_ = std::min(scene, lesson().scenes.size() - 1);
  marked_.reset();
  uncovered_ = false;
  keeper_.want(scene_);
}

void GivenLesson::mark(std::size_t answer) {
  if (!covered() || answer >= scene_now().question->answers.size()) return;
  marked_ = marked_ == answer ? std::nullopt : std::optional(answer);
}

}  // namespace warplens::app
