// A lesson while it is given: which scene is on, and what the class has been shown of it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "app/lesson/shipped.h"
#include "app/lesson/words.h"

namespace warplens::app {

using PreparedResult = std::shared_ptr<const Result<PreparedScene>>;

/// Stages the scenes of a lesson on a thread of its own: the one that is on, those that come next, then those
/// before.
class SceneKeeper {
 public:
  /// `wake` is called, on the keeper's thread, whenever a scene is ready.
  SceneKeeper(Lesson lesson, ScenePlayer player, std::function<void()> wake);
  ~SceneKeeper();
  SceneKeeper(const SceneKeeper&) = delete;
  SceneKeeper& operator=(const SceneKeeper&) = delete;

  [[nodiscard]] const Lesson& lesson() const { return lesson_; }
  void want(std::size_t scene);
  /// Prepares all scenes anew: words are said in another language from now on.
  void prepare_anew();
  /// Null: not ready yet.
  [[nodiscard]] PreparedResult find(std::size_t scene) const;

 private:
  void work(const std::stop_token& stop);
  /// Call with the mutex locked.
  [[nodiscard]] std::optional<std::size_t> next() const;

  const Lesson lesson_;
  ScenePlayer player_;
  std::function<void()> wake_;
  mutable std::mutex mutex_;  ///< Of what follows
  std::condition_variable_any changed_;
  std::size_t wanted_ = 0;
  std::uint64_t times_begun_ = 0;  ///< What was prepared before the last beginning is out of date
  std::vector<PreparedResult> ready_;
  std::jthread thread_;  // Last: it uses the rest
};

class GivenLesson {
 public:
  /// Begins at the first scene. `wake` makes the window draw a frame; called from any thread.
  GivenLesson(OpenedLesson opened, std::function<void()> wake);

  [[nodiscard]] const Lesson& lesson() const { return keeper_.lesson(); }
  [[nodiscard]] std::size_t scene() const { return scene_; }
  [[nodiscard]] const Scene& scene_now() const { return lesson().scenes[scene_]; }
  /// Returns the scene that is on. Null: not ready yet; the error says what is wrong with it, and where in
  /// the lesson.
  [[nodiscard]] PreparedResult prepared() const { return prepared(scene_); }
  [[nodiscard]] PreparedResult prepared(std::size_t scene) const { return keeper_.find(scene); }

  void prepare_anew() { keeper_.prepare_anew(); }
  /// Returns the title of any scene; its fields are filled in once it is ready.
  [[nodiscard]] std::string title_of(std::size_t scene) const;

  /// Uncovers the answer if the scene has a question, else goes to the next scene; at the end of the last it
  /// stays.
  void forward();
  void back();
  /// To a scene, as it begins.
  void go(std::size_t scene);
  /// What the class says. Again the same answer: it is taken back. Nothing, once the answer is uncovered or
  /// if there is no such.
  void mark(std::size_t answer);
  [[nodiscard]] std::optional<std::size_t> marked() const { return marked_; }
  /// Whether the scene's question waits for its answer.
  [[nodiscard]] bool covered() const { return scene_now().question.has_value() && !uncovered_; }
  /// Whether the class has seen the scene's answer, now or before.
  [[nodiscard]] bool uncovered(std::size_t scene) const { return seen_[scene]; }
  [[nodiscard]] bool hides(std::string_view view) const { return covered() && scene_now().hides(view); }

 private:
  std::size_t scene_ = 0;
  std::optional<std::size_t> marked_;
  bool uncovered_ = false;
  std::vector<bool> seen_;  ///< By scene: its answer
  SceneKeeper keeper_;
};

}  // namespace warplens::app
