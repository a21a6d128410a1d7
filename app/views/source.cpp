#include <fmt/format.h>

#include <algorithm>

#include "app/session/navigation.h"
#include "app/views/code_list.h"
#include "viz/analysis/sentences.h"

namespace warplens::app {
namespace {

constexpr float kDetailHeight = 168, kDetailWidth = 240, kLeastCodeHeight = 120, kLeastCodeWidth = 320;

std::vector<CodeLine> source_lines(const Loaded& loaded) {
  std::vector<CodeLine> lines;
  if (loaded.source_file >= loaded.recording.files.size()) return lines;
  std::string_view text = loaded.recording.files[loaded.source_file].text;
  for (std::uint32_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back({number, number, std::string(text.substr(0, end)), line_figures(loaded, loaded.source_file, number)});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void draw_figure(const Look& look, const char* name, const std::string& value, picture::Colour colour, const char* meaning) {
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  write(look, name, {.colour = look.palette->muted});
  explain(look, meaning);
  write_right(look, value, {.colour = colour, .font = picture::Font::sans_bold}, right);
}

void draw_costs(const Look& look, const LineFigures& figures) {
  const picture::Palette& palette = *look.palette;
  const bool shared = figures.space == Space::shared;
  using picture::with_thousands;
  draw_figure(look, "requests", with_thousands(figures.totals.requests), palette.text, "Instructions of one warp that reach the load/store unit.");
  draw_figure(look, shared ? "wavefronts as written" : "sectors", with_thousands(figures.cost()), figures.costly() ? palette.costly : palette.good,
              shared
                  ? "Passes through the shared-memory data stage, for the accesses as the PTX writes them. The assembler may merge neighbouring ones."
                  : "Aligned pieces of 32 bytes that are moved.");
  draw_figure(look, "ideal", with_thousands(figures.ideal()), palette.text,
              "What the same lanes, bytes and width would need with perfect addresses.");
  if (shared) {
    draw_figure(look, "bank conflicts", with_thousands(figures.totals.cost.bank_conflicts), palette.text,
                "Wavefronts beyond one for each group of lanes that the hardware serves together.");
  } else {
    draw_figure(look, "lines", with_thousands(figures.totals.cost.lines), palette.text,
                "Aligned pieces of 128 bytes, one cache tag each, added up over the requests.");
  }
}

class SourceView : public View {
 public:
  std::string draw(const Frame& frame) override {
    if (made_from_ != frame.model.loaded) {
      made_from_ = frame.model.loaded;
      code_.set(source_lines(*made_from_));
    }
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const Look& look = frame.look;
    // The detail lies beneath the code, or beside it in a low panel, or nowhere in one that is low and narrow: the code comes first.
    const bool low = room.y < look.px(kDetailHeight + kLeastCodeHeight);
    const bool beside = low && room.x >= look.px(kDetailWidth + kLeastCodeWidth);
    const ImVec2 code_size{beside ? room.x - look.px(kDetailWidth + 16) : room.x, low ? room.y : room.y - look.px(kDetailHeight + 12)};
    if (ImGui::BeginChild("code", code_size, 0, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse)) draw_code(frame);
    ImGui::EndChild();
    if (beside) ImGui::SameLine(0, look.px(16));
    if (beside || !low) draw_detail(frame, beside);
    return code_.empty() ? std::string("no source") : frame.recording().files[frame.loaded().source_file].name;
  }

 private:
  void draw_code(const Frame& frame) {
    if (code_.empty()) {
      write_wrapped(
          frame.look,
          "The recording carries no source text. Compile the kernel with -lineinfo, and keep the .cu file where the compiler found it, to see its "
          "lines here. The PTX view shows the instructions.",
          {.colour = frame.look.palette->muted});
    } else {
      code_.draw(frame, current_line(frame.recording(), frame.selection), ImGui::GetContentRegionAvail().y);
    }
  }

  static void draw_detail(const Frame& frame, bool beside) {
    const Look& look = frame.look;
    const picture::Palette& palette = *look.palette;
    if (!beside) {
      ImGui::Separator();
      ImGui::Spacing();
    }
    if (ImGui::BeginChild("detail")) {
      const picture::Moment moment = frame.moment();
      const auto event = moment.event();
      if (!event) {
        write_wrapped(look, "The warp makes no access in this phase. Left and Right go to the nearest one.", {.colour = palette.muted});
      } else {
        const std::uint32_t site = frame.recording().events.site[*event];
        const std::string title =
            fmt::format("Line {} · {} · step {}", moment.site_of(*event).line, picture::access_name(moment, *event), moment.step + 1);
        write(look, shortened(look, title, {.colour = palette.text, .font = picture::Font::sans_bold}, ImGui::GetContentRegionAvail().x),
              {.colour = palette.text, .font = picture::Font::sans_bold});
        for (const LineFigures& figures : line_figures(frame.loaded(), moment.site_of(*event).file, moment.site_of(*event).line)) {
          if (std::ranges::find(figures.sites, site) != figures.sites.end()) draw_costs(look, figures);
        }
        ImGui::Spacing();
        write_wrapped(look, analysis::describe(moment.access(*event), frame.loaded().cc), {.colour = palette.fill});
      }
    }
    ImGui::EndChild();
  }

  std::shared_ptr<const Loaded> made_from_;
  CodeList code_;
};

const RegisterView kSource{{.name = "Source",
                            .shows = "The kernel's CUDA source with the requests and the cost of every line beside it",
                            .place = Place::left,
                            .rank = 1,
                            .make = []() -> std::unique_ptr<View> { return std::make_unique<SourceView>(); }}};

}  // namespace
}  // namespace warplens::app
