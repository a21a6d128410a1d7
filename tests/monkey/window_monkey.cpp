// A monkey at the window: for a while it clicks, types, scrolls, drags splitters and tabs, resizes, opens
// recordings and starts anew, by a seed that it prints. It ends with status 1 if the window keeps a layout
// that it would not take back; crashes, assertions and sanitizers end it by themselves.
//
//   window_monkey [--seconds N] [--seed S] [--edits] [--trace]
// With --edits it does nothing but edit sources.
#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui_internal.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "app/shell/app.h"
#include "app/shell/layout_check.h"
#include "app/shell/platform/platform.h"
#include "gui/gpu_worker.h"
#include "kernels/compile/compiler_process.h"

extern "C" __attribute__((weak)) void __sanitizer_print_stack_trace();

namespace warplens::app {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kLargestExtent = 96;    // Of what it records: recordings are not what is tried here
constexpr std::uint32_t kLargestProduct = 64;  // Of what the processor multiplies meanwhile
constexpr auto kPatience = std::chrono::seconds(2);        // A frame that takes longer is told of
constexpr auto kLongestFrame = std::chrono::seconds(120);  // and one that takes so long hangs
constexpr auto kLongestWork = std::chrono::seconds(5);     // What takes longer is cancelled
constexpr auto kLongestLife =
    std::chrono::seconds(20);          // Of one window; the next begins with what this one kept
constexpr std::size_t kSeenEvery = 4;  // Frames: software takes longer to draw one than all that leads to it
constexpr std::uint64_t kLargestRecording = std::uint64_t{1} << 20;

struct Options {
  double seconds = 60;
  std::uint64_t seed = 1;
  bool edits = false;  ///< It edits sources alone
  bool trace = false;
};

/// Its own folder: settings, layouts, copies of recordings, and whatever it saves.
class WorkFolder {
 public:
  WorkFolder() {
    std::string name = (fs::temp_directory_path() / "warplens-monkey-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw fs::filesystem_error("no folder", name, std::error_code(errno, std::generic_category()));
    folder_ = name;
    fs::current_path(folder_);  // What is typed as a file's name lands here
    for (const char* corpus :
         {WARPLENS_TEST_DATA "/recordings", WARPLENS_TEST_DATA "/../fuzz/corpus/recording"}) {
      for (const auto& file : fs::directory_iterator(corpus)) {
        if (!file.is_regular_file() || file.file_size() > kLargestRecording) continue;
        const fs::path copy = folder_ / fmt::format("{}.wlr", recordings_.size());
        fs::copy_file(file, copy);
        recordings_.push_back(copy);
      }
    }
    recordings_.push_back(folder_ / "missing.wlr");
  }
  ~WorkFolder() {
    std::error_code ignored;
    fs::current_path("/", ignored);
    fs::remove_all(folder_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  [[nodiscard]] const fs::path& folder() const { return folder_; }
  [[nodiscard]] fs::path config() const { return folder_ / "config"; }
  [[nodiscard]] const std::vector<fs::path>& recordings() const { return recordings_; }
  /// A source of kernels; what was in it is written over.
  [[nodiscard]] fs::path write_kernel(const std::string& text) const {
    const fs::path path = folder_ / "own.cu";
    std::ofstream(path) << text;
    return path;
  }

 private:
  fs::path folder_;
  std::vector<fs::path> recordings_;
};

/// On the thread that gets the signal; two of them do not write at once.
void print_own_stack(int) {
  static std::atomic_flag writing;
  while (writing.test_and_set()) std::this_thread::yield();
  fmt::print(stderr, "thread {}\n", gettid());
  if (__sanitizer_print_stack_trace != nullptr) __sanitizer_print_stack_trace();
  writing.clear();
}

/// Where every thread is, so that one sees what it waits for.
[[noreturn]] void end_of_hung(const std::string& sentence) {
  fmt::print(stderr, "window_monkey: hung: {}\n", sentence);
  std::fflush(nullptr);
  std::signal(SIGUSR2, print_own_stack);
  for (const auto& thread : fs::directory_iterator("/proc/self/task")) {
    tgkill(getpid(), std::stoi(thread.path().filename()), SIGUSR2);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  std::abort();
}

class Monkey {
 public:
  Monkey(const Options& options, const WorkFolder& work_folder)
      : options_(options), work_folder_(work_folder), random_(options.seed) {}

  /// The exit status.
  int run() {
    const auto end = Clock::now() + std::chrono::duration<double>(options_.seconds);
    while (Clock::now() < end && status_ == 0)
      live_until(std::min<Clock::time_point>(Clock::now() + kLongestLife, time_of(end)));
    fmt::print("{} actions, {} frames, {} windows\n", actions_, frames_, windows_);
    return status_;
  }

 private:
  template <class Time>
  static Clock::time_point time_of(Time time) {
    return std::chrono::time_point_cast<Clock::duration>(time);
  }

  void live_until(Clock::time_point end) {
    auto settings = load_settings(work_folder_.config());
    if (!settings) return fail("its own settings are not taken back: " + settings.error().message());
    ++windows_;
    frames_of_window_ = 0;
    AppOptions options{.config_folder = work_folder_.config(),
                       .worker = {.command = gpu_worker(below(2) == 0 ? "gpu" : "none")},
                       .wake = Platform::wake,
                       .patience = kPatience};
    if (below(3) == 0) options.open = one_of(work_folder_.recordings());
    FrameWatch hang(kLongestFrame, end_of_hung);
    hang.begin("the begin of a window");
    app_ = std::make_unique<App>(std::move(options), *settings);
    auto platform = Platform::make({.width = settings->width, .height = settings->height, .visible = true});
    if (!platform) return fail(platform.error().message());
    platform_ = *std::move(platform);
    hang.end();
    while (Clock::now() < end && status_ == 0) {
      if (pending_.empty()) act();
      hang.begin("the monkey's window");
      draw();
      hang.end();
    }
    pending_.clear();
    hang.begin("the end of a window");
    hang.drawing("what is saved");
    app_->save_state();
    hang.drawing("the app's end");
    app_.reset();
    hang.drawing("the platform's end");
    platform_.reset();
    hang.end();
  }

  void fail(const std::string& why) {
    fmt::print(stderr, "window_monkey: {}\n", why);
    status_ = 1;
  }

  void draw() {
    tame();
    std::tie(app_->settings().width, app_->settings().height) = platform_->size();
    platform_->wait(0);
    platform_->set_fullscreen(app_->fullscreen_wanted());
    app_->prepare_frame(platform_->graphics());
    if (!pending_.empty()) {
      pending_.front()();
      pending_.pop_front();
    }
    platform_->begin_frame();
    app_->draw_frame(platform_->graphics());
    if (frames_ % kSeenEvery != 0) {
      platform_->end_frame_unseen();
    } else if (!platform_->end_frame()) {
      fail("the frame was not drawn");
    }
    app_->save_changes();
    stay_at_home();
    ++frames_;
    ++frames_of_window_;
  }

  /// What it may have typed must not keep the machine busy.
  void tame() {
    for (NamedValue& value : app_->menus().launch.values) value.value = std::min(value.value, kLargestExtent);
    if (app_->meter().size() > kLargestProduct) app_->meter().set_size(kLargestProduct);
    if (!app_->busy()) busy_since_ = Clock::now();
    if (Clock::now() - busy_since_ > kLongestWork) app_->cancel();
  }

  /// What it saves lies in its own folder: it looks into no other, and does not go on there.
  void stay_at_home() {
    if (!app_->file_dialog().active()) return;
    const fs::path& folder = app_->file_dialog().choice().folder().path();
    if (std::ranges::mismatch(work_folder_.folder(), folder).in1 == work_folder_.folder().end()) return;
    pending_.clear();
    ImGuiIO& io = ImGui::GetIO();
    io.ClearEventsQueue();
    io.ClearInputKeys();
    io.ClearInputMouse();
    key(ImGuiKey_Escape);
  }

  // What it does
  // -------------------------------------------------------------------------------------------------------------------------------------

  void act() {
    struct Habit {
      int weight;
      const char* name;
      void (Monkey::*act)();
    };
    static constexpr std::array kHabits{
        Habit{20, "click", &Monkey::click},        Habit{6, "double click", &Monkey::click_twice},
        Habit{8, "drag", &Monkey::drag},           Habit{12, "splitter", &Monkey::drag_splitter},
        Habit{8, "tab", &Monkey::drag_tab},        Habit{8, "wheel", &Monkey::turn_wheel},
        Habit{8, "text", &Monkey::type},           Habit{12, "key", &Monkey::press},
        Habit{6, "command", &Monkey::run_command}, Habit{8, "resize", &Monkey::resize},
        Habit{2, "look", &Monkey::change_look},    Habit{3, "open", &Monkey::open},
        Habit{10, "edit", &Monkey::edit},          Habit{1, "show all", &Monkey::show_all},
        Habit{2, "layout", &Monkey::check_layout}};
    if (options_.edits) {
      ++actions_;
      below(8) == 0 ? press() : edit();
      if (pending_.empty()) pending_.emplace_back([] {});
      return;
    }
    int sum = 0;
    for (const Habit& habit : kHabits) sum += habit.weight;
    int at = below(sum);
    const Habit* chosen = kHabits.data();
    while (at >= chosen->weight) at -= (chosen++)->weight;
    ++actions_;
    if (options_.trace) {
      const ImVec2 size = ImGui::GetIO().DisplaySize;
      fmt::print(stderr, "{} {} {:.0f} x {:.0f}\n", actions_, chosen->name, size.x, size.y);
    }
    (this->*chosen->act)();
    if (pending_.empty()) pending_.emplace_back([] {});
  }

  int below(int most) { return std::uniform_int_distribution<int>(0, most - 1)(random_); }
  float between(float least, float most) {
    return std::uniform_real_distribution<float>(least, most)(random_);
  }
  template <class List>
  const typename List::value_type& one_of(const List& list) {
    return list[static_cast<std::size_t>(below(static_cast<int>(list.size())))];
  }
  ImVec2 anywhere() {
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    return {between(0, std::max(size.x, 1.0f)), between(0, std::max(size.y, 1.0f))};
  }
  ImVec2 outside() {
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    return {between(-300, size.x + 300), between(-300, size.y + 300)};
  }

  void move_to(ImVec2 at) {
    pending_.emplace_back([at] { ImGui::GetIO().AddMousePosEvent(at.x, at.y); });
  }
  void button(int which, bool down) {
    pending_.emplace_back([=] { ImGui::GetIO().AddMouseButtonEvent(which, down); });
  }
  void drag_between(ImVec2 from, ImVec2 to, int which = 0) {
    move_to(from);
    button(which, true);
    const int steps = 1 + below(8);
    for (int i = 1; i <= steps; ++i) {
      const float part = static_cast<float>(i) / static_cast<float>(steps);
      move_to({from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part});
    }
    button(which, false);
  }
  void key(ImGuiKeyChord chord) {
    constexpr std::array kModifiers{ImGuiMod_Ctrl, ImGuiMod_Shift, ImGuiMod_Alt};
    pending_.emplace_back([=] {
      for (const ImGuiKey modifier : kModifiers)
        ImGui::GetIO().AddKeyEvent(modifier, (chord & modifier) != 0);
      ImGui::GetIO().AddKeyEvent(static_cast<ImGuiKey>(chord & ~ImGuiMod_Mask_), true);
    });
    pending_.emplace_back([=] {
      ImGui::GetIO().AddKeyEvent(static_cast<ImGuiKey>(chord & ~ImGuiMod_Mask_), false);
      for (const ImGuiKey modifier : kModifiers) ImGui::GetIO().AddKeyEvent(modifier, false);
    });
  }
  void text(const std::string& words) {
    pending_.emplace_back([=] { ImGui::GetIO().AddInputCharactersUTF8(words.c_str()); });
  }

  void click() {
    move_to(anywhere());
    const int which = below(8) == 0 ? 1 : 0;
    button(which, true);
    button(which, false);
  }
  void click_twice() {
    click();
    button(0, true);
    button(0, false);
  }
  void drag() { drag_between(anywhere(), below(4) == 0 ? outside() : anywhere(), below(10) == 0 ? 1 : 0); }

  std::vector<const ImGuiDockNode*> dock_nodes(bool split) {
    std::vector<const ImGuiDockNode*> found;
    for (const ImGuiStoragePair& pair : ImGui::GetCurrentContext()->DockContext.Nodes.Data) {
      const auto* const node = static_cast<const ImGuiDockNode*>(pair.val_p);
      if (node != nullptr && node->IsSplitNode() == split && (split || node->TabBar != nullptr))
        found.push_back(node);
    }
    return found;
  }
  void drag_splitter() {
    const auto nodes = dock_nodes(true);
    if (nodes.empty()) return drag();
    const ImGuiDockNode& node = *one_of(nodes);
    const ImGuiDockNode &first = *node.ChildNodes[0], &second = *node.ChildNodes[1];
    const bool across = node.SplitAxis == ImGuiAxis_X;
    ImVec2 from{(first.Pos.x + first.Size.x + second.Pos.x) / 2,
                node.Pos.y + node.Size.y * between(0.1f, 0.9f)};
    if (!across)
      from = {node.Pos.x + node.Size.x * between(0.1f, 0.9f),
              (first.Pos.y + first.Size.y + second.Pos.y) / 2};
    // Often to the very edge: there the panels have no room left.
    const float along = below(3) == 0 ? (below(2) == 0 ? -0.2f : 1.2f) : between(0, 1);
    const ImVec2 to = across ? ImVec2{node.Pos.x + node.Size.x * along, from.y}
                             : ImVec2{from.x, node.Pos.y + node.Size.y * along};
    drag_between(from, to);
  }
  void drag_tab() {
    const auto nodes = dock_nodes(false);
    if (nodes.empty()) return drag();
    const ImGuiTabBar& bar = *one_of(nodes)->TabBar;
    if (bar.Tabs.empty()) return drag();
    const ImGuiTabItem& tab = bar.Tabs[below(bar.Tabs.Size)];
    const ImVec2 from{bar.BarRect.Min.x + tab.Offset - bar.ScrollingAnim + tab.Width / 2,
                      bar.BarRect.GetCenter().y};
    ImVec2 to = below(6) == 0 ? outside() : anywhere();
    if (below(3) == 0) {  // Among the arrows that say where it will be docked
      const ImGuiDockNode& other = *one_of(nodes);
      to = {other.Pos.x + other.Size.x / 2 + between(-60, 60),
            other.Pos.y + other.Size.y / 2 + between(-60, 60)};
    }
    drag_between(from, to);
  }
  void turn_wheel() {
    move_to(anywhere());
    for (int i = 1 + below(4); i > 0; --i) {
      const float x = below(4) == 0 ? between(-5, 5) : 0, y = between(-8, 8);
      pending_.emplace_back([=] { ImGui::GetIO().AddMouseWheelEvent(x, y); });
    }
  }
  /// No slash: what it saves under a name that it typed lies in its own folder. Two dots lead out of it, and
  /// stay_at_home back.
  void type() {
    static const std::vector<std::string> kWords{
        "0",     "1",         "-1",      "64",   "1e9", "99999999999999999999",
        "tiled", "a.wlr",     "0,0;1,1", " ",    "é",   "\xF0\x9F\x90\x92",
        "\xff",  "..",        "nan",     "%s%n", "##",  "###",
        "[x]",   "view light"};
    std::string words;
    for (int i = 1 + below(3); i > 0; --i) words += one_of(kWords);
    text(words);
    if (below(2) == 0) key(ImGuiKey_Enter);
  }
  void press() {
    const auto named = static_cast<ImGuiKey>(ImGuiKey_Tab + below(ImGuiKey_KeypadEqual - ImGuiKey_Tab));
    static constexpr std::array kUseful{
        ImGuiKey_RightArrow, ImGuiKey_LeftArrow, ImGuiKey_UpArrow, ImGuiKey_DownArrow, ImGuiKey_PageUp,
        ImGuiKey_PageDown,   ImGuiKey_Home,      ImGuiKey_End,     ImGuiKey_Space,     ImGuiKey_Enter,
        ImGuiKey_Escape,     ImGuiKey_Escape,    ImGuiKey_Tab,     ImGuiKey_Delete,    ImGuiKey_Backspace,
        ImGuiKey_F1,         ImGuiKey_F11,       ImGuiKey_2};
    int chord = below(3) == 0 ? named : one_of(kUseful);
    if (below(4) == 0) chord |= ImGuiMod_Ctrl;
    if (below(6) == 0) chord |= ImGuiMod_Shift;
    if (below(12) == 0) chord |= ImGuiMod_Alt;
    for (int i = 1 + below(3); i > 0; --i) key(chord);
  }
  void run_command() {
    key(ImGuiMod_Ctrl | ImGuiKey_P);
    text(one_of(app_->commands()).name);
    key(ImGuiKey_Enter);
  }
  void resize() {
    struct Size {
      int width, height;
    };
    static constexpr std::array kSizes{Size{1, 1},      Size{1, 900},    Size{1600, 1},   Size{20, 20},
                                       Size{100, 100},  Size{300, 200},  Size{640, 420},  Size{1000, 700},
                                       Size{1280, 800}, Size{1600, 900}, Size{1900, 300}, Size{300, 1100}};
    Size size = one_of(kSizes);
    if (below(2) == 0) size = {1 + below(1900), 1 + below(1150)};
    if (!app_->fullscreen_wanted()) glfwSetWindowSize(glfwGetCurrentContext(), size.width, size.height);
    for (int i = below(6); i > 0; --i) pending_.emplace_back([] {});
  }
  void change_look() {
    if (below(2) == 0) {
      app_->settings().dark = !app_->settings().dark;
    } else {
      app_->settings().scale = below(3) == 0 ? 0 : between(kSmallestScale, kLargestScale);
    }
  }
  void open() { app_->open(one_of(work_folder_.recordings())); }
  /// Types code, and what is none, into a kernel of its own or a copy of the ladder's; another program writes
  /// into the file, or removes it.
  void edit() {
    static const std::string kKernel =
        "// warplens: grid=(n+31)/32 block=32 n=100 a=f32[n]:ints b=f32[n]\n"
        "__global__ void scale(const float* a, float* b, int n) {\n  __shared__ float s[32];\n  int i = "
        "blockIdx.x * 32 + threadIdx.x;\n"
        "  s[threadIdx.x] = i < n ? a[i] : 0;\n  __syncthreads();\n  if (i < n) b[i] = s[31 - "
        "threadIdx.x];\n}\n";
    static const std::vector<std::string> kCode{"s[threadIdx.x * 2]",
                                                "__syncthreads();",
                                                "}",
                                                "{",
                                                "for (;;) {}",
                                                "a[i + n]",
                                                "// warplens: n=7 grid=2",
                                                "template <int T>",
                                                "\"",
                                                "/*",
                                                "n",
                                                ";",
                                                "while (s[0] < 1) s[0] += 1;",
                                                "#include <cstdio>",
                                                "\xEE\x80\x80",
                                                "é",
                                                "\xEF\xBF\xBD",
                                                "\xF0\x9F\x90\x92",
                                                "\t",
                                                "\xff"};
    switch (below(8)) {
      case 0: return app_->open(work_folder_.write_kernel(kKernel));
      case 1: static_cast<void>(work_folder_.write_kernel(below(2) == 0 ? kKernel : one_of(kCode))); return;
      case 2: fs::remove(work_folder_.folder() / "own.cu"); return;
      case 3: return key(ImGuiKey_F2);
      default: break;
    }
    app_->editing().line_wanted = static_cast<std::uint32_t>(1 + below(12));
    if (below(2) == 0) key(ImGuiKey_End);
    text(one_of(kCode));
    for (int i = below(4); i > 0; --i) key(below(2) == 0 ? ImGuiKey_Backspace : ImGuiMod_Ctrl | ImGuiKey_Z);
  }
  void show_all() {
    for (Panel& panel : app_->panels().all()) panel.open = true;
  }
  void check_layout() {
    if (frames_of_window_ < 3 || app_->presenting()) return;  // Nothing is kept then
    std::size_t length = 0;
    const char* const layout = ImGui::SaveIniSettingsToMemory(&length);
    const auto checked = checked_layout({layout, length});
    if (!checked)
      fail(fmt::format("a layout is kept that is not taken back: {}\n{}", checked.error().what, layout));
  }

  const Options& options_;
  const WorkFolder& work_folder_;
  std::mt19937_64 random_;
  std::deque<std::function<void()>> pending_;  ///< One a frame
  std::unique_ptr<App> app_;
  std::unique_ptr<Platform> platform_;
  Clock::time_point busy_since_ = Clock::now();
  std::uint64_t actions_ = 0, frames_ = 0, frames_of_window_ = 0, windows_ = 0;
  int status_ = 0;
};

template <class Number>
bool parse(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

int run_monkey(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view name = arguments[i],
                           value = i + 1 < arguments.size() ? arguments[i + 1] : std::string_view();
    if (name == "--trace") {
      options.trace = true;
    } else if (name == "--edits") {
      options.edits = true;
    } else if ((name == "--seconds" && parse(value, options.seconds)) ||
               (name == "--seed" && parse(value, options.seed))) {
      ++i;
    } else {
      fmt::print(stderr, "window_monkey [--seconds N] [--seed S] [--edits] [--trace]\n");
      return 2;
    }
  }
  fmt::print("seed {}, {} s\n", options.seed, options.seconds);
  std::fflush(stdout);
  const WorkFolder work_folder;
  return Monkey(options, work_folder).run();
}

}  // namespace
}  // namespace warplens::app

int main(int argc, char** argv) {
  if (const auto status = warplens::compile::run_as_compiler_process(argc, argv)) return *status;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (const int status = warplens::app::run_as_gpu_worker(arguments); status >= 0) return status;
  return warplens::app::run_monkey(arguments);
}
