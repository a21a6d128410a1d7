#include "viz/picture/occupancy.h"

#include <algorithm>

#include "kernels/base/texts.h"
#include "viz/picture/occupancy_parts.h"

namespace warplens::picture {
namespace {

constexpr float kWide = 860, kMinVariants = 420, kOccupancyGap = 10, kRoomy = 330, kMinSm = 44,
                kSentence = 72, kMinOfLimits = 0.6f;

/// The big figure, in the text's colour: few warps are no fault by themselves.
void draw_warps(Canvas& canvas, Rect box, const OccupancyScene& scene) {
  const analysis::Occupancy& found = scene.found;
  const std::string figure =
      tr_n(found.max_warps, "{warps} of {n} warp", "{warps} of {n} warps", "warps"_a = found.warps);
  TextLook look{found.blocks == 0 ? canvas.palette().costly : canvas.palette().text,
                box.height / 1.5f / canvas.px(1), Font::sans_bold, Align::left};
  while (look.size > kSmallSize && canvas.width_of(figure, look) > box.width) look.size -= 1;
  const auto drawn = canvas.fitted(box, {figure}, look);
  if (!drawn) return;
  canvas.region(*drawn, {},
                tr("Warps that an SM holds at a time, of those that it has places for: the occupancy."));
  Rect rest = box;
  static_cast<void>(cut_left(rest, drawn->width + canvas.px(14)));
  const std::string share = tr("{share} of an SM", "share"_a = analysis::percent(found.share()));
  const std::string blocks = tr_n(found.blocks, "{share_of_an_sm} · {n} block per SM",
                                  "{share_of_an_sm} · {n} blocks per SM", "share_of_an_sm"_a = share);
  const std::string waves = tr_n(found.waves, "{share_and_blocks} · {n} wave",
                                 "{share_and_blocks} · {n} waves", "share_and_blocks"_a = blocks);
  canvas.fitted(rest, {found.waves != 0 ? waves : blocks, blocks, share},
                canvas.muted(std::clamp(look.size * 0.6f, kSmallSize, 22.0f)));
}

void draw_launch(Canvas& canvas, Rect rest, const OccupancyScene& scene) {
  const float gap = canvas.px(kOccupancyGap);
  const float limits = limits_height(canvas, rest.height);
  if (rest.height >= limits * kMinOfLimits) {  // Else their bars could not be told from each other
    draw_limits(canvas, cut_top(rest, std::min(limits, rest.height)), scene);
    static_cast<void>(cut_top(rest, gap));
  }
  const float waves = waves_height(canvas, scene, rest.height);
  const bool both = rest.height >= waves + gap + canvas.px(kMinSm);
  if (!both && rest.height < canvas.px(kMinSm))
    return rest.height < waves ? draw_places(canvas, rest, scene) : draw_waves(canvas, rest, scene);
  Rect room = rest;
  if (both) room.height -= waves + gap;
  const float end = draw_multiprocessor(canvas, room, scene) + gap;
  if (both) draw_waves(canvas, {rest.x, end, rest.width, waves}, scene);
}

/// The launch, the variants, or both: beside each other or one under the other.
void draw_body(Canvas& canvas, Rect rest, const OccupancyScene& scene) {
  if (!has_variants(scene)) return draw_launch(canvas, rest, scene);
  const float variants = variants_height(canvas, scene), gap = canvas.px(2 * kOccupancyGap);
  if (rest.width >= canvas.px(kWide)) {
    draw_variants(canvas, cut_right(rest, std::max(canvas.px(kMinVariants), rest.width * 0.46f)), scene);
    static_cast<void>(cut_right(rest, gap));
    return draw_launch(canvas, rest, scene);
  }
  if (rest.height >=
      variants + gap + limits_height(canvas, 0) + waves_height(canvas, scene, 0) + canvas.px(110)) {
    draw_variants(canvas, cut_bottom(rest, variants), scene);
    static_cast<void>(cut_bottom(rest, gap));
    return draw_launch(canvas, rest, scene);
  }
  if (scene.question.variants_first) return draw_variants(canvas, rest, scene);
  draw_launch(canvas, rest, scene);
}

/// Leaves room for what such a launch takes and a multiprocessor has.
void scale_for(OccupancyScene& scene, const OccupancyQuestion& question) {
  const analysis::MultiprocessorModel& model = analysis::multiprocessor_model(question.cc);
  const analysis::Occupancy found = analysis::occupancy(model, question.needs);
  for (const analysis::Occupancy::Limit& limit : found.limits)
    scene.greatest_limit = std::max(scene.greatest_limit, std::min(limit.blocks.value_or(0), model.blocks));
  scene.most_warps = std::max(scene.most_warps, model.warps);
}

std::string note(const OccupancyScene& scene) {
  const analysis::OccupancySubject& subject = scene.subject;
  if (!scene.question.as_recorded) return tr("another launch than the recorded one");
  return subject.registers_note(scene.question.cc);
}

}  // namespace

Colour block_colour(const Palette& palette, std::uint64_t block) {
  return with_alpha(palette.accent, block % 2 == 0 ? 0.95f : 0.6f);
}

Picture make_occupancy(const analysis::OccupancySubject& subject, const OccupancyQuestion& question,
                       Size size, const Style& style, const OccupancyQuestion* beside) {
  if (question.needs.threads == 0) {
    return empty_picture(tr("Occupancy"), tr("A block of this launch has no threads."),
                         tr("Record a kernel, or ask for a block with threads."), size, style);
  }
  const analysis::MultiprocessorModel& model = analysis::multiprocessor_model(question.cc);
  OccupancyScene scene{subject, question, model, analysis::occupancy(model, question.needs)};
  scale_for(scene, question);
  if (beside != nullptr) scale_for(scene, *beside);
  Canvas canvas(size, roomy(style, size));
  canvas.name(tr("Occupancy"),
              tr("{multiprocessor} · {note}", "multiprocessor"_a = model.name(), "note"_a = note(scene)));
  Rect rest = canvas.inside();
  const bool about_variants = question.variants_first && has_variants(scene);
  draw_sentence(
      canvas, rest,
      about_variants ? variants_sentence(scene) : analysis::describe(model, question.needs, scene.found),
      kSentence);
  static_cast<void>(cut_bottom(rest, canvas.px(6)));
  draw_warps(canvas, cut_top(rest, figure_height(canvas, size.height)), scene);
  if (size.height >= canvas.px(kRoomy)) {
    canvas.wrapped(cut_top(rest, canvas.line_height(kSmallSize)), note(scene), canvas.muted());
    static_cast<void>(cut_top(rest, canvas.px(6)));
  }
  draw_body(canvas, rest, scene);
  return canvas.take();
}

}  // namespace warplens::picture
