#include "app/shell/kernel_list_window.h"

#include <fmt/format.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <utility>

#include "app/shell/dialogue.h"
#include "kernels/base/figures.h"
#include "kernels/base/text.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

namespace fs = std::filesystem;

constexpr ImVec2 kListSize{1080, 640};
constexpr float kLeastWithParameters = 700, kLeastWithLaunch = 420;
constexpr int kRowsOfPage = 10;
/// What takes no longer is shown in the same frame.
constexpr auto kReadAtOnce = std::chrono::milliseconds(20);

std::string place_in_words(const ListedKernel& kernel) {
  return escaped(fmt::format("{}:{}", kernel.file.string(), kernel.line));
}

}  // namespace

KernelListWindow::KernelListWindow(const std::function<void()>& wake, Actions actions)
    : actions_(std::move(actions)), reading_(wake) {}

void KernelListWindow::start(const fs::path& path) {
  path_ = path;
  is_file_ = may_have_kernels(path);
  kernels_.clear();
  unread_.clear();
  typed_.clear();
  rows_.clear();
  files_ = selected_ = 0;
  is_stopped_ = false;
  active_ = focus_field_ = was_reading_ = true;
  reading_.start([path](const DetachedWork<Update>::Reporter& report) {
    const Result<Done> listed = list_kernels(path, [&](KernelListPart part) {
      report({.part = std::move(part)});
      return report.wanted();
    });
    if (!listed.ok()) report({.error = listed.error()});
  });
  reading_.wait(kReadAtOnce);
  poll();
}

void KernelListWindow::show_again() {
  active_ = focus_field_ = true;
  if (is_stopped_) start(fs::path(path_));
}

void KernelListWindow::close() {
  active_ = false;
  if (reading()) is_stopped_ = true;
  reading_.leave();
}

void KernelListWindow::poll() {
  if (!active_) return;
  for (Update& update : reading_.take()) take(std::move(update));
  if (std::exchange(was_reading_, reading()) && !reading()) finish();
}

void KernelListWindow::take(Update update) {
  if (update.error) {
    close();
    return actions_.fail(tr("Opening {file}", "file"_a = path_.filename().string()), *update.error);
  }
  std::ranges::move(update.part.kernels, std::back_inserter(kernels_));
  std::ranges::move(update.part.unread, std::back_inserter(unread_));
  files_ += update.part.files;
  // Who has chosen a row keeps it: what was read since stands behind it, or is sorted in among what was
  // found.
  const std::optional<std::size_t> chosen =
      selected_ < rows_.size() && selected_ > 0 ? std::optional(rows_[selected_]) : std::nullopt;
  search();
  if (!chosen) return;
  const auto now = std::ranges::find(rows_, *chosen);
  if (now != rows_.end()) selected_ = static_cast<std::size_t>(now - rows_.begin());
}

/// Nobody chooses from a file's one kernel, or from none.
void KernelListWindow::finish() {
  if (!is_file_ || !active_) return;
  if (kernels_.empty()) {
    close();
    const std::string reason = unread_.empty() ? tr("there is no kernel in it") : unread_.front().reason;
    return actions_.fail(tr("Opening {file}", "file"_a = path_.filename().string()),
                         {reason, path_.string(),
                          tr("A kernel is a function with __global__, @triton.jit or @cuda.jit, or a string "
                             "that CuPy compiles.")});
  }
  if (kernels_.size() == 1) accept(0);
}

void KernelListWindow::search() {
  rows_ = kernels_that_fit(kernels_, typed_);
  selected_ = 0;
}

void KernelListWindow::accept(std::size_t row) {
  if (row >= rows_.size()) return;
  const ListedKernel kernel = kernels_[rows_[row]];
  close();
  actions_.open((is_file_ ? path_.parent_path() : path_) / kernel.file, kernel);
}

void KernelListWindow::draw(const Look& look) {
  poll();
  if (!active_) return;
  const std::string title =
      tr("Kernels of {file}",
         "file"_a = escaped(path_.has_filename() ? path_.filename().string() : path_.string()));
  if (!begin_dialogue(look, title.c_str(), "kernels", 0.5f, kListSize)) return;
  accepted_.reset();
  draw_field();
  draw_unread(look);
  const float buttons = ImGui::GetFrameHeight() + ImGui::GetStyle().ItemSpacing.y + look.px(1);
  draw_table(look, {ImGui::GetContentRegionAvail().x,
                    std::max(ImGui::GetContentRegionAvail().y - buttons, 4 * ImGui::GetTextLineHeight())});
  draw_buttons(look);
  if (ImGui::IsKeyPressed(ImGuiKey_Escape)) close();
  // After a click the field has the keys again.
  if (ImGui::IsMouseReleased(ImGuiMouseButton_Left)) focus_field_ = true;
  if (!active_ || accepted_) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
  if (active_ && accepted_) accept(*accepted_);
}

int KernelListWindow::on_key(ImGuiInputTextCallbackData* data) {
  auto& window = *static_cast<KernelListWindow*>(data->UserData);
  window.moved_ = data->EventKey == ImGuiKey_UpArrow ? -1 : 1;
  return 0;
}

// The field keeps the keys: letters are typed there, and the arrows move in the list below.
void KernelListWindow::draw_field() {
  if (std::exchange(focus_field_, false) || ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  moved_ = 0;
  ImGui::SetNextItemWidth(-1);
  const std::string before = typed_;
  const bool entered = ImGui::InputTextWithHint(
      "##typed", tr("name of a kernel or a file"), &typed_,
      ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackHistory, on_key, this);
  const ImGuiID id = ImGui::GetItemID();
  if (ImGui::IsItemActive()) {
    for (const ImGuiKey key : {ImGuiKey_PageUp, ImGuiKey_PageDown}) {
      ImGui::SetKeyOwner(key, id);
      if (ImGui::IsKeyPressed(key)) moved_ = key == ImGuiKey_PageUp ? -kRowsOfPage : kRowsOfPage;
    }
  }
  if (typed_ != before) {
    search();
    scroll_wanted_ = true;
  }
  if (moved_ != 0 && !rows_.empty()) {
    const auto last = static_cast<std::ptrdiff_t>(rows_.size()) - 1;
    selected_ = static_cast<std::size_t>(
        std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(selected_) + moved_, 0, last));
    scroll_wanted_ = true;
  }
  if (entered) accepted_ = selected_;
  if (entered && rows_.empty()) accepted_.reset();
}

void KernelListWindow::draw_unread(const Look& look) const {
  if (unread_.empty()) return;
  constexpr std::size_t kMostNamed = 12;
  const UnreadFile& first = unread_.front();
  write_wrapped(look,
                tr_n(unread_.size(), "{n} file was not read: {file} ({reason})",
                     "{n} files were not read, the first is {file} ({reason})",
                     "file"_a = escaped(cut_at_begin(first.file.string(), 100)), "reason"_a = first.reason),
                {.colour = look.palette->costly, .size = 12});
  std::string all;
  for (std::size_t i = 0; i < std::min(unread_.size(), kMostNamed); ++i) {
    all += fmt::format("{}{}: {}", i == 0 ? "" : "\n", escaped(cut_at_begin(unread_[i].file.string(), 100)),
                       unread_[i].reason);
  }
  if (unread_.size() > kMostNamed) all += "\n…";
  explain(look, all);
}

void KernelListWindow::draw_table(const Look& look, ImVec2 size) {
  constexpr auto kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_Resizable |
                          ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_PadOuterX |
                          ImGuiTableFlags_BordersOuter | ImGuiTableFlags_NoSavedSettings;
  const auto unless = [](bool shown) {
    return shown ? ImGuiTableColumnFlags_None : ImGuiTableColumnFlags_Disabled;
  };
  ImGui::PushItemFlag(ImGuiItemFlags_NoNav, true);  // The keys reach the list through the field
  if (ImGui::BeginTable("kernels", 4, kFlags, size)) {
    ImGui::TableSetupColumn(labelled(tr("Kernel"), "name").c_str(), ImGuiTableColumnFlags_WidthStretch, 3);
    ImGui::TableSetupColumn(labelled(tr("File"), "file").c_str(), ImGuiTableColumnFlags_WidthStretch, 3);
    ImGui::TableSetupColumn(labelled(tr("Launch"), "launch").c_str(),
                            ImGuiTableColumnFlags_WidthStretch | unless(size.x >= look.px(kLeastWithLaunch)),
                            2.4f);
    ImGui::TableSetupColumn(
        labelled(tr("Parameters"), "parameters").c_str(),
        ImGuiTableColumnFlags_WidthStretch | unless(size.x >= look.px(kLeastWithParameters)), 2.8f);
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableHeadersRow();
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(rows_.size()));
    const bool scroll = std::exchange(scroll_wanted_, false) && selected_ < rows_.size();
    if (scroll) clipper.IncludeItemByIndex(static_cast<int>(selected_));
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        const auto row = static_cast<std::size_t>(i);
        if (draw_row(look, row)) accepted_ = row;
        if (scroll && selected_ == row && !ImGui::IsItemVisible()) ImGui::SetScrollHereY();
      }
    }
    end_table(look);
  }
  ImGui::PopItemFlag();
}

/// True when it is double-clicked.
bool KernelListWindow::draw_row(const Look& look, std::size_t row) {
  const ListedKernel& kernel = kernels_[rows_[row]];
  const picture::Palette& palette = *look.palette;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushID(static_cast<int>(rows_[row]));
  if (ImGui::Selectable("##kernel", selected_ == row, ImGuiSelectableFlags_SpanAllColumns)) selected_ = row;
  const bool twice = ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  ImGui::PopID();
  ImGui::SameLine(0, 0);
  const auto cell = [&](const std::string& words, TextStyle style) {
    const std::string shown = shortened(look, words, style, ImGui::GetContentRegionAvail().x);
    write(look, shown, style);
    if (shown != words) explain(look, words);
  };
  cell(escaped(name_in_words(kernel)), {.colour = palette.text, .size = 12, .font = picture::Font::mono});
  if (ImGui::TableNextColumn())
    cell(place_in_words(kernel), {.colour = palette.muted, .size = 12, .font = picture::Font::mono});
  if (ImGui::TableNextColumn())
    cell(fmt::format("{} · {}", name_of(kernel.language), name_of(kernel.launch)),
         {.colour = palette.muted, .size = 12});
  if (ImGui::TableNextColumn())
    cell(escaped(parameters_in_words(kernel)),
         {.colour = palette.muted, .size = 12, .font = picture::Font::mono});
  return twice;
}

std::string KernelListWindow::status() const {
  const std::string kernels = rows_.size() == kernels_.size()
                                  ? tr_n(kernels_.size(), "{n} kernel", "{n} kernels")
                                  : tr_n(kernels_.size(), "{found} of {n} kernel", "{found} of {n} kernels",
                                         "found"_a = with_thousands(rows_.size()));
  const std::string files = tr_n(files_, "{n} file read", "{n} files read");
  return reading() ? tr("{kernels}, {files} so far ...", "kernels"_a = kernels, "files"_a = files)
                   : fmt::format("{}, {}", kernels, files);
}

void KernelListWindow::draw_buttons(const Look& look) {
  ImGui::BeginDisabled(rows_.empty());
  if (dialogue_button(look, tr("Open"), "accept")) accepted_ = selected_;
  ImGui::EndDisabled();
  const char* const leave = reading() ? tr("Cancel") : tr("Close");
  same_line_if_fits(look, std::max(look.px(90), button_width(look, leave)));
  if (dialogue_button(look, leave, "cancel")) close();
  write_dialogue_status(look, status());
}

}  // namespace warplens::app
