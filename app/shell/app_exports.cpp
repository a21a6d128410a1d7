// How a view leaves the window: the menu, the file dialogue, and the work on the worker thread.
#include <utility>

#include "app/shell/app.h"

namespace warplens::app {

bool App::can_export(const viz::View& view) const {
  return !busy() && (loaded() != nullptr || !view.needs_recording);
}

void App::make_export_commands() {
  commands_.push_back(
      {.id = "file.export",
       .menu = &kFileMenu,
       .name = tr("Export or copy a view ..."),
       .key = ImGuiMod_Ctrl | ImGuiKey_E,
       .run = [this] { open_export_menu(panels_.presented()); },
       .enabled = [this] { return can_be_exported(*panels_.all()[panels_.presented()].view); },
       .line_before = true});
  for (std::size_t i = 0; i < panels_.all().size(); ++i) {
    const viz::View& view = *panels_.all()[i].view;
    for (const ExportWay& way : kExportWays) {
      if (!can_be_exported(view, way)) continue;
      commands_.push_back({.id = id_of(way, view),
                           .name = name_of(way, view),
                           .run = [this, i, way] { export_panel(i, way); },
                           .enabled = [this, &view] { return can_export(view); }});
    }
  }
}

void App::open_export_menu(std::size_t panel) {
  if (!panels_.all()[panel].visible) panels_.show(panels_.all()[panel].view->id);
  export_menu_.open(panel);
}

void App::draw_export_menu() {
  if (const auto wanted = panels_.take_menu_wanted()) open_export_menu(*wanted);
  const std::size_t panel = export_menu_.panel();
  const auto way = export_menu_.draw(look_, panels_, can_export(*panels_.all()[panel].view));
  if (way) export_panel(export_menu_.panel(), *way);
}

void App::export_panel(std::size_t index, const ExportWay& way) {
  const Panel& panel = panels_.all()[index];
  viz::ExportRequest request = sized_request(panel, way, look_.scale);
  request.dark = settings_.dark;
  if (loaded()) request.subject = subject_of(*loaded(), selection());
  panel.widget->amend(request);
  if (way.to_clipboard) return copy(*panel.view, way, std::move(request));

  const std::string id = request.view;
  const std::string name = (panel.view->needs_recording ? loaded()->recording->kernel + "-" : std::string()) +
                           id + std::string(way.extension);
  file_dialog_.start(
      {.kind = FileDialog::Kind::save,
       .title = tr("Export {view} as {format}", "view"_a = tr(panel.view->title), "format"_a = tr(way.words)),
       .folder = export_folder_.empty() ? recordings_folder() : export_folder_,
       .name = name,
       .extension = std::string(way.extension),
       .files = tr("{extension} files", "extension"_a = way.extension.substr(1)),
       .recent = folders_of(settings_.recent),
       .chosen = [this, &view = *panel.view, request = std::move(request), loaded = loaded()](
                     const std::filesystem::path& path) { export_to(path, view, request, loaded); }});
}

// `loaded` is what the request looks into.
void App::export_to(const std::filesystem::path& path, const viz::View& view,
                    const viz::ExportRequest& request, const std::shared_ptr<const Loaded>& loaded) {
  export_folder_ = path.parent_path();
  const std::string what = tr("Exporting {file}", "file"_a = path.filename().string());
  start_work(what, [this, what, path, &view, request, loaded](replay::Progress&) -> Background::Outcome {
    const Result<Done> done = viz::export_view(request, path);
    return [this, what, path, &view, done] {
      if (!done) return messages_.add(what, done.error());
      notice_.show(tr("{view} is saved in {file}", "view"_a = tr(view.title), "file"_a = path.string()),
                   meter_.now());
    };
  });
}

void App::copy(const viz::View& view, const ExportWay& way, viz::ExportRequest request) {
  const std::string what = tr("Copying {view}", "view"_a = tr(view.title));
  start_work(what,
             [this, what, &view, way, request = std::move(request),
              loaded = loaded()](replay::Progress&) -> Background::Outcome {
               const Result<std::string> text = viz::make_file(request, way.extension);
               return [this, what, &view, way, text] {
                 if (!text) return messages_.add(what, text.error());
                 if (way.extension == ".png") {
                   if (const auto offered = clipboard_image_.offer(*text); !offered)
                     return messages_.add(what, offered.error());
                 } else {
                   ImGui::SetClipboardText(text->c_str());
                 }
                 notice_.show(tr("{view} is copied as {format}", "view"_a = tr(view.title),
                                 "format"_a = tr(way.words)),
                              meter_.now());
               };
             });
}

}  // namespace warplens::app
