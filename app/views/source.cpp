#include <algorithm>
#include <span>

#include "app/session/compiled_figures.h"
#include "app/session/finding_words.h"
#include "app/session/hardware_figures.h"
#include "app/session/navigation.h"
#include "app/views/code_list.h"
#include "app/views/source_editor.h"
#include "kernels/base/texts.h"
#include "viz/analysis/finding_rows.h"
#include "viz/analysis/sentences.h"
#include "viz/picture/terms.h"

namespace warplens::app {
namespace {

using picture::Term;

constexpr float kDetailHeight = 168, kDetailWidth = 240, kLeastCodeHeight = 200, kLeastCodeWidth = 320;
constexpr float kLeastHeight = 110;  ///< Of a panel that has room for more than the code

/// What the margin and the detail count: accesses as PTX writes them, or as the machine code makes them.
enum class Reading : unsigned char { written, compiled };

std::vector<analysis::LineFigures> figures_of(const Loaded& loaded, Reading reading, std::uint32_t file,
                                              std::uint32_t line, std::span<const std::string> arrays) {
  if (reading == Reading::compiled) return compiled_line_figures(loaded, file, line, arrays);
  return written_line_figures(loaded, file, line, arrays);
}

analysis::TotalExcess total_of(const Loaded& loaded, Reading reading) {
  return reading == Reading::compiled
             ? analysis::total_excess(loaded.compiled.accesses, loaded.compiled.report)
             : analysis::total_excess(*loaded.recording, loaded.report);
}

LineMark mark_of(const Loaded& loaded, std::uint32_t line) {
  LineMark mark = LineMark::none;
  for (const Finding& finding : loaded.recording->findings) {
    if (finding.file != loaded.facts->source_file) continue;
    if (finding.line == line) return LineMark::found;
    if (finding.other_line == line) mark = LineMark::other;
  }
  return mark;
}

std::vector<CodeLine> source_lines(const Loaded& loaded, Reading reading,
                                   std::span<const std::string> arrays) {
  std::vector<CodeLine> lines;
  if (loaded.facts->source_file >= loaded.recording->files.size()) return lines;
  std::string_view text = loaded.recording->files[loaded.facts->source_file].text;
  for (std::uint32_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back({number, number, std::string(text.substr(0, end)),
                     figures_of(loaded, reading, loaded.facts->source_file, number, arrays),
                     mark_of(loaded, number)});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void draw_figure(const Look& look, const char* name, const std::string& value, picture::Colour colour,
                 const char* meaning) {
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  write(look, name, {.colour = look.palette->muted});
  explain(look, meaning);
  write_right(look, value, {.colour = colour, .font = picture::Font::sans_bold}, right);
}

std::optional<analysis::HardwareCount> sum_of(std::optional<analysis::HardwareCount> a,
                                              const std::optional<analysis::HardwareCount>& b) {
  if (!a || !b) return std::nullopt;
  *a += *b;
  return a;
}

/// "16,384 · GPU 16,384" where one counted it of the same instructions.
std::string beside_counted(std::uint64_t figure, const analysis::LineFigures& figures, Reading reading,
                           analysis::CountedTwice analysis::HardwareCount::* counted) {
  if (!figures.hardware || reading == Reading::written || figures.space == Space::local)
    return with_thousands(figure);
  return tr("{figure} · GPU {counted}", "figure"_a = with_thousands(figure),
            "counted"_a = with_thousands((*figures.hardware.*counted).counted));
}

void draw_costs(const Look& look, const analysis::LineFigures& figures, Reading reading) {
  const picture::Palette& palette = *look.palette;
  const bool shared = figures.space == Space::shared;
  draw_figure(look, tr("requests"),
              beside_counted(figures.totals.requests, figures, reading, &analysis::HardwareCount::requests),
              palette.text, picture::meaning_of(Term::requests));
  const bool written = reading == Reading::written;
  draw_figure(look,
              !shared   ? tr(figures.unit())
              : written ? tr("wavefronts as written")
                        : tr("wavefronts as compiled"),
              with_thousands(figures.cost()), figures.costly() ? palette.costly : palette.good,
              !shared   ? picture::meaning_of(figures.counts_sectors ? Term::sectors : Term::transactions)
              : written ? tr("Passes through the shared-memory data stage, for the accesses as the PTX "
                             "writes them. The assembler may merge neighbouring ones.")
                        : tr("Passes through the shared-memory data stage, for the accesses of the machine "
                             "code: neighbouring ones may be merged."));
  if (figures.hardware) {
    draw_figure(look,
                figures.hardware->cost.counted == figures.cost() ? tr("counted by the GPU")
                                                                 : tr("the line's, counted by the GPU"),
                with_thousands(figures.hardware->cost.counted),
                figures.hardware->agrees() ? palette.good : palette.costly,
                in_words(*figures.hardware, figures).c_str());
  }
  draw_figure(look, tr("ideal"),
              beside_counted(figures.ideal(), figures, reading, &analysis::HardwareCount::ideal),
              palette.text, picture::meaning_of(Term::ideal));
  if (shared) {
    draw_figure(look, tr("bank conflicts"), with_thousands(figures.totals.cost.bank_conflicts), palette.text,
                picture::meaning_of(Term::conflicts));
  } else {
    draw_figure(look, tr("lines"),
                beside_counted(figures.totals.cost.lines, figures, reading, &analysis::HardwareCount::lines),
                palette.text, picture::meaning_of(Term::lines));
  }
}

class SourceView : public Widget {
 public:
  std::string draw(const Frame& frame) override {
    const Look& look = frame.look;
    if (frame.editing.on) return draw_editor(frame);
    const bool code_alone = ImGui::GetContentRegionAvail().y < look.px(kLeastHeight);
    if (!code_alone) draw_choice(frame);
    const Reading reading = reading_of(frame.loaded());
    if (made_from_ != frame.shown || made_for_ != reading) {
      made_from_ = frame.shown;
      made_for_ = reading;
      arrays_ = picture::arrays_of_sites(*made_from_->recording);
      code_.set(source_lines(*made_from_, reading, arrays_), total_of(*made_from_, reading));
    }
    const ImVec2 room = ImGui::GetContentRegionAvail();
    // The detail lies beneath the code, or beside it in a low panel, or nowhere where that is narrow or very
    // low: the code comes first.
    const bool low = room.y < look.px(kDetailHeight + kLeastCodeHeight);
    const bool beside = low && !code_alone && room.x >= look.px(kDetailWidth + kLeastCodeWidth);
    const ImVec2 code_size{beside ? room.x - look.px(kDetailWidth + 16) : room.x,
                           low ? room.y : room.y - look.px(kDetailHeight + 12)};
    if (ImGui::BeginChild("code", code_size, 0,
                          ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse))
      draw_code(frame);
    ImGui::EndChild();
    if (beside) ImGui::SameLine(0, look.px(16));
    if (beside || !low) draw_detail(frame, beside, reading);
    return code_.empty() ? tr("no source") : frame.recording().files[frame.loaded().facts->source_file].name;
  }
  std::vector<WidgetCommand> commands() override {
    return {{"written", tr("as written"), [this] { chosen_ = Reading::written; }},
            {"compiled", tr("as compiled"), [this] { chosen_ = Reading::compiled; }}};
  }

 private:
  /// The chosen reading, where it is known.
  [[nodiscard]] Reading reading_of(const Loaded& loaded) const {
    return loaded.compiled.has_counts() ? chosen_ : Reading::written;
  }

  void draw_choice(const Frame& frame) {
    const Loaded& loaded = frame.loaded();
    const Reading reading = reading_of(loaded);
    if (choice(frame.look, labelled(tr("as written"), "as_written").c_str(), reading == Reading::written))
      chosen_ = Reading::written;
    explain(frame.look,
            tr("The margin counts the accesses of the PTX: those that the pictures draw. {as_written}",
               "as_written"_a = picture::meaning_of(Term::as_written)));
    same_line_if_fits(frame.look, checkbox_width(frame.look, tr("as compiled")), 16);
    ImGui::BeginDisabled(!loaded.compiled.has_counts());
    if (choice(frame.look, labelled(tr("as compiled"), "as_compiled").c_str(), reading == Reading::compiled))
      chosen_ = Reading::compiled;
    ImGui::EndDisabled();
    explain(frame.look, loaded.compiled.has_counts()
                            ? tr("The margin counts the accesses of the machine code for {architecture}, "
                                 "which the SASS view lists. {as_compiled}",
                                 "architecture"_a = loaded.compiled.architecture,
                                 "as_compiled"_a = picture::meaning_of(Term::as_compiled))
                            : tr("Not known: {reason}.", "reason"_a = loaded.compiled.why_not()));
    const std::string edit = tr("Edit");
    same_line_if_fits(frame.look, button_width(frame.look, edit), 16);
    if (ImGui::SmallButton(labelled(edit, "edit").c_str())) frame.editing.toggle_wanted = true;
    explain(frame.look, tr("Edit the source here: it is compiled and recorded as you type (F2). A kernel of "
                           "the ladder is edited as a copy."));
  }

  std::string draw_editor(const Frame& frame) {
    Editing& editing = frame.editing;
    if (ImGui::SmallButton(labelled(tr("Done"), "done").c_str())) editing.toggle_wanted = true;
    explain(frame.look, tr("Back to the source with all its figures (F2). What was edited stays."));
    if (!editing.launch.empty()) {
      ImGui::SameLine(0, frame.look.px(12));
      const TextStyle style{.colour = frame.look.palette->muted, .size = 12};
      write(frame.look, shortened(frame.look, editing.launch, style, ImGui::GetContentRegionAvail().x),
            style);
      explain(frame.look, editing.launch);
    }
    editor_.draw(frame);
    const std::string name = editing.file.filename().string();
    return editing.unsaved() ? tr("{file} · edited, not saved", "file"_a = name) : name;
  }

  void draw_code(const Frame& frame) {
    if (code_.empty()) {
      write_wrapped(frame.look,
                    tr("The recording carries no source text. Compile the kernel with -lineinfo, and keep "
                       "the .cu file where the compiler found it, to see its "
                       "lines here. The PTX view shows the instructions."),
                    {.colour = frame.look.palette->muted});
    } else {
      code_.draw(frame, current_line(frame.recording(), frame.selection), ImGui::GetContentRegionAvail().y);
    }
  }

  /// What is wrong on the selected line, or has its other side there, in words; false if nothing is.
  static bool draw_findings(const Frame& frame) {
    const Recording& recording = frame.recording();
    const std::uint32_t line = current_line(recording, frame.selection);
    bool any = false;
    for (const analysis::FindingRow& row : analysis::finding_rows(recording.findings)) {
      const Finding& finding = recording.findings[row.first];
      const bool is_other_here = std::ranges::find(row.other_lines, line) != row.other_lines.end();
      if ((finding.line != line && !is_other_here) || finding.file != frame.loaded().facts->source_file)
        continue;
      write_wrapped(frame.look,
                    tr("Line {line}, {kind}: {finding}", "line"_a = finding.line,
                       "kind"_a = words_for(finding.kind), "finding"_a = sentence_for(finding)),
                    {.colour = frame.look.palette->costly});
      any = true;
    }
    return any;
  }

  void draw_detail(const Frame& frame, bool beside, Reading reading) const {
    const Look& look = frame.look;
    const picture::Palette& palette = *look.palette;
    if (!beside) {
      ImGui::Separator();
      ImGui::Spacing();
    }
    if (ImGui::BeginChild("detail")) {
      ImGui::SetCursorPosY(ImGui::GetCursorPosY() +
                           look.px(2));  // Chinese characters are taller than capitals
      const picture::Moment moment = frame.moment();
      const auto event = moment.event();
      if (!event) {
        write_wrapped(look,
                      tr("The warp makes no access in this phase. Left and Right go to the nearest one."),
                      {.colour = palette.muted});
      } else {
        const std::uint32_t site = frame.recording().events.site[*event];
        const Site& site_of_event = moment.site_of(*event);
        const std::string title =
            tr("Line {line} · {access} · step {step}", "line"_a = site_of_event.line,
               "access"_a = picture::access_name(moment, *event), "step"_a = moment.step + 1);
        write(look,
              shortened(look, title, {.colour = palette.text, .font = picture::Font::sans_bold},
                        ImGui::GetContentRegionAvail().x),
              {.colour = palette.text, .font = picture::Font::sans_bold});
        if (const auto figures = all_of_site(frame.loaded(), reading, site))
          draw_costs(look, *figures, reading);
        ImGui::Spacing();
        if (!draw_findings(frame))
          write_wrapped(look, analysis::describe(moment.access(*event), frame.loaded().cc),
                        {.colour = palette.fill});
      }
    }
    end_child(look);
  }

  /// A site's row of the margin; as compiled there may be several, of accesses merged and not, which are
  /// added up.
  [[nodiscard]] std::optional<analysis::LineFigures> all_of_site(const Loaded& loaded, Reading reading,
                                                                 std::uint32_t site) const {
    std::optional<analysis::LineFigures> all;
    const Site& place = loaded.recording->sites[site];
    for (const analysis::LineFigures& figures :
         figures_of(loaded, reading, place.file, place.line, arrays_)) {
      if (std::ranges::find(figures.sites, site) == figures.sites.end()) continue;
      if (all) {
        all->totals += figures.totals;
        if (reading == Reading::compiled) all->hardware = sum_of(all->hardware, figures.hardware);
      } else {
        all = figures;
      }
    }
    return all;
  }

  std::shared_ptr<const Loaded> made_from_;
  std::vector<std::string> arrays_;  ///< By site
  Reading chosen_ = Reading::written, made_for_ = Reading::written;
  CodeList code_;
  SourceEditor editor_;
};

const RegisterWidget kSource{"source", make_one<SourceView>};

}  // namespace
}  // namespace warplens::app
