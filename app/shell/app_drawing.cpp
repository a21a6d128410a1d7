// What is drawn in a frame, around the panels.
#include <algorithm>
#include <utility>

#include "app/shell/app.h"
#include "kernels/base/text.h"

namespace warplens::app {
namespace {

constexpr float kScrubberHeight = 72, kPresentedScrubberHeight = 46;

}  // namespace

void App::draw_host(const Graphics& graphics) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->Pos);
  ImGui::SetNextWindowSize(viewport->Size);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, look_.px(8, 9));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, packed(look_.palette->background));
  constexpr auto kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                          ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoBringToFrontOnFocus |
                          ImGuiWindowFlags_NoNavFocus | ImGuiWindowFlags_MenuBar |
                          ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoSavedSettings;
  ImGui::Begin("Warplens", nullptr, kFlags);
  ImGui::PopStyleVar();  // The menus' own padding stays
  draw_menu_bar();
  ImGui::PopStyleVar();
  draw_launch();

  const float margin = look_.px(8), scrubber = look_.px(kScrubberHeight);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 end{viewport->Pos.x + viewport->Size.x, viewport->Pos.y + viewport->Size.y};
  const ImVec2 dock_size{std::max(end.x - at.x - 2 * margin, 1.0f),
                         std::max(end.y - at.y - scrubber - 3 * margin, look_.px(60))};
  dock_space_ = ImGui::GetID("DockSpace");
  if (std::exchange(layout_wanted_, false)) {
    build_layout(dock_space_, *density_, dock_size);
    room_shared_ = dock_size;
  }
  share_room(dock_space_, dock_size, room_shared_);
  ImGui::SetCursorScreenPos({at.x + margin, at.y + margin});
  ImGui::PushFont(look_.fonts.sans_bold, kBaseTextSize);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, look_.px(6, 8));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemInnerSpacing, look_.px(2, 4));  // Between tabs
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize,
                      look_.px(kLeastPanel.x, kLeastPanel.y));  // How far a panel's edge can be dragged
  ImGui::PushStyleColor(ImGuiCol_Border,
                        packed(look_.palette->background));  // The gaps between the panels are drawn in it
  ImGui::DockSpace(dock_space_, dock_size);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(3);
  ImGui::PopFont();

  // Where there is no room for all of it, it is cut off below and does not lie on the menus.
  ImGui::SetCursorScreenPos(
      {at.x + margin, std::max(end.y - margin - scrubber, at.y + dock_size.y + 2 * margin)});
  const ImVec2 below = ImGui::GetCursorScreenPos();
  parts_.scrubber = {below, {below.x + dock_size.x, below.y + scrubber}};
  if (ImGui::BeginChild("Scrubber", {dock_size.x, scrubber}, 0,
                        ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse)) {
    scrubber_.draw(frame_for(graphics), player_, meter_.now(), scrubber);
  }
  ImGui::EndChild();
  ImGui::End();
  ImGui::PopStyleColor();
}

void App::draw_menu_bar() {
  if (!ImGui::BeginMenuBar()) return;
  ImGui::SetCursorPosX(look_.px(16));
  write(look_, "Warplens", {.colour = look_.palette->text, .size = 14, .font = picture::Font::sans_bold});
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + look_.px(10));
  draw_menu(commands_, kFileMenu, [this] {
    if (!ImGui::BeginMenu(labelled(tr("Open recent"), "recent").c_str(), !settings_.recent.empty())) return;
    for (const auto& path : std::vector(settings_.recent)) {
      if (ImGui::MenuItem(escaped(path.string()).c_str())) recordings_.open(path);
    }
    ImGui::EndMenu();
  });
  draw_menu(commands_, kLaunchMenu);
  draw_menu(commands_, kGoMenu);
  draw_menu(commands_, kViewMenu, [this] {
    draw_menu(commands_, kPresentMenu);
    draw_menu(commands_, kLanguageMenu);
  });
  draw_menu(commands_, kHelpMenu, [this] { draw_menu(commands_, kHandoutMenu); });
  const TextStyle hint{.colour = look_.palette->muted};
  const std::string palette = tr("{key}  all commands", "key"_a = "Ctrl+P");
  const float left = ImGui::GetWindowWidth() - width_of(look_, palette, hint) - look_.px(16);
  const ImVec2 bar = ImGui::GetWindowPos();
  parts_.menus = {bar, {bar.x + ImGui::GetWindowWidth(), bar.y + ImGui::GetFrameHeight()}};
  notice_room_ = {.left = ImGui::GetCursorScreenPos().x,
                  .top = bar.y,
                  .right = bar.x + left - look_.px(8),
                  .bottom = bar.y + ImGui::GetFrameHeight()};
  if (left > ImGui::GetCursorPosX()) {
    ImGui::SetCursorPosX(left);
    write(look_, palette, hint);
    if (ImGui::IsItemClicked()) palette_.open();
  }
  ImGui::EndMenuBar();
}

void App::draw_launch() {
  LaunchStatus status;
  if (recordings_.work().busy()) {
    const replay::Progress& progress = recordings_.work().progress();
    status = {.busy_with = recordings_.work().what(),
              .done = progress.blocks_done,
              .total = progress.blocks_total,
              .instructions = progress.warp_instructions,
              .line = progress.line};
  } else if (gpu_.busy()) {
    status = {.busy_with = model_.gpu.busy_with,
              .done = model_.gpu.done,
              .total = model_.gpu.total,
              .part = model_.gpu.part};
  }
  status.gpu_busy = gpu_.busy();
  status.kernels = editing_.source().kernels.get();
  if (recordings_.row_is_shown()) status.loaded = loaded().get();
  status.latest_run = gpu_.latest_run();
  status.refused = recordings_.refused();
  status.separate_sizes = settings_.separate_sizes;
  status.unreadable_folder =
      status.refused != nullptr ? status.refused->unreadable_folder : editing_.folder_of_include();
  // Once for each kernel: who types elsewhere keeps the keyboard.
  const FileKernel* const own = menus_.launch.file_kernel();
  const std::string kernel = own == nullptr ? std::string() : own->file.string() + ":" + own->entry;
  status.focus_missing =
      status.refused != nullptr && own != nullptr && !editing_.source().on && kernel != asked_fields_of_;
  if (status.refused != nullptr) asked_fields_of_ = kernel;

  // The row's surface lies under what is not drawn yet, and is as tall as that turns out to be.
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const float right = from.x + ImGui::GetWindowWidth();
  list.ChannelsSplit(2);
  list.ChannelsSetCurrent(1);
  ImGui::SetCursorScreenPos({from.x + look_.px(14), from.y + look_.px(4)});
  ImGui::BeginGroup();
  ImGui::PushItemWidth(0);
  const auto options = [this] { return menus_.launch.form ? menus_.launch.form->options : std::string(); };
  const std::string options_before = options();
  const LaunchActions actions = draw_launch_row(model_, look_, status, menus_, right - look_.px(14));
  ImGui::PopItemWidth();
  ImGui::EndGroup();
  const float bottom = ImGui::GetItemRectMax().y;
  list.ChannelsSetCurrent(0);
  list.AddRectFilled(from, {right, bottom},
                     packed(mixed(look_.palette->panel, look_.palette->header, 0.35f)));
  list.AddLine({from.x, bottom}, {right, bottom}, packed(look_.palette->line));
  list.ChannelsMerge();
  ImGui::SetCursorScreenPos({from.x, bottom});
  parts_.launch = {from, {right, bottom}};
  settings_.separate_sizes = actions.separate_sizes;
  if (options() != options_before) editing_.keep_options();
  if (actions.allow_reading) recordings_.allow_reading(status.unreadable_folder);
  if (actions.chosen != nullptr) editing_.choose_entry(*actions.chosen, actions.chosen_launch);
  if (actions.record) recordings_.record();
  if (actions.run_once) gpu_.run_once();
  if (actions.toggle_live) gpu_.toggle_live();
  if (actions.cancel) recordings_.cancel();
}

void App::draw_presentation(const Graphics& graphics) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const float margin = look_.px(8), scrubber = scrubber_hidden_ ? 0 : look_.px(kPresentedScrubberHeight);
  ImGui::GetBackgroundDrawList()->AddRectFilled(
      viewport->Pos, {viewport->Pos.x + viewport->Size.x, viewport->Pos.y + viewport->Size.y},
      packed(look_.palette->background));
  const Frame frame = frame_for(graphics);
  panels_.draw_presentation(
      frame, {viewport->Pos.x + margin, viewport->Pos.y + margin},
      {viewport->Size.x - 2 * margin, viewport->Size.y - scrubber - (scrubber_hidden_ ? 2 : 3) * margin});
  ImGui::SetNextWindowPos({viewport->Pos.x + margin, viewport->Pos.y + viewport->Size.y - scrubber - margin});
  ImGui::SetNextWindowSize({viewport->Size.x - 2 * margin, std::max(scrubber, 1.0f)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  constexpr auto kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                          ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                          ImGuiWindowFlags_NoBackground;  // The scrubber has its own, with round corners
  if (ImGui::Begin("Scrubber##presented", nullptr, kFlags)) {
    if (dock_space_ != 0)
      ImGui::DockSpace(dock_space_, {0, 0},
                       ImGuiDockNodeFlags_KeepAliveOnly);  // The panels find their places again
    ImGui::SetCursorPos({0, 0});
    if (!scrubber_hidden_) scrubber_.draw(frame, player_, meter_.now(), scrubber);
  }
  ImGui::End();
  ImGui::PopStyleVar();
}

void App::draw_lesson(const Graphics& graphics) {
  const bool covered = messages_.showing() || palette_.wanted() || keys_shown_ || file_dialog_.active() ||
                       kernel_list_.active() || editing_.asks();
  if (!lesson_->draw(frame_for(graphics), meter_.now(), !covered && !ImGui::GetIO().WantTextInput))
    return lesson_.reset();
  if (lesson_->speaker_page(meter_.now()) && monitors_ < 2) {
    lesson_->close_speaker_page();
    notice_.show(tr("Notes have a window of their own on a second monitor only: they tell the answer. "
                    "Shift+N shows them in the lesson."),
                 meter_.now());
  }
  if (dock_space_ != 0)
    ImGui::DockSpace(dock_space_, {0, 0},
                     ImGuiDockNodeFlags_KeepAliveOnly);  // The panels find their places again
}

void App::draw_dialogs() {
  exports_.draw_menu();
  editing_.draw_questions(look_);
  if (!has_audience() && !messages_.showing()) tour_.draw(look_, parts_, !ImGui::GetIO().WantTextInput);
  if (palette_.wanted())
    palette_.draw(look_, palette_commands(),
                  [this](const std::string& typed) { return typed_commands(typed); });
  if (keys_shown_) draw_keys(look_, commands_with_keys(), keys_shown_);
  if (!messages_.showing())
    file_dialog_.draw(look_);  // One dialogue at a time: this one waits, with all that was typed
  if (!messages_.showing() && !file_dialog_.active() && !editing_.asks()) kernel_list_.draw(look_);
  if (const auto allowed = messages_.draw(look_, meter_.now())) {
    recordings_.allow_reading(allowed->error.unreadable_folder);
    allowed->retry();
  }
  about_.draw(look_, messages_, notice_, meter_.now());
  notice_.draw(look_, meter_.now(), has_audience() ? Notice::Room{} : notice_room_);
}

}  // namespace warplens::app
