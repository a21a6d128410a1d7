#include "app/views/launch_row.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/launch/missing_arguments.h"
#include "app/views/launch_account.h"
#include "app/views/launch_row_fields.h"
#include "app/views/parameter_field.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

constexpr float kStatusWidth = 330, kNarrowStatusWidth = 150;

/// Returns the width of a button whose words are bold.
float bold_button_width(const Look& look, const char* text, float least) {
  const float words = width_of(look, text, {.font = picture::Font::sans_bold});
  return std::max(look.px(least), 2 * ImGui::GetStyle().FramePadding.x + std::ceil(words));
}

bool record_button(FieldRow& row, const Look& look, bool busy, const LaunchMenus& menus) {
  const float width = bold_button_width(look, tr("Record"), 80);
  row.place(width);
  ImGui::SetCursorScreenPos({row.x(), row.control_top()});
  const picture::Colour colour = look.palette->accent;
  ImGui::PushStyleColor(ImGuiCol_Button, packed(colour));
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, packed(mixed(colour, look.palette->text, 0.2f)));
  ImGui::PushStyleColor(ImGuiCol_ButtonActive, packed(mixed(colour, look.palette->background, 0.2f)));
  ImGui::PushStyleColor(ImGuiCol_Text, packed(picture::readable_on(colour)));
  ImGui::PushFont(look.fonts.sans_bold, kBaseTextSize);
  const bool recordable = menus.kernel() != gpu::kCublasId;
  ImGui::BeginDisabled(busy || !recordable);
  const bool pressed = ImGui::Button(labelled(tr("Record"), "record").c_str(), {width, 0});
  ImGui::EndDisabled();
  ImGui::PopFont();
  ImGui::PopStyleColor(4);
  explain(look, !recordable      ? tr("cuBLAS has no PTX to record: it can be launched and timed")
                : menus.on_gpu() ? tr("Launches the kernel with a recorder in it: totals of the whole grid, "
                                      "every access of the chosen blocks (F5)")
                                 : tr("Replays the kernel and records every access (F5)"));
  row.advance(width);
  return pressed;
}

/// One of the buttons that launch on the GPU: framed in its colour, filled while it is on.
struct GpuButton {
  const char* id;
  const char* words;
  const char* meaning;
  float width;  ///< In pixels
  picture::Colour colour;
  bool on = false, enabled = true;
};

bool gpu_button(FieldRow& row, const Look& look, const GpuModel& gpu, const GpuButton& button) {
  row.place(button.width);
  ImGui::SetCursorScreenPos({row.x(), row.control_top()});
  const picture::Colour surface =
      button.on ? button.colour : mixed(look.palette->panel, look.palette->header, 0.35f);
  ImGui::PushStyleColor(ImGuiCol_Button, packed(surface));
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, packed(mixed(surface, button.colour, 0.25f)));
  ImGui::PushStyleColor(ImGuiCol_ButtonActive, packed(mixed(surface, button.colour, 0.5f)));
  ImGui::PushStyleColor(ImGuiCol_Text,
                        packed(button.on ? picture::readable_on(button.colour) : button.colour));
  ImGui::PushStyleColor(ImGuiCol_Border, packed(button.colour));
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 1);
  ImGui::PushFont(look.fonts.sans_bold, kBaseTextSize);
  ImGui::BeginDisabled(!gpu.usable() || !button.enabled);
  const bool pressed = ImGui::Button(labelled(button.words, button.id).c_str(), {button.width, 0});
  ImGui::EndDisabled();
  ImGui::PopFont();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(5);
  explain(look, gpu.usable() ? std::string(button.meaning) : gpu.unusable());
  row.advance(button.width);
  return pressed;
}

constexpr float kAccountSize = 12;

/// Returns the width of the account's two lines.
float width_of(const Look& look, const Account::Words& words) {
  return std::max(width_of(look, words.verdict, {.size = kAccountSize}),
                  width_of(look, words.figures, {.size = kAccountSize}));
}

/// Right-aligned in what is left of the row, in the longest words that there is room for; on a line of its
/// own where there is not even room for the verdict.
void draw_account(FieldRow& row, const Look& look, const Account& account, float right) {
  const TextStyle coloured{.colour = account.colour, .size = kAccountSize},
      muted{.colour = look.palette->muted, .size = kAccountSize};
  const Account::Words& longest = account.forms.front();
  const std::string full =
      longest.verdict + "\n" + longest.figures + (account.more.empty() ? "" : "\n" + account.more);
  const auto put = [&](const std::string& text, const TextStyle& style, float end, float top) {
    ImGui::SetCursorScreenPos({end - width_of(look, text, style), top});
    write(look, text, style);
    explain(look, full);
  };
  const float left = right - row.x();
  auto form = std::ranges::find_if(
      account.forms, [&](const Account::Words& words) { return width_of(look, words) <= left; });
  Account::Words words = form == account.forms.end() ? account.forms.back() : *form;
  if (account.cut && form == account.forms.end() && left >= look.px(kStatusWidth)) {
    words = {shortened(look, longest.verdict, coloured, left), shortened(look, longest.figures, muted, left)};
    form = account.forms.begin();
  }
  if (form != account.forms.end()) {
    const float top = row.place(0).y + look.px(words.figures.empty() ? 20 : 5);
    put(words.verdict, coloured, right, top);
    if (!words.figures.empty()) put(words.figures, muted, right, top + look.px(19));
    return;
  }
  const float top = row.begin_low_line(), room = row.length(), gap = look.px(12);
  const auto in_one_line = [&](const Account::Words& each) {
    return width_of(look, each.verdict, coloured) + width_of(look, each.figures, muted) + gap <= room;
  };
  form = std::ranges::find_if(account.forms, in_one_line);
  if (form != account.forms.end()) words = *form;
  words.verdict = shortened(look, words.verdict, coloured, room);
  if (form == account.forms.end()) words.figures.clear();
  put(words.figures, muted, right, top);
  put(words.verdict, coloured,
      words.figures.empty() ? right : right - width_of(look, words.figures, muted) - gap, top);
}

std::optional<Account> account_in(const LaunchStatus& status, const picture::Palette& palette) {
  if (status.latest_run != nullptr) return account_of(*status.latest_run, palette);
  if (status.loaded != nullptr) {
    Account account = account_of(*status.loaded, palette);
    if (status.loaded->hardware) add_counters(account, *status.loaded, palette);
    return account;
  }
  if (status.refused != nullptr) return account_of(*status.refused, palette);
  return std::nullopt;
}

std::string progress_in_words(const LaunchStatus& status) {
  const std::string &work = status.busy_with, done = with_thousands(status.done);
  switch (status.part) {
    case WorkPart::blocks:
      return tr_n(status.total, "{work}: {done} of {n} block", "{work}: {done} of {n} blocks",
                  "work"_a = work, "done"_a = done);
    case WorkPart::kernels:
      return tr_n(status.total, "{work}: {done} of {n} kernel", "{work}: {done} of {n} kernels",
                  "work"_a = work, "done"_a = done);
    case WorkPart::points: break;
  }
  return tr_n(status.total, "{work}: {done} of {n} point", "{work}: {done} of {n} points", "work"_a = work,
              "done"_a = done);
}

bool draw_progress(FieldRow& row, const Look& look, const LaunchStatus& status, float right) {
  const float width = std::clamp(right - row.x(), look.px(kNarrowStatusWidth), look.px(kStatusWidth));
  const ImVec2 at = row.place(width);
  const float left = std::max(at.x, right - look.px(kStatusWidth)),
              button = std::max(look.px(70), button_width(look, tr("Cancel")));
  const float room = right - left - button - look.px(kFieldGap);
  const TextStyle style{.colour = look.palette->text, .size = 12};
  std::string words = status.busy_with;
  if (status.total != 0) {
    words = progress_in_words(status);
    if (width_of(look, words, style) > room) {
      words = tr("{work}: {percent} %", "work"_a = status.busy_with,
                 "percent"_a = 100 * status.done / status.total);
    }
  }
  if (status.line != 0) {  // Perhaps it never ends
    words = tr_n(status.instructions / 1'000'000, "{work}: {n} million instructions, in line {line}",
                 "{work}: {n} million instructions, in line {line}", "work"_a = status.busy_with,
                 "line"_a = status.line);
  }
  ImGui::SetCursorScreenPos({left, at.y + look.px(2)});
  write(look, shortened(look, words, style, room), style);
  explain(look, words);
  ImGui::SetCursorScreenPos({left, row.control_top() + look.px(8)});
  const float fraction =
      status.total == 0 ? 0.0f : static_cast<float>(status.done) / static_cast<float>(status.total);
  ImGui::ProgressBar(fraction, {right - left - button - look.px(kFieldGap), look.px(8)}, "");
  ImGui::SetCursorScreenPos({right - button, row.control_top()});
  return ImGui::Button(labelled(tr("Cancel"), "cancel").c_str(), {button, 0});
}

bool allow_reading_button(FieldRow& row, const Look& look, const std::string& folder) {
  constexpr float kMaxWidth = 260;
  const std::string words = shortened(look, tr("Allow reading {folder}", "folder"_a = folder), {},
                                      look.px(kMaxWidth) - 2 * ImGui::GetStyle().FramePadding.x);
  const float width = std::ceil(button_width(look, words.c_str()));
  row.place(width);
  ImGui::SetCursorScreenPos({row.x(), row.control_top()});
  const bool pressed = ImGui::Button(labelled(words, "allow_reading").c_str(), {width, 0});
  explain(look, tr("The source names files in {folder}, outside its own folder and its project. They may be "
                   "read until Warplens ends.",
                   "folder"_a = folder));
  row.advance(width);
  return pressed;
}
}  // namespace

LaunchActions draw_launch_row(const Model& model, const Look& look, const LaunchStatus& status,
                              LaunchMenus& menus, float right) {
  LaunchActions actions;
  ImGui::PushID("Launch");
  FieldRow row(look, right);
  actions.separate_sizes = status.separate_sizes;
  const ChosenLaunch chosen =
      kernel_field(row, look, model.gpu, launchable_kernel(menus), status.kernels, menus);
  actions.chosen = chosen.entry;
  actions.chosen_launch = chosen.launch;
  if (FileKernel* const own = std::get_if<FileKernel>(&menus.launch.origin);
      own != nullptr && menus.launch.form) {
    form_fields(row, look, *menus.launch.form,
                status.kernels == nullptr ? nullptr : status.kernels->find(own->entry),
                is_cuda_file(own->file), status.focus_missing);
  }
  if (const KernelDescriptor* const kernel = launchable_kernel(menus); kernel != nullptr) {
    actions.separate_sizes = size_fields(row, look, *kernel, menus, status.separate_sizes);
    parameter_fields(row, look, *kernel, menus);
    type_field(row, look, *kernel, menus);
  }
  rules_field(row, look, menus);
  engine_field(row, look, model.gpu, menus);
  blocks_field(row, look, menus);
  const bool idle = status.busy_with.empty();
  actions.record = record_button(row, look, !idle, menus);
  const GpuButton run_once{
      .id = "run_once",
      .words = tr("Run once"),
      .meaning = tr("Launches the kernel on the GPU, verifies what it computed, and times it (F6)"),
      .width = bold_button_width(look, tr("Run once"), 80),
      .colour = look.palette->text,
      .enabled = !status.gpu_busy};
  const GpuButton live{
      .id = "live",
      .words = tr("Live"),
      .meaning = tr("Launches the kernel again and again, cuBLAS in turn with it: see Throughput (F7)"),
      .width = bold_button_width(look, tr("Live"), 52),
      .colour = look.palette->good,
      .on = model.gpu.live_on,
      .enabled = true};
  // Progress and accounts take the place of buttons that do nothing meanwhile, rather than a line of their
  // own, which would move all below it.
  const std::optional<Account> account = idle ? account_in(status, *look.palette) : std::nullopt;
  const float needed = !idle     ? look.px(kNarrowStatusWidth)
                       : account ? width_of(look, account->forms.back())
                                 : 0;
  const bool narrow = row.x() + run_once.width + live.width + look.px(2 * kFieldGap) + needed > right;
  const bool usable = model.gpu.usable();
  if (!narrow || (idle && usable)) actions.run_once = gpu_button(row, look, model.gpu, run_once);
  if (!narrow || usable) actions.toggle_live = gpu_button(row, look, model.gpu, live);

  if (!status.unreadable_folder.empty())
    actions.allow_reading = allow_reading_button(row, look, status.unreadable_folder);
  if (!idle) actions.cancel = draw_progress(row, look, status, right);
  if (account) draw_account(row, look, *account, right);
  ImGui::SetCursorScreenPos({right, row.bottom()});
  ImGui::Dummy({0, 0});
  ImGui::PopID();
  return actions;
}

}  // namespace warplens::app
