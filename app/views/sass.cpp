#include <algorithm>
#include <array>

#include "app/session/compiled_figures.h"
#include "app/views/code_list.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

constexpr float kMixHeight = 116, kMinListingHeight = 120, kBarHeight = 16;

/// The source line of an instruction, if it is of the file that is drawn.
std::uint32_t source_line_of(const Loaded& loaded, const sass::Instruction& instruction) {
  const std::vector<SourceFile>& files = loaded.recording->files;
  const bool drawn = instruction.line != 0 && loaded.facts->source_file < files.size() &&
                     loaded.compiled.files[instruction.file] == files[loaded.facts->source_file].name;
  return drawn ? instruction.line : 0;
}

/// One row an instruction, and one a label. Rows are numbered from 1; `row_of` gives an instruction's.
std::vector<CodeLine> listing_lines(const Loaded& loaded, std::vector<std::uint32_t>& row_of) {
  std::vector<CodeLine> lines;
  row_of.clear();
  const sass::Function& function = loaded.compiled.function;
  auto label = function.labels.begin();
  const auto next_number = [&] { return static_cast<std::uint32_t>(lines.size() + 1); };
  for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
    for (; label != function.labels.end() && label->instruction <= i; ++label)
      lines.push_back({next_number(), 0, label->name + ":", {}});
    const sass::Instruction& instruction = function.instructions[i];
    row_of.push_back(next_number());
    const std::string indent = instruction.guard.always() ? "       " : "  ";
    lines.push_back({next_number(), source_line_of(loaded, instruction), indent + instruction.text,
                     instruction_figures(loaded, i)});
  }
  return lines;
}

picture::Colour colour_of(const picture::Palette& palette, sass::InstructionKind kind) {
  using sass::InstructionKind;
  switch (kind) {
    case InstructionKind::multiply_add: return palette.good;
    case InstructionKind::floating: return mixed(palette.good, palette.panel, 0.5f);
    case InstructionKind::shared: return palette.accent;
    case InstructionKind::global: return palette.fill;
    case InstructionKind::local: return palette.costly;
    case InstructionKind::integer: return palette.muted;
    case InstructionKind::control: return mixed(palette.muted, palette.panel, 0.35f);
    default: break;
  }
  return mixed(palette.muted, palette.panel, 0.7f);
}

/// The kinds that occur, the most frequent first.
std::vector<sass::InstructionKind> kinds_of(const sass::InstructionMix& mix) {
  std::vector<sass::InstructionKind> kinds;
  for (std::size_t i = 0; i < sass::kInstructionKinds; ++i) {
    if (mix.by_kind[i] != 0) kinds.push_back(static_cast<sass::InstructionKind>(i));
  }
  std::ranges::stable_sort(kinds, std::greater<>(),
                           [&](sass::InstructionKind kind) { return mix.share(kind); });
  return kinds;
}

/// A kind with its share stays on one line, and the dot behind it too.
constexpr const char *kNoBreak = "\u00a0", *kAfterDot = "\u00a0· ";

std::string mix_in_words(const sass::InstructionMix& mix) {
  std::string words;
  for (const sass::InstructionKind kind : kinds_of(mix)) {
    if (!words.empty()) words += kAfterDot;
    std::string one =
        tr("{kind} {share:.1f} %", "kind"_a = tr(name_of(kind)), "share"_a = 100 * mix.share(kind));
    for (std::size_t space = one.find(' '); space != std::string::npos; space = one.find(' ', space))
      one.replace(space, 1, kNoBreak);
    words += one;
  }
  return words;
}

void draw_bar(const Look& look, const sass::InstructionMix& mix) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = std::max(ImGui::GetContentRegionAvail().x, 1.0f), height = look.px(kBarHeight);
  double before = 0;
  for (const sass::InstructionKind kind : kinds_of(mix)) {
    const float left = std::floor(at.x + width * static_cast<float>(before));
    before += mix.share(kind);
    const float right = std::floor(at.x + width * static_cast<float>(before));
    ImGui::GetWindowDrawList()->AddRectFilled({left, at.y},
                                              {std::max(right - look.px(1), left), at.y + height},
                                              packed(colour_of(*look.palette, kind)));
  }
  ImGui::Dummy({width, height});
  explain(look, mix_in_words(mix));
}

/// "sm_90, 255 registers, 168 B of stack"
std::string takes_in_words(const AsCompiled& compiled) {
  const auto& resources = compiled.function.resources;
  if (!resources) return compiled.architecture;
  if (resources->stack_bytes == 0) {
    return tr_n(resources->registers, "{architecture}, {n} register", "{architecture}, {n} registers",
                "architecture"_a = compiled.architecture);
  }
  return tr_n(resources->registers, "{architecture}, {n} register, {stack} B of stack",
              "{architecture}, {n} registers, {stack} B of stack", "architecture"_a = compiled.architecture,
              "stack"_a = with_thousands(resources->stack_bytes));
}

class SassView : public Widget {
 public:
  std::string draw(const Frame& frame) override {
    const AsCompiled& compiled = frame.loaded().compiled;
    const Look& look = frame.look;
    if (!compiled.has_listing()) {
      write_wrapped(
          look,
          tr("There is no listing of the machine code: {reason}.", "reason"_a = compiled.why_no_listing),
          {.colour = look.palette->muted});
      return tr("no SASS");
    }
    if (made_from_ != frame.shown) {
      made_from_ = frame.shown;
      code_.set(listing_lines(*made_from_, row_of_),
                analysis::total_excess(compiled.accesses, compiled.report));
    }
    const float height = ImGui::GetContentRegionAvail().y;
    const bool roomy = height >= look.px(kMixHeight + kMinListingHeight);
    const float below = std::max(look.px(kMixHeight + 12), mix_height_);
    const ImVec2 code_size{ImGui::GetContentRegionAvail().x, roomy ? height - below : height};
    if (ImGui::BeginChild("code", code_size, 0,
                          ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse)) {
      code_.draw(frame, current_row(frame), ImGui::GetContentRegionAvail().y);
    }
    ImGui::EndChild();
    if (roomy) {
      const float top = ImGui::GetItemRectMax().y;
      draw_mix(look, compiled);
      mix_height_ =
          std::min(ImGui::GetItemRectMax().y - top + look.px(4), height - look.px(kMinListingHeight));
    }
    return takes_in_words(compiled);
  }

 private:
  /// Returns the row of the instruction that makes the current access; without counts, of the first of its
  /// line.
  [[nodiscard]] std::uint32_t current_row(const Frame& frame) const {
    const picture::Moment moment = frame.moment();
    const auto event = moment.event();
    if (!event) return 0;
    if (const auto instruction = instruction_of(frame.loaded(), *event)) return row_of_[*instruction];
    const Site& written = moment.site_of(*event);
    const auto& instructions = frame.loaded().compiled.function.instructions;
    for (std::uint32_t i = 0; i < instructions.size(); ++i) {
      if (written.file == frame.loaded().facts->source_file &&
          source_line_of(frame.loaded(), instructions[i]) == written.line)
        return row_of_[i];
    }
    return 0;
  }

  static void draw_mix(const Look& look, const AsCompiled& compiled) {
    ImGui::Separator();
    ImGui::Spacing();
    const picture::Palette& palette = *look.palette;
    if (!compiled.has_counts()) {
      write_wrapped(look, tr("What it executes is not known: {reason}.", "reason"_a = compiled.why_no_counts),
                    {.colour = palette.muted});
      return;
    }
    const sass::InstructionMix& mix = compiled.inner ? *compiled.inner : compiled.mix;
    const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
    const double share = 100 * mix.share(sass::InstructionKind::multiply_add);
    write(look, compiled.inner ? tr("Inner loop") : tr("All instructions"),
          {.colour = palette.text, .font = picture::Font::sans_bold});
    write_right(look, tr("{share:.1f} % multiply-adds", "share"_a = share),
                {.colour = share > 0 ? palette.good : palette.muted, .font = picture::Font::sans_bold},
                right);
    explain(look, tr("Of the instructions that warps execute: those that do the arithmetic that the kernel "
                     "is for. All others are what it costs to "
                     "feed them."));
    draw_bar(look, mix);
    write_wrapped(look, mix_in_words(mix), {.colour = palette.muted, .size = 12});
    write_wrapped(look,
                  tr_n(compiled.mix.total,
                       "{n} SASS warp instruction in the launch, {share:.1f} % of them multiply-adds",
                       "{n} SASS warp instructions in the launch, {share:.1f} % of them multiply-adds",
                       "share"_a = 100 * compiled.mix.share(sass::InstructionKind::multiply_add)),
                  {.colour = palette.muted, .size = 12});
  }

  std::shared_ptr<const Loaded> made_from_;
  CodeList code_;
  std::vector<std::uint32_t> row_of_;  ///< By instruction
  float mix_height_ = 0;               ///< In pixels, as last drawn
};

const viz::RegisterView kSass{{.id = "sass",
                               .title = marked("SASS"),
                               .shows = marked("The machine code that the assembler made of the PTX, with "
                                               "what each access costs and the mix of its inner loop"),
                               .place = viz::Place::left,
                               .rank = 3}};
const RegisterWidget kSassWidget{"sass", make_one<SassView>};

}  // namespace
}  // namespace warplens::app
