#include "app/shell/controllers/export_controller.h"

#include <utility>

#include "app/lesson/handout.h"
#include "app/shell/controllers/recording_controller.h"

namespace warplens::app {

ExportController::ExportController(const ShellContext& shell, RecordingController& recordings,
                                   const Look& look)
    : shell_(shell), recordings_(recordings), look_(look) {}

bool ExportController::can_export(const viz::View& view) const {
  return !recordings_.busy() && (recordings_.loaded() != nullptr || !view.needs_recording);
}

void ExportController::add_commands(std::vector<Command>& commands) {
  commands.push_back(
      {.id = "file.export",
       .menu = &kFileMenu,
       .name = tr("Export or copy a view ..."),
       .key = ImGuiMod_Ctrl | ImGuiKey_E,
       .run = [this] { open_menu(shell_.panels.presented()); },
       .enabled = [this] { return can_be_exported(*shell_.panels.all()[shell_.panels.presented()].view); },
       .line_before = true,
       .also = "image, screenshot, picture, clipboard, save"});
  for (std::size_t i = 0; i < shell_.panels.all().size(); ++i) {
    const viz::View& view = *shell_.panels.all()[i].view;
    for (const ExportWay& way : kExportWays) {
      if (!can_be_exported(view, way)) continue;
      commands.push_back({.id = id_of(way, view),
                          .name = name_of(way, view),
                          .run = [this, i, way] { export_panel(i, way); },
                          .enabled = [this, &view] { return can_export(view); }});
    }
  }
}

void ExportController::open_menu(std::size_t panel) {
  if (!shell_.panels.all()[panel].visible) shell_.panels.show(shell_.panels.all()[panel].view->id);
  menu_.open(panel);
}

void ExportController::draw_menu() {
  if (const auto wanted = shell_.panels.take_menu_wanted()) open_menu(*wanted);
  const std::size_t panel = menu_.panel();
  const auto way = menu_.draw(look_, shell_.panels, can_export(*shell_.panels.all()[panel].view));
  if (way) export_panel(menu_.panel(), *way);
}

void ExportController::export_panel(std::size_t index, const ExportWay& way) {
  const Panel& panel = shell_.panels.all()[index];
  viz::ExportRequest request = sized_request(panel, way, look_.scale);
  request.dark = shell_.settings.dark;
  if (recordings_.loaded()) request.subject = subject_of(*recordings_.loaded(), recordings_.selection());
  panel.widget->amend(request);
  if (way.to_clipboard) return copy(*panel.view, way, std::move(request));

  const std::string id = request.view;
  const std::string name =
      (panel.view->needs_recording ? recordings_.loaded()->recording->kernel + "-" : std::string()) + id +
      std::string(way.extension);
  shell_.file_dialog.start(
      {.kind = FileDialog::Kind::save,
       .title = tr("Export {view} as {format}", "view"_a = tr(panel.view->title), "format"_a = tr(way.words)),
       .folder = folder_.empty() ? shell_.settings.folder_of_latest() : folder_,
       .name = name,
       .extension = std::string(way.extension),
       .files = tr("{extension} files", "extension"_a = way.extension.substr(1)),
       .recent = folders_of(shell_.settings.recent),
       .chosen = [this, &view = *panel.view, request = std::move(request), loaded = recordings_.loaded()](
                     const std::filesystem::path& path) { export_to(path, view, request, loaded); }});
}

// `loaded` is what the request looks into.
void ExportController::export_to(const std::filesystem::path& path, const viz::View& view,
                                 const viz::ExportRequest& request,
                                 const std::shared_ptr<const Loaded>& loaded) {
  folder_ = path.parent_path();
  const std::string what = tr("Exporting {file}", "file"_a = path.filename().string());
  recordings_.start_work(
      what, [this, what, path, &view, request, loaded](replay::Progress&) -> Background::Outcome {
        const Result<Done> done = viz::export_view(request, path);
        return [this, what, path, &view, done] {
          if (!done) return shell_.messages.add(what, done.error());
          shell_.notice.show(
              tr("{view} is saved in {file}", "view"_a = tr(view.title), "file"_a = path.string()),
              shell_.now());
        };
      });
}

void ExportController::copy(const viz::View& view, const ExportWay& way, viz::ExportRequest request) {
  const std::string what = tr("Copying {view}", "view"_a = tr(view.title));
  recordings_.start_work(what,
                         [this, what, &view, way, request = std::move(request),
                          loaded = recordings_.loaded()](replay::Progress&) -> Background::Outcome {
                           const Result<std::string> text = viz::make_file(request, way.extension);
                           return [this, what, &view, way, text] {
                             if (!text) return shell_.messages.add(what, text.error());
                             if (way.extension == ".png") {
                               if (const auto offered = clipboard_image_.offer(*text); !offered)
                                 return shell_.messages.add(what, offered.error());
                             } else {
                               ImGui::SetClipboardText(text->c_str());
                             }
                             shell_.notice.show(tr("{view} is copied as {format}", "view"_a = tr(view.title),
                                                   "format"_a = tr(way.words)),
                                                shell_.now());
                           };
                         });
}

void ExportController::ask_where_to_put_handout(const std::string& lesson) {
  const std::filesystem::path file(lesson);
  shell_.file_dialog.start({.kind = FileDialog::Kind::save,
                            .title = tr("Save the handout: .html for a browser, .pdf for A4 pages"),
                            .folder = folder_.empty() ? shell_.settings.folder_of_latest() : folder_,
                            .name = file.stem().string() + ".html",
                            .extension = ".html *.pdf",
                            .files = tr("Handouts"),
                            .recent = folders_of(shell_.settings.recent),
                            .chosen = [this, lesson](const auto& path) { write_handout(lesson, path); }});
}

void ExportController::write_handout(const std::string& lesson, const std::filesystem::path& path) {
  folder_ = path.parent_path();
  const std::string what = tr("Writing the handout {file}", "file"_a = path.filename().string());
  recordings_.start_work(what, [this, what, lesson, path](replay::Progress&) -> Background::Outcome {
    const Result<Done> done = make_handout_file(lesson, path);
    return [this, what, path, done] {
      if (!done) return shell_.messages.add(what, done.error());
      shell_.notice.show(tr("The handout is saved in {file}", "file"_a = path.string()), shell_.now());
    };
  });
}

}  // namespace warplens::app
