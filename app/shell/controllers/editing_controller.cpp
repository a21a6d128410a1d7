#include "app/shell/controllers/editing_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "app/launch/kernel_copy.h"
#include "app/launch/launch_guess.h"
#include "app/session/navigation.h"
#include "app/shell/controllers/recording_controller.h"
#include "kernels/base/files.h"
#include "kernels/compile/signatures.h"
#include "kernels/ptx/demangle.h"

namespace warplens::app {
namespace {

/// The kernel that is wanted, or an instance of it where it is a template.
const FileEntry* wanted_of(const KernelFile& file, const std::optional<ListedKernel>& wanted) {
  if (!wanted) return first_entry(file);
  const auto find = [&](const auto& is_wanted) {
    const auto found = std::ranges::find_if(file.kernels, is_wanted);
    return found == file.kernels.end() ? nullptr : &*found;
  };
  const auto has_name = [&](const FileEntry& entry) {
    return compile::name_in_source(entry.plain_name) == compile::name_in_source(wanted->name) ||
           ptx::base_name(entry.plain_name) == wanted->name;
  };
  const FileEntry* const at_line =
      find([&](const FileEntry& entry) { return entry.line == wanted->line && has_name(entry); });
  return at_line != nullptr ? at_line : find(has_name);
}

std::filesystem::path absolute_project_of(const std::filesystem::path& file) {
  std::error_code ignored;
  return project_of(std::filesystem::absolute(file, ignored).lexically_normal());
}

/// With the instance of a template that is wanted: the one that the file launches, else one that is made up.
Result<KernelFile> open_wanted(const std::filesystem::path& path, FileWishes wishes,
                               const std::optional<ListedKernel>& wanted) {
  if (wanted) wishes.entry = wanted->name;
  if (wanted && !wanted->template_arguments.empty() && wanted->launch != LaunchKnown::comment) {
    std::vector<std::string> instances{FileTemplate{wanted->name, wanted->template_arguments}.example()};
    if (!wanted->instance.empty()) instances.insert(instances.begin(), wanted->instance);
    for (const std::string& instance : instances) {
      FileWishes with_instance = wishes;
      with_instance.instances.push_back(instance);
      Result<KernelFile> opened = open_kernel_file(path, with_instance);
      if (!opened.ok() || !opened->ptx.empty()) return opened;
    }
  }
  return open_kernel_file(path, wishes);
}

/// Returns the options that are kept for the file's project, as far as the compiler may be given them.
std::string kept_options(const std::vector<ProjectOptions>& kept, const std::filesystem::path& file) {
  if (!is_cuda_file(file)) return {};
  return options_for_project(options_of(kept, absolute_project_of(file)), file).value_or("");
}

Error no_wanted_kernel(const KernelFile& file, const ListedKernel& wanted) {
  return {tr("the compiler made no kernel `{name}` of it", "name"_a = wanted.name), file.file.string(),
          wanted.template_arguments.empty()
              ? tr("It may stand in a part that the preprocessor leaves out.")
              : tr("Name an instance in a comment before it: // warplens: kernel={example}",
                   "example"_a = FileTemplate{wanted.name, wanted.template_arguments}.example())};
}

}  // namespace

std::string EditingController::saved_text_of(const std::filesystem::path& file) {
  constexpr std::uint64_t kMost = 16u << 20;
  const Result<std::vector<std::byte>> bytes = read_file(file, kMost);
  return bytes.ok() ? std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size())
                    : std::string();
}

EditingController::EditingController(const ShellContext& shell, RecordingController& recordings)
    : shell_(shell),
      recordings_(recordings),
      file_watch_(shell.options.wake),
      kept_edits_(shell.options.config_folder / "unsaved"),
      listing_(shell.options.wake,
               [this](const std::string& what, const Error& error) { shell_.messages.add(what, error); }),
      compiling_(shell.options.wake, [this](const std::string& what, const Error& error) {
        editing_.compiled_edits = editing_.edits;
        shell_.messages.add(what, error);
      }) {}

void EditingController::compile_again() {
  folder_of_include_.clear();
  ++editing_.edits;
  editing_.changed = shell_.now();
}

double EditingController::seconds_until_due() const {
  double due = std::numeric_limits<double>::infinity();
  if (editing_.due() && !compiling_.busy()) due = editing_.changed + kEditPause;
  if (editing_.unsaved() && editing_.text != kept_text_ && !cannot_keep_)
    due = std::min(due, kept_edits_at_ + kCopyInterval);
  return std::max(0.0, due - shell_.now());
}

void EditingController::open(const std::filesystem::path& path, const std::optional<ListedKernel>& wanted) {
  open(path, wanted, false);
}

void EditingController::open(const std::filesystem::path& path, const std::optional<ListedKernel>& wanted,
                             bool run_python) {
  const std::string title = tr("Opening {file}", "file"_a = path.filename().string());
  recordings_.start_work(
      title,
      [this, title, path, wanted, run_python, like = shell_.menus.launch,
       kept = shell_.settings.compiler_options,
       readable = recordings_.readable_folders()](replay::Progress& progress) -> Background::Outcome {
        const std::string options = kept_options(kept, path);
        Result<KernelFile> opened = open_wanted(path,
                                                {.options = options,
                                                 .cc = like.cc,
                                                 .source_folders = readable,
                                                 .run_python = run_python,
                                                 .cancelled = &progress.cancel},
                                                wanted);
        if (progress.cancel) return {};
        if (!opened.ok()) {
          Error error = opened.error();
          if (error.where.empty() || error.where == path.filename().replace_extension(".ptx").string())
            error.where = path.string();
          return [this, title, path, wanted, run_python, error = std::move(error)] {
            const bool may_be_run =
                wanted && !run_python &&
                (wanted->language == KernelLanguage::triton || wanted->language == KernelLanguage::numba);
            if (may_be_run) {
              python_question_ = PythonQuestion{path, *wanted, error};
              return;
            }
            recordings_.fail(title, error, [this, path, wanted] { open(path, wanted); });
          };
        }
        auto file = std::make_shared<const KernelFile>(*std::move(opened));
        const FileEntry* const entry = wanted_of(*file, wanted);
        Result<LaunchRequest> launch = entry == nullptr ? Result<LaunchRequest>(Error{})
                                                        : launch_of_entry(*file, *entry, like, &progress);
        const bool compiles = !file->ptx.empty(), any = entry != nullptr;
        return [this, title, path, wanted, file = std::move(file), launch = std::move(launch), compiles,
                any]() {
          if (compiles && !any && wanted) return recordings_.fail(title, no_wanted_kernel(*file, *wanted));
          if (compiles && !any) {
            recordings_.fail(title, {tr("there is no kernel in it"), path.string(),
                                     tr("A kernel is a function declared `.entry` (in CUDA, __global__).")});
            return;
          }
          once_saved([this, title, path, file, launch, compiles] {
            shell_.settings.add_recent(path);
            compiles ? take_kernels(title, file, launch) : take_broken(*file);
          });
        };
      });
}

void EditingController::take_kernels(const std::string& title, const std::shared_ptr<const KernelFile>& file,
                                     Result<LaunchRequest> launch) {
  take_source({.file = file->file,
               .text = file->text,
               .saved_text = file->text,
               .messages = file->messages,
               .compile_seconds = file->compile_seconds,
               .kernels = file});
  editing_.compiled_edits = editing_.edits;
  if (!launch.ok()) {
    recordings_.refuse(shell_.menus, launch.error());
    return recordings_.fail(title, launch.error());
  }
  shell_.menus.launch = *std::move(launch);
  shell_.menus.blocks = BlocksMenu::all;
  if (!recordings_.loaded()) recordings_.record_row(false);
}

/// A source that does not compile opens in the editor. If there is nothing on screen yet, the usual first
/// picture is.
void EditingController::take_broken(const KernelFile& file) {
  if (!recordings_.loaded() && !recordings_.busy()) recordings_.record();
  take_source(
      {.on = true, .file = file.file, .text = file.text, .saved_text = file.text, .messages = file.messages});
  editing_.compiled_edits = editing_.edits;
  recordings_.refuse(shell_.menus, error_of(file));
  shell_.panels.show("source");
}

/// Takes a source in place of the one that there is, which is asked about before. The row names it, and its
/// kernel once it compiles.
void EditingController::take_source(Editing source) {
  source.edits = editing_.edits + 1;
  source.replacements = editing_.replacements + 1;
  source.compiled_edits = editing_.compiled_edits;
  source.changed = shell_.now() - kEditPause;  // It is compiled at once
  editing_ = std::move(source);
  folder_of_include_.clear();
  file_watch_.watch(editing_.lies_nowhere ? std::filesystem::path() : editing_.file);
  shell_.menus.launch.origin = FileKernel{.file = editing_.file, .entry = {}, .cuda = editing_.text};
  shell_.menus.launch.form.reset();
  shell_.menus.launch.values.clear();
  recordings_.accept_row();
  recordings_.refuse(shell_.menus, {tr("it is being compiled"), editing_.file.filename().string(), {}});
}

void EditingController::choose_entry(const FileEntry& entry, std::size_t launch) {
  Result<LaunchRequest> request =
      launch_of_entry(*editing_.kernels, entry, shell_.menus.launch, nullptr, launch);
  if (!request.ok())
    return shell_.messages.add(tr("Launching {launch}", "launch"_a = entry.plain_name), request.error());
  shell_.menus.launch = *std::move(request);
}

void EditingController::keep_options() {
  const FileKernel* const kernel = shell_.menus.launch.file_kernel();
  if (kernel == nullptr || !shell_.menus.launch.form || !is_cuda_file(kernel->file) || editing_.lies_nowhere)
    return;
  const auto options = options_for_project(shell_.menus.launch.form->options, kernel->file);
  if (options) shell_.settings.keep_options(absolute_project_of(kernel->file), *options);
}

bool EditingController::can_edit() const {
  const FileKernel* const kernel = shell_.menus.launch.file_kernel();
  return editing_.on || shell_.menus.launch.catalog_kernel() != nullptr ||
         (kernel != nullptr && !kernel->cuda.empty());
}

void EditingController::toggle() {
  if (editing_.on) {
    editing_.on = false;
    editing_.focused = false;
    ImGui::SetWindowFocus(nullptr);
    return;
  }
  if (shell_.menus.launch.catalog_kernel() != nullptr) {
    once_saved([this] {
      if (copy_kernel()) edit();
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

bool EditingController::row_is_of_source() const {
  const FileKernel* const kernel = shell_.menus.launch.file_kernel();
  return kernel != nullptr && kernel->file == editing_.file;
}

/// Takes the source of a kernel that was opened before another file was.
void EditingController::take_source_of_row() {
  const LaunchRequest launch = shell_.menus.launch;
  const FileKernel& kernel = *launch.file_kernel();
  std::error_code ignored;
  const bool lies_nowhere = !std::filesystem::exists(kernel.file, ignored);
  take_source({.file = kernel.file,
               .lies_nowhere = lies_nowhere,
               .text = kernel.cuda,
               .saved_text = lies_nowhere ? kernel.cuda : saved_text_of(kernel.file)});
  shell_.menus.launch = launch;
}

/// The source view becomes an editor, its caret in the line that is selected.
void EditingController::edit() {
  shell_.panels.show("source");
  editing_.on = true;
  editing_.before = recordings_.loaded();
  editing_.line_wanted =
      recordings_.loaded()
          ? std::max(current_line(*recordings_.loaded()->recording, recordings_.selection()), 1u)
          : 1;
}

/// What the row says becomes a kernel of one's own, the same to begin with.
bool EditingController::copy_kernel() {
  Result<LaunchRequest> copy = copy_of_kernel(shell_.menus.launch);
  if (!copy.ok()) {
    shell_.messages.add(tr("Copying {kernel}", "kernel"_a = name_of(shell_.menus.launch)), copy.error());
    return false;
  }
  const auto& kernel = std::get<FileKernel>(copy->origin);
  take_source({.file = kernel.file, .lies_nowhere = true, .text = kernel.cuda, .saved_text = kernel.cuda});
  shell_.menus.launch = *std::move(copy);
  return true;
}

/// One edits lines of 80 letters: the source has the room for them while it is an editor.
void EditingController::make_room_for_editor() {
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
void EditingController::follow_edits() {
  if (std::exchange(editing_.toggle_wanted, false) && can_edit()) toggle();
  if (!row_is_of_source()) editing_.on = false;  // Its lines would stand beside the figures of another kernel
  if (!editing_.on) editing_.focused = false;
  make_room_for_editor();
  editing_.launch = shell_.menus.launch.form ? text_of(*shell_.menus.launch.form) : std::string();
  compiling_.poll();
  look_at_file();
  if (editing_.due() && compiling_.busy() && compiling_edits_ != editing_.edits)
    compiling_.cancel();  // Its outcome would be out of date
  if (!editing_.due() || compiling_.busy() || shell_.now() < editing_.changed + kEditPause) return;
  const FileKernel* const kernel = shell_.menus.launch.file_kernel();
  const std::string entry = kernel != nullptr ? kernel->entry : std::string();
  FileWishes wishes{
      .text = editing_.text,
      .entry = entry,
      .architecture = shell_.menus.launch.form ? shell_.menus.launch.form->architecture : std::string(),
      .options = shell_.menus.launch.form ? shell_.menus.launch.form->options : std::string(),
      .cc = shell_.menus.launch.cc,
      .source_folders = recordings_.readable_folders()};
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
void EditingController::list_machine_code() {
  listing_.poll();
  if (!recordings_.loaded() || !left_for_later(*recordings_.loaded()) || listing_.busy() ||
      recordings_.busy() || editing_.due())
    return;
  listing_.start(tr("Compiling to machine code"),
                 [this, shown = recordings_.loaded()](replay::Progress& progress) -> Background::Outcome {
                   std::shared_ptr<const Loaded> with_code =
                       with_rules(*shown, shown->cc, &progress.cancel, MachineCode::made);
                   return [this, shown, with_code = std::move(with_code)]() mutable {
                     if (recordings_.loaded() == shown)
                       recordings_.recordings().replace_current(std::move(with_code));
                   };
                 });
}

void EditingController::take_compiled(Result<KernelFile> compiled, std::uint64_t edits) {
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
    if (row_is_of_source() && !shell_.menus.launch.form)
      recordings_.refuse(shell_.menus, error_of(*compiled));
    return;
  }
  auto file = std::make_shared<const KernelFile>(*std::move(compiled));
  const std::shared_ptr<const KernelFile> before = std::exchange(editing_.kernels, file);
  if (row_is_of_source()) follow_source(*file, before.get());
}

/// The row's launch takes the new source, and what its comment says if that has changed.
void EditingController::follow_source(const KernelFile& file, const KernelFile* before) {
  FileKernel* const kernel = std::get_if<FileKernel>(&shell_.menus.launch.origin);
  const FileEntry* const entry = kernel == nullptr                     ? first_entry(file)
                                 : file.find(kernel->entry) != nullptr ? file.find(kernel->entry)
                                                                       : first_entry(file);
  if (entry == nullptr) return;
  const FileEntry* const old = before == nullptr || kernel == nullptr ? nullptr : before->find(kernel->entry);
  const bool same_parameters = old == nullptr ? kernel != nullptr : old->parameters == entry->parameters;
  const bool same_comment = old == nullptr ? entry->launch.empty() : old->launch == entry->launch;
  if (kernel != nullptr && shell_.menus.launch.form && same_comment && same_parameters) {
    kernel->cuda = file.text;
    kernel->text.clear();
  } else {
    Result<LaunchRequest> launch = launch_of_entry(file, *entry, shell_.menus.launch);
    if (!launch.ok()) {
      editing_.messages.push_back(
          {compile::Severity::error, file.file.filename().string(), entry->line, launch.error().message()});
      if (!shell_.menus.launch.form) recordings_.refuse(shell_.menus, launch.error());
      return;
    }
    shell_.menus.launch = *std::move(launch);
  }
  recordings_.row_has_changed(shell_.now() - kEditPause);  // The pause has been made already
}

/// What another program has changed is taken over, unless there is something here that would be lost.
void EditingController::look_at_file() {
  if (!file_watch_.take_change()) return;
  const std::string text = saved_text_of(editing_.file);
  if (text == editing_.saved_text) return;
  const std::string name = editing_.file.filename().string();
  if (editing_.unsaved()) {
    shell_.notice.show_until_action(
        tr("{file} was changed by another program. What is edited here is kept; saving it writes over that.",
           "file"_a = name),
        {}, shell_.now());
    return;
  }
  editing_.text = editing_.saved_text = text;
  ++editing_.edits;
  ++editing_.replacements;
  editing_.changed = shell_.now() - kEditPause;
  shell_.notice.show(tr("{file} was changed by another program, and read again.", "file"_a = name),
                     shell_.now());
}

void EditingController::save(std::function<void()> then) {
  if (editing_.lies_nowhere) return save_as(std::move(then));
  write(editing_.file, then);
}

void EditingController::save_as(std::function<void()> then) {
  shell_.file_dialog.start(
      {.kind = FileDialog::Kind::save,
       .title = tr("Save the source"),
       .folder = editing_.lies_nowhere ? shell_.settings.folder_of_latest() : editing_.file.parent_path(),
       .name = editing_.lies_nowhere ? "my_" + editing_.file.filename().string()
                                     : editing_.file.filename().string(),
       .extension = ".cu",
       .files = tr("CUDA C++"),
       .recent = folders_of(shell_.settings.recent),
       .chosen = [this, then = std::move(then)](const auto& chosen) { write(chosen, then); }});
}

/// A copy of the ladder's takes its launch along, in its comment.
void EditingController::write(const std::filesystem::path& path, const std::function<void()>& then) {
  const bool first = editing_.lies_nowhere;
  std::string text = editing_.text;
  if (first) text = with_launch_of_row(text);
  const auto written = write_text(path, text);
  if (!written.ok())
    return shell_.messages.add(tr("Saving {file}", "file"_a = path.filename().string()), written.error());
  editing_.lies_nowhere = false;
  editing_.file = path;
  editing_.saved_text = text;
  file_watch_.watch(path);
  shell_.settings.add_recent(path);
  if (FileKernel* const kernel = std::get_if<FileKernel>(&shell_.menus.launch.origin)) kernel->file = path;
  if (text != editing_.text) replace_text(std::move(text));
  shell_.notice.show(tr("Saved: {file}", "file"_a = path.filename().string()), shell_.now());
  if (then) then();
}

/// The source with what the row says as its kernel's comment.
std::string EditingController::with_launch_of_row(const std::string& source) const {
  const FileKernel* const kernel = shell_.menus.launch.file_kernel();
  if (kernel == nullptr || !shell_.menus.launch.form) return source;
  std::string name = ptx::plain_name(kernel->entry);
  name.resize(std::min(name.find('<'), name.size()));
  name.erase(0, name.rfind(':') + 1);
  return compile::with_launch(source, name, text_of(*shell_.menus.launch.form));
}

void EditingController::replace_text(std::string text) {
  editing_.text = std::move(text);
  ++editing_.edits;
  ++editing_.replacements;
  editing_.changed = shell_.now() - kEditPause;
}

void EditingController::keep_launch_in_source() {
  replace_text(with_launch_of_row(editing_.text));
}

void EditingController::add_commands(std::vector<Command>& commands) {
  const auto editing = [this] { return editing_.on; };
  commands.push_back({.id = "source.edit",
                      .menu = &kFileMenu,
                      .name = tr("Edit the source"),
                      .key = ImGuiKey_F2,
                      .run = [this] { toggle(); },
                      .enabled = [this] { return can_edit(); },
                      .ticked = editing,
                      .line_before = true});
  commands.push_back({.id = "source.save_as",
                      .menu = &kFileMenu,
                      .name = tr("Save the source as ..."),
                      .run = [this] { save_as(); },
                      .enabled = editing});
  commands.push_back({.id = "source.keep_launch",
                      .menu = &kFileMenu,
                      .name = tr("Write the launch into the source"),
                      .run = [this] { keep_launch_in_source(); },
                      .enabled = [this] { return editing_.on && shell_.menus.launch.form.has_value(); }});
}

}  // namespace warplens::app
