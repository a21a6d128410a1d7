#include "app/views/compare_choice.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

/// "m 256 · p 256 · n 256" is "256³".
std::string with_short_size(std::string words, const LaunchRequest& launch) {
  const auto m = launch.value("m"), p = launch.value("p"), n = launch.value("n");
  if (!m || m != p || m != n) return words;
  const std::string size = fmt::format(" · m {0} · p {0} · n {0}", *m);
  const std::size_t found = words.find(size);
  return found == std::string::npos ? words
                                    : words.replace(found, size.size(), fmt::format(" · {}\u00b3", *m));
}

bool is_before_the_edit(const Frame& frame, const Shown& shown) {
  const std::shared_ptr<const Loaded>& before = frame.editing.before;
  return frame.editing.on && before && shown.loaded && shown.loaded->recording == before->recording;
}

}  // namespace

std::string compared_name(const Shown& shown, analysis::ComputeCapability cc) {
  return fmt::format("{} · CC {}", with_short_size(launch_in_words(shown.menus), shown.menus.launch),
                     cc.name());
}

std::string compared_name(const Frame& frame, const Shown& shown) {
  std::string name = compared_name(shown, shown.loaded->cc);
  if (is_before_the_edit(frame, shown)) return tr("{launch} · before the edit", "launch"_a = name);
  const auto place = std::ranges::find(frame.held, shown.loaded, &Shown::loaded);
  const auto same = [&](const Shown& other) {
    return other.loaded && compared_name(other, other.loaded->cc) == name;
  };
  if (place == frame.held.end() || std::ranges::count_if(frame.held, same) < 2) return name;
  return tr("{launch} · recording {number}", "launch"_a = name, "number"_a = place - frame.held.begin() + 1);
}

const Shown* launch_on_screen(const Frame& frame) {
  const auto found = std::ranges::find(frame.held, frame.shown, &Shown::loaded);
  return frame.shown == nullptr || found == frame.held.end() ? nullptr : &*found;
}

const Shown* ChoiceOfA::find(const Frame& frame) {
  costing_.reset();
  const Shown* const b = launch_on_screen(frame);
  if (b == nullptr) return nullptr;
  return rules_ ? by_other_rules(frame, *b) : held(frame, *b);
}

const Shown* ChoiceOfA::held(const Frame& frame, const Shown& b) const {
  if (frame.held.size() < 2) return nullptr;
  const auto chosen = std::ranges::find_if(frame.held, [this](const Shown& shown) {
    return shown.loaded && shown.loaded->recording == chosen_.lock();
  });
  if (chosen != frame.held.end() && &*chosen != &b) return &*chosen;
  const auto before =
      std::ranges::find_if(frame.held, [&](const Shown& shown) { return is_before_the_edit(frame, shown); });
  if (before != frame.held.end() && &*before != &b) return &*before;
  return &b == &frame.held.front() ? &b + 1 : &b - 1;
}

const Shown* ChoiceOfA::by_other_rules(const Frame& frame, const Shown& b) {
  std::shared_ptr<const Loaded> by_rules = other_rules_.by_rules(b.loaded, *rules_, frame.wake);
  if (!by_rules) {
    costing_ = rules_;
    return nullptr;
  }
  if (by_rules_.loaded != by_rules) by_rules_ = {std::move(by_rules), b.selection, b.menus, b.run};
  by_rules_.run = b.run;
  return &by_rules_;
}

void ChoiceOfA::draw_menu(const Frame& frame, const Shown* a, const std::string& name) {
  if (!ImGui::BeginCombo("##a", name.c_str(), ImGuiComboFlags_HeightLarge)) return;
  for (std::size_t i = 0; i < frame.held.size(); ++i) {
    const Shown& held = frame.held[i];
    if (held.loaded == nullptr || held.loaded == frame.shown) continue;
    if (list_entry(labelled(compared_name(frame, held), std::to_string(i)).c_str(), &held == a)) {
      chosen_ = held.loaded->recording;
      rules_.reset();
    }
  }
  ImGui::SeparatorText(tr("this launch with other memory rules"));
  for (const analysis::DeviceModel& model : analysis::device_models()) {
    if (model.cc == frame.loaded().cc) continue;
    const std::string rules = fmt::format("CC {} ({})", model.cc.name(), model.architecture);
    if (list_entry(labelled(rules, "cc " + model.cc.name()).c_str(), rules_ == model.cc)) rules_ = model.cc;
  }
  ImGui::EndCombo();
}

}  // namespace warplens::app
