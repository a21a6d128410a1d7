#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "app/views/code_list.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

/// The number after `prefix` and a file number in "  .loc 1 26 5": the source line; 0 if the line is no .loc
/// of the file.
std::uint32_t line_of_directive(std::string_view text, std::uint32_t file) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos || !text.substr(begin).starts_with(".loc")) return 0;
  std::uint32_t numbers[2]{};
  const char* at = text.data() + begin + 4;
  const char* end = text.data() + text.size();
  for (std::uint32_t& number : numbers) {
    while (at < end && (*at == ' ' || *at == '\t')) ++at;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc()) return 0;
    at = next;
  }
  return numbers[0] == file ? numbers[1] : 0;
}

std::string without_tabs(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\t') {
      result += "  ";
    } else if (c != '\r') {
      result += c;
    }
  }
  return result;
}

/// The lines of the recording's entry, from its name to its closing brace.
std::vector<CodeLine> entry_lines(const Loaded& loaded) {
  std::vector<CodeLine> lines;
  const std::string head = ".entry " + loaded.recording->entry + "(";
  std::string_view text = loaded.recording->ptx;
  std::map<std::uint32_t, std::vector<analysis::LineFigures>> figures =
      analysis::ptx_figures(*loaded.recording, loaded.report, picture::arrays_of_sites(*loaded.recording));
  std::uint32_t source_line = 0;
  bool inside = false;
  for (std::uint32_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size()));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    inside = inside || line.find(head) != std::string_view::npos;
    if (!inside) continue;
    if (const auto named = line_of_directive(line, loaded.facts->source_file + 1); named != 0)
      source_line = named;
    lines.push_back({number, source_line, without_tabs(line), std::move(figures[number])});
    if (line.starts_with("}")) break;
  }
  return lines;
}

class PtxView : public Widget {
 public:
  std::string draw(const Frame& frame) override {
    if (made_from_ != frame.shown) {
      made_from_ = frame.shown;
      code_.set(entry_lines(*made_from_), analysis::total_excess(*made_from_->recording, made_from_->report));
    }
    if (code_.empty()) {
      write_wrapped(frame.look,
                    tr("The recording carries no PTX. Record the kernel again to see its instructions here."),
                    {.colour = frame.look.palette->muted});
      return tr("no PTX");
    }
    const picture::Moment moment = frame.moment();
    const auto event = moment.event();
    code_.draw(frame, event ? moment.site_of(*event).ptx_line : 0, ImGui::GetContentRegionAvail().y);
    return frame.recording().entry;
  }

 private:
  std::shared_ptr<const Loaded> made_from_;
  CodeList code_;
};

const RegisterWidget kPtx{"ptx", make_one<PtxView>};

}  // namespace
}  // namespace warplens::app
