// Files of kernels in the window: opened, edited, compiled as one types, saved.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/session/grid_counts.h"
#include "app/session/launch_guess.h"
#include "app/session/navigation.h"
#include "app/session/rung_copy.h"
#include "app/shell/app.h"
#include "kernels/base/files.h"
#include "kernels/compile/signatures.h"
#include "kernels/ptx/demangle.h"

namespace warplens::app {
namespace {

constexpr double kEditPause = 0.3;  ///< In seconds, after the last key

/// The kernel that a file opens with: the first that says how it is launched.
const FileEntry* first_of(const KernelFile& file) {
  const auto says =
      std::ranges::find_if(file.kernels, [](const FileEntry& entry) { return !entry.launch.empty(); });
  return says != file.kernels.end() ? &*says : file.kernels.empty() ? nullptr : &file.kernels.front();
}

}  // namespace

std::string App::text_of_source(const std::filesystem::path& file) {
  constexpr std::uint64_t kMax = 16u << 20;
  const Result<std::vector<std::byte>> bytes = read_file(file, kMax);
  return bytes.ok() ? std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size())
                    : std::string();
}

void App::open_kernels(const std::filesystem::path& path) {
  const std::string title = tr("Opening {file}", "file"_a = path.filename().string());
  start_work(
      title,
      [this, title, path, like = menus_.launch,
       readable = readable_folders_](replay::Progress& progress) -> Background::Outcome {
        Result<KernelFile> opened = open_kernel_file(
            path, {.cc = like.cc, .source_folders = readable, .cancelled = &progress.cancel});
        if (progress.cancel) return {};
        if (!opened.ok()) {
          Error error = opened.error();
          if (error.where.empty() || error.where == path.filename().replace_extension(".ptx").string())
            error.where = path.string();
          return [this, title, path, error = std::move(error)] {
            fail(title, error, [this, path] { open_kernels(path); });
          };
        }
        auto file = std::make_shared<const KernelFile>(*std::move(opened));
        const FileEntry* const entry = first_of(*file);
        Result<LaunchRequest> launch = entry == nullptr ? Result<LaunchRequest>(Error{})
                                                        : launch_of_entry(*file, *entry, like, &progress);
        const bool compiles = !file->ptx.empty(), any = entry != nullptr;
        return [this, title, path, file = std::move(file), launch = std::move(launch), compiles, any]() {
          if (compiles && !any) {
            fail(title, {tr("there is no kernel in it"), path.string(),
                         tr("A kernel is a function declared `.entry` (in CUDA, __global__).")});
            return;
          }
          once_saved([this, title, path, file, launch, compiles] {
            settings_.add_recent(path);
            compiles ? take_kernels(title, file, launch) : take_broken(*file);
          });
        };
      });
}

void App::take_kernels(const std::string& title, const std::shared_ptr<const KernelFile>& file,
                       Result<LaunchRequest> launch) {
  take_source({.file = file->file,
               .text = file->text,
               .saved_text = file->text,
               .messages = file->messages,
               .compile_seconds = file->compile_seconds,
               .kernels = file});
  editing_.compiled_edits = editing_.edits;
  if (!launch.ok()) {
    refuse(menus_, launch.error());
    return fail(title, launch.error());
  }
  menus_.launch = *std::move(launch);
  menus_.blocks = BlocksMenu::all;
  if (!loaded()) record_row(false);
}

/// A source that does not compile opens in the editor. If there is nothing on screen yet, the usual first
/// picture is.
void App::take_broken(const KernelFile& file) {
  if (!loaded() && !busy()) record();
  take_source(
      {.on = true, .file = file.file, .text = file.text, .saved_text = file.text, .messages = file.messages});
  editing_.compiled_edits = editing_.edits;
  refuse(menus_, error_of(file));
  panels_.show("source");
}

/// In place of the source that there is, which is asked about before. The row names it, and its kernel once
/// it compiles.
void App::take_source(Editing source) {
  source.edits = editing_.edits + 1;
  source.replacements = editing_.replacements + 1;
  source.compiled_edits = editing_.compiled_edits;
  source.changed = meter_.now() - kEditPause;  // It is compiled at once
  editing_ = std::move(source);
  folder_of_include_.clear();
  file_watch_.watch(editing_.lies_nowhere ? std::filesystem::path() : editing_.file);
  menus_.launch.origin = FileKernel{.file = editing_.file, .entry = {}, .cuda = editing_.text};
  menus_.launch.form.reset();
  menus_.launch.values.clear();
  seen_menus_ = menus_;
  refuse(menus_, {tr("it is being compiled"), editing_.file.filename().string(), {}});
}

void App::choose_entry_of_file(const FileEntry& entry) {
  Result<LaunchRequest> launch = launch_of_entry(*editing_.kernels, entry, menus_.launch);
  if (!launch.ok())
    return messages_.add(tr("Launching {launch}", "launch"_a = entry.plain_name), launch.error());
  menus_.launch = *std::move(launch);
}

bool App::can_edit() const {
  const FileKernel* const kernel = menus_.launch.file_kernel();
  return editing_.on || menus_.launch.rung() != nullptr || (kernel != nullptr && !kernel->cuda.empty());
}

void App::toggle_editing() {
  if (editing_.on) {
    editing_.on = false;
    editing_.focused = false;
    ImGui::SetWindowFocus(nullptr);
    return;
  }
  if (menus_.launch.rung() != nullptr) {
    once_saved([this] {
      if (copy_rung()) edit();
    });
  } else if (!row_is_of_source()) {
    once_saved([this] {
      take_source_of_row();
      edit();
    });
  } else {
    edit();
  }
}

bool App::row_is_of_source() const {
  const FileKernel* const kernel = menus_.launch.file_kernel();
  return kernel != nullptr && kernel->file == editing_.file;
}

/// Of a kernel that was opened before another file was.
void App::take_source_of_row() {
  const LaunchRequest launch = menus_.launch;
  const FileKernel& kernel = *launch.file_kernel();
  std::error_code ignored;
  const bool lies_nowhere = !std::filesystem::exists(kernel.file, ignored);
  take_source({.file = kernel.file,
               .lies_nowhere = lies_nowhere,
               .text = kernel.cuda,
               .saved_text = lies_nowhere ? kernel.cuda : text_of_source(kernel.file)});
  menus_.launch = launch;
}

/// The source view becomes an editor, its caret in the line that is selected.
void App::edit() {
  panels_.show("source");
  editing_.on = true;
  editing_.before = loaded();
  editing_.line_wanted = loaded() ? std::max(current_line(*loaded()->recording, selection()), 1u) : 1;
}

/// What the row says becomes a kernel of one's own, the same to begin with.
bool App::copy_rung() {
  Result<LaunchRequest> copy = copy_of_rung(menus_.launch);
  if (!copy.ok()) {
    messages_.add(tr("Copying {kernel}", "kernel"_a = name_of(menus_.launch)), copy.error());
    return false;
  }
  const auto& kernel = std::get<FileKernel>(copy->origin);
  take_source({.file = kernel.file, .lies_nowhere = true, .text = kernel.cuda, .saved_text = kernel.cuda});
  menus_.launch = *std::move(copy);
  return true;
}

/// One edits lines of 80 letters: the source has the room for them while it is an editor.
void App::make_room_for_editor() {
  constexpr float kPart = 0.42f;
  if (editing_.on == sizes_before_editing_.has_value()) return;
  const std::string window = window_name_of("source");
  if (!editing_.on) {
    give_sizes(window, *sizes_before_editing_);
    sizes_before_editing_.reset();
    return;
  }
  const bool widened = part_of_width(window) < kPart;
  sizes_before_editing_ = widened ? sizes_of_nodes(window) : NodeSizes{};
  if (widened) give_part_of_width(window, kPart);
}

/// Compiles what was typed, once nobody types; what compiles is recorded at once.
void App::follow_edit() {
  if (std::exchange(editing_.toggle_wanted, false) && can_edit()) toggle_editing();
  if (!row_is_of_source()) editing_.on = false;  // Its lines would stand beside the figures of another kernel
  if (!editing_.on) editing_.focused = false;
  make_room_for_editor();
  editing_.launch = menus_.launch.form ? text_of(*menus_.launch.form) : std::string();
  compiling_.poll();
  look_at_file();
  if (editing_.due() && compiling_.busy() && compiling_edits_ != editing_.edits)
    compiling_.cancel();  // Its outcome would be out of date
  if (!editing_.due() || compiling_.busy() || meter_.now() < editing_.changed + kEditPause) return;
  const FileKernel* const kernel = menus_.launch.file_kernel();
  const std::string entry = kernel != nullptr ? kernel->entry : std::string();
  FileWishes wishes{.text = editing_.text,
                    .entry = entry,
                    .architecture = menus_.launch.form ? menus_.launch.form->architecture : std::string(),
                    .cc = menus_.launch.cc,
                    .source_folders = readable_folders_};
  if (entry.find('<') != std::string::npos) wishes.instances.push_back(entry);
  compiling_edits_ = editing_.edits;
  compiling_.start(tr("Compiling {file}", "file"_a = editing_.file.filename().string()),
                   [this, file = editing_.file, wishes = std::move(wishes),
                    edits = editing_.edits](replay::Progress& progress) mutable -> Background::Outcome {
                     wishes.cancelled = &progress.cancel;
                     Result<KernelFile> compiled = open_kernel_file(file, wishes);
                     if (progress.cancel) return {};
                     return [this, edits, compiled = std::move(compiled)]() mutable {
                       take_compiled(std::move(compiled), edits);
                     };
                   });
}

/// The picture comes first; what the assembler makes of the kernel is added to it.
void App::list_machine_code() {
  listing_.poll();
  if (!loaded() || !left_for_later(*loaded()) || listing_.busy() || busy() || editing_.due()) return;
  listing_.start(tr("Compiling to machine code"),
                 [this, shown = loaded()](replay::Progress& progress) -> Background::Outcome {
                   std::shared_ptr<const Loaded> with_code =
                       judged_by(*shown, shown->cc, &progress.cancel, MachineCode::made);
                   return [this, shown, with_code = std::move(with_code)]() mutable {
                     if (loaded() == shown) shelf_.judge_anew(std::move(with_code));
                   };
                 });
}

/// Of all blocks, once somebody looks at the elements of a recording that has the events of some. What cannot
/// be counted is left as it is, and so are files: the view says of which blocks it is.
void App::count_elements() {
  counting_.poll();
  if (counting_.busy() && (!loaded() || counted_ != loaded()->recording)) counting_.cancel();
  if (SharedGridCounts so_far = counted_so_far_.exchange(nullptr); so_far && counting_.busy())
    show_counts(std::move(so_far));
  if (!loaded() || busy() || editing_.due() || counting_.busy() || has_counts(*loaded()) ||
      counted_ == loaded()->recording)
    return;
  const bool looked_at = std::ranges::any_of(
      panels_.all(), [](const Panel& panel) { return panel.visible && panel.view->of_grid; });
  if (!looked_at || !loaded()->path.empty() || !lacks_events(*loaded()->recording)) return;
  counted_ = loaded()->recording;
  counted_so_far_.store(nullptr);
  counting_.start(tr("Counting the elements of all blocks"),
                  [this, recording = counted_](replay::Progress& progress) -> Background::Outcome {
                    auto counts = count_grid(*recording, &progress, [this](SharedGridCounts so_far) {
                      counted_so_far_ = std::move(so_far);
                      options_.wake();
                    });
                    return [this, counts = std::move(counts)]() {
                      show_counts(counts.ok() ? *counts : nullptr);
                    };
                  });
}

/// Null: not even what was counted so far.
void App::show_counts(SharedGridCounts counts) {
  if (loaded() && loaded()->recording == counted_)
    shelf_.judge_anew(with_counts(*loaded(), std::move(counts)));
}

void App::take_compiled(Result<KernelFile> compiled, std::uint64_t edits) {
  editing_.compiled_edits = edits;
  folder_of_include_ = compiled.ok() ? std::string() : compiled.error().unreadable_folder;
  if (!compiled.ok()) {
    editing_.messages = {
        {compile::Severity::error, editing_.file.filename().string(), 0, compiled.error().message()}};
    return;
  }
  editing_.messages = compiled->messages;
  editing_.compile_seconds = compiled->compile_seconds;
  if (compiled->ptx.empty()) {  // The last good picture stays
    if (row_is_of_source() && !menus_.launch.form) refuse(menus_, error_of(*compiled));
    return;
  }
  auto file = std::make_shared<const KernelFile>(*std::move(compiled));
  const std::shared_ptr<const KernelFile> before = std::exchange(editing_.kernels, file);
  if (row_is_of_source()) follow_source(*file, before.get());
}

/// The row's launch takes the new source, and what its comment says if that has changed.
void App::follow_source(const KernelFile& file, const KernelFile* before) {
  FileKernel* const kernel = std::get_if<FileKernel>(&menus_.launch.origin);
  const FileEntry* const entry = kernel == nullptr                     ? first_of(file)
                                 : file.find(kernel->entry) != nullptr ? file.find(kernel->entry)
                                                                       : first_of(file);
  if (entry == nullptr) return;
  const FileEntry* const old = before == nullptr || kernel == nullptr ? nullptr : before->find(kernel->entry);
  const bool same_parameters = old == nullptr ? kernel != nullptr : old->parameters == entry->parameters;
  const bool same_comment = old == nullptr ? entry->launch.empty() : old->launch == entry->launch;
  if (kernel != nullptr && menus_.launch.form && same_comment && same_parameters) {
    kernel->cuda = file.text;
    kernel->text.clear();
  } else {
    Result<LaunchRequest> launch = launch_of_entry(file, *entry, menus_.launch);
    if (!launch.ok()) {
      editing_.messages.push_back(
          {compile::Severity::error, file.file.filename().string(), entry->line, launch.error().message()});
      if (!menus_.launch.form) refuse(menus_, launch.error());
      return;
    }
    menus_.launch = *std::move(launch);
  }
  menus_changed_ = meter_.now() - kEditPause;  // The pause has been made already
  seen_menus_ = menus_;
  refused_.reset();
}

/// What another program has changed is taken over, unless there is something here that would be lost.
void App::look_at_file() {
  if (!file_watch_.take_change()) return;
  const std::string text = text_of_source(editing_.file);
  if (text == editing_.saved_text) return;
  const std::string name = editing_.file.filename().string();
  if (editing_.unsaved()) {
    notice_.show_until_action(
        tr("{file} was changed by another program. What is edited here is kept; saving it writes over that.",
           "file"_a = name),
        {}, meter_.now());
    return;
  }
  editing_.text = editing_.saved_text = text;
  ++editing_.edits;
  ++editing_.replacements;
  editing_.changed = meter_.now() - kEditPause;
  notice_.show(tr("{file} was changed by another program, and read again.", "file"_a = name), meter_.now());
}

void App::save_source(std::function<void()> then) {
  if (editing_.lies_nowhere) return save_source_as(std::move(then));
  write_source(editing_.file, then);
}

void App::save_source_as(std::function<void()> then) {
  file_dialog_.start(
      {.kind = FileDialog::Kind::save,
       .title = tr("Save the source"),
       .folder = editing_.lies_nowhere ? recordings_folder() : editing_.file.parent_path(),
       .name = editing_.lies_nowhere ? "my_" + editing_.file.filename().string()
                                     : editing_.file.filename().string(),
       .extension = ".cu",
       .files = tr("CUDA C++"),
       .recent = folders_of(settings_.recent),
       .chosen = [this, then = std::move(then)](const auto& chosen) { write_source(chosen, then); }});
}

/// A copy of the ladder's takes its launch along, in its comment.
void App::write_source(const std::filesystem::path& path, const std::function<void()>& then) {
  const bool first = editing_.lies_nowhere;
  std::string text = editing_.text;
  if (first) text = with_launch_of_row(text);
  const auto written = write_text(path, text);
  if (!written.ok())
    return messages_.add(tr("Saving {file}", "file"_a = path.filename().string()), written.error());
  editing_.lies_nowhere = false;
  editing_.file = path;
  editing_.saved_text = text;
  file_watch_.watch(path);
  settings_.add_recent(path);
  if (FileKernel* const kernel = std::get_if<FileKernel>(&menus_.launch.origin)) kernel->file = path;
  if (text != editing_.text) replace_text(std::move(text));
  notice_.show(tr("Saved: {file}", "file"_a = path.filename().string()), meter_.now());
  if (then) then();
}

/// The source with what the row says as its kernel's comment.
std::string App::with_launch_of_row(const std::string& source) const {
  const FileKernel* const kernel = menus_.launch.file_kernel();
  if (kernel == nullptr || !menus_.launch.form) return source;
  std::string name = ptx::plain_name(kernel->entry);
  name.resize(std::min(name.find('<'), name.size()));
  name.erase(0, name.rfind(':') + 1);
  return compile::with_launch(source, name, text_of(*menus_.launch.form));
}

void App::replace_text(std::string text) {
  editing_.text = std::move(text);
  ++editing_.edits;
  ++editing_.replacements;
  editing_.changed = meter_.now() - kEditPause;
}

void App::keep_launch_in_source() {
  replace_text(with_launch_of_row(editing_.text));
}

void App::make_editing_commands() {
  const auto editing = [this] { return editing_.on; };
  commands_.push_back({.id = "source.edit",
                       .menu = &kFileMenu,
                       .name = tr("Edit the source"),
                       .key = ImGuiKey_F2,
                       .run = [this] { toggle_editing(); },
                       .enabled = [this] { return can_edit(); },
                       .ticked = editing,
                       .line_before = true});
  commands_.push_back({.id = "source.save_as",
                       .menu = &kFileMenu,
                       .name = tr("Save the source as ..."),
                       .run = [this] { save_source_as(); },
                       .enabled = editing});
  commands_.push_back({.id = "source.keep_launch",
                       .menu = &kFileMenu,
                       .name = tr("Write the launch into the source"),
                       .run = [this] { keep_launch_in_source(); },
                       .enabled = [this] { return editing_.on && menus_.launch.form.has_value(); }});
}

}  // namespace warplens::app
