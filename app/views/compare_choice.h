// Which launch the view Compare holds beside the one on screen.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/session/other_rules.h"
#include "app/views/view.h"

namespace warplens::app {

/// "tiled · 256³ · T 16 · CC 9.0"; with what it is before an edit, or its place among those held, where
/// another has that name.
[[nodiscard]] std::string compared_name(const Frame& frame, const Shown& shown);
/// The same of the launch by other rules.
[[nodiscard]] std::string compared_name(const Shown& shown, analysis::ComputeCapability cc);
/// The launch on screen; nullptr: there is none.
[[nodiscard]] const Shown* launch_on_screen(const Frame& frame);

/// A: one that the window holds, or the launch on screen by other rules.
class ChoiceOfA {
 public:
  /// What was chosen, as long as it is held; else of an edit what it was, or what was on screen before, or
  /// what comes after. nullptr: there is none yet.
  [[nodiscard]] const Shown* find(const Frame& frame);
  /// The rules by which the launch on screen is being costed, if A is that.
  [[nodiscard]] std::optional<analysis::ComputeCapability> costing() const { return costing_; }
  /// There was not enough memory for it.
  [[nodiscard]] bool failed() const { return costing_ && other_rules_.failed(); }
  /// A menu of all that A can be, that shows `name` while it is closed.
  void draw_menu(const Frame& frame, const Shown* a, const std::string& name);

 private:
  [[nodiscard]] const Shown* held(const Frame& frame, const Shown& b) const;
  [[nodiscard]] const Shown* by_other_rules(const Frame& frame, const Shown& b);

  std::weak_ptr<const Recording> chosen_;
  std::optional<analysis::ComputeCapability> rules_;  ///< Chosen in place of a recording
  std::optional<analysis::ComputeCapability> costing_;
  OtherRules other_rules_;
  Shown by_rules_;
};

}  // namespace warplens::app
