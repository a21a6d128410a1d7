#include "app/views/launch_account.h"

#include <algorithm>
#include <vector>

#include "app/session/counter_check.h"
#include "app/session/finding_words.h"
#include "app/session/guess_words.h"
#include "app/session/hardware_figures.h"
#include "app/views/rate_bars.h"
#include "kernels/base/texts.h"
#include "viz/analysis/finding_rows.h"

namespace warplens::app {
namespace {

std::string blocks_in_words(const Recording& recording) {
  if (recording.blocks_extrapolated > 0 && recording.blocks_run() == recording.blocks_total) {
    return tr_n(recording.blocks_total, "{n} block, {counted} counted", "{n} blocks, {counted} counted",
                "counted"_a = with_thousands(recording.blocks_replayed()));
  }
  if (recording.blocks_extrapolated > 0) {
    return tr_n(recording.blocks_total, "{n} block, {run} run", "{n} blocks, {run} run",
                "run"_a = with_thousands(recording.blocks_replayed()));
  }
  return tr_n(recording.blocks_total, "{replayed} of {n} block", "{replayed} of {n} blocks",
              "replayed"_a = with_thousands(recording.blocks_counted));
}

std::string counts_in_words(const Recording& recording) {
  const double milliseconds = recording.seconds * 1e3;
  const std::string time = milliseconds >= 1e4  ? formatted("{:.1f} s", recording.seconds)
                           : milliseconds >= 10 ? formatted("{:.0f} ms", milliseconds)
                                                : formatted("{:.1f} ms", milliseconds);
  return fmt::format("{} · {} · {}", blocks_in_words(recording),
                     tr_n(recording.warp_instructions, "{n} warp instruction", "{n} warp instructions"),
                     time);
}

/// The first finding, and how many more there are.
std::string findings_in_words(const Recording& recording, std::size_t rows) {
  const Finding& first = recording.findings.front();
  const char* const kind = words_for(first.kind);
  const std::size_t more = rows - 1;
  if (more == 0) return tr("{finding} in line {line}", "finding"_a = kind, "line"_a = first.line);
  return tr_n(more, "{finding} in line {line}, and {n} more finding",
              "{finding} in line {line}, and {n} more findings", "finding"_a = kind, "line"_a = first.line);
}

const char* wrong(bool product) {
  return product ? tr("wrong: C differs from the reference")
                 : tr("wrong: the result differs from the reference");
}

/// Returns what is right in a recording of all blocks, or of some.
std::string right(bool product, const Recording& recording) {
  const std::uint64_t run = recording.blocks_run();
  if (run == recording.blocks_total)
    return product ? tr("verified: C equals the reference") : tr("verified: the result equals the reference");
  const std::string total = with_thousands(recording.blocks_total);
  return product ? tr_n(run, "verified in {n} of {total} blocks: there C equals the reference",
                        "verified in {n} of {total} blocks: there C equals the reference", "total"_a = total)
                 : tr_n(run, "verified in {n} of {total} blocks: there the result equals the reference",
                        "verified in {n} of {total} blocks: there the result equals the reference",
                        "total"_a = total);
}

/// Apart from how many launches it took, and what was missing.
std::string costs_in_words(const gpu::RunResult& run) {
  const std::string transfers =
      tr("With transfers {total:.4g} ms: upload {upload:.4g} ms, download {download:.4g} ms.",
         "total"_a = run.total_ms, "upload"_a = run.upload_ms, "download"_a = run.download_ms);
  const std::string registers =
      tr_n(static_cast<std::uint64_t>(run.registers), "{n} register", "{n} registers");
  const std::string shared =
      tr_n(run.shared_bytes, "{n} byte of shared memory", "{n} bytes of shared memory");
  return transfers + "\n" +
         tr("{registers} a thread, {shared_memory} a block; caches {state}.", "registers"_a = registers,
            "shared_memory"_a = shared, "state"_a = run.caches);
}

}  // namespace

Account account_of(const Loaded& loaded, const picture::Palette& palette) {
  const Recording& recording = *loaded.recording;
  const bool whole = recording.blocks_run() == recording.blocks_total;
  const std::string counts = counts_in_words(recording), blocks = blocks_in_words(recording);
  const auto account = [&](const std::string& verdict, const std::string& in_short, picture::Colour colour) {
    Account made{{{verdict, counts}, {in_short, blocks}}, colour, {}};
    if (whole) made.forms.push_back({in_short, tr_n(recording.blocks_total, "{n} block", "{n} blocks")});
    made.forms.push_back({in_short, {}});
    return made;
  };
  if (recording.ended) {
    return account(tr("ended at its limit, in line {line}", "line"_a = recording.ended->line),
                   tr("ended at its limit"), palette.costly);
  }
  if (!recording.findings.empty()) {
    const std::size_t rows = analysis::finding_rows(recording.findings).size();
    return account(findings_in_words(recording, rows), tr_n(rows, "{n} finding", "{n} findings"),
                   palette.costly);
  }
  const bool product = recording.p != 0;
  const bool told = loaded.verified && (*loaded.verified || !loaded.guesses.shape());
  if (loaded.guesses.of_bounds() && !told) {
    Account guessed = account(tr("parts of the launch are guessed: bounds not checked"),
                              tr("bounds not checked"), palette.fill);
    guessed.more = guesses_in_words(loaded);
    return guessed;
  }
  if (loaded.verifying == Verifying::going_on)
    return account(tr("being verified"), tr("being verified"), palette.muted);
  if (loaded.verifying == Verifying::given_up)
    return account(tr("not verified: cancelled"), tr("not verified"), palette.muted);
  if (!loaded.verified && product && !whole)
    return account(tr("not verified: one block stands for others"), tr("not verified"), palette.muted);
  if (!loaded.verified) return account(tr("no reference to compare with"), tr("no reference"), palette.muted);
  if (!*loaded.verified) return account(wrong(product), tr("wrong"), palette.costly);
  Account verified =
      account(right(product, recording), whole ? tr("verified") : tr("verified in part"), palette.good);
  if (!whole)
    verified.forms.push_back(
        {tr("verified"), {}});  // Where there is no room to say of what, the tooltip does
  if (recording.blocks_extrapolated > 0) {
    verified.more = whole ? tr("All blocks ran. The accesses of some were counted; the others are proved to "
                               "make the same ones. Verify every block, in the menu "
                               "Launch, counts them all.")
                          : tr("The other blocks are proved to behave as these do. Verify every block, in "
                               "the menu Launch, runs and compares them all.");
  }
  return verified;
}

void add_counters(Account& account, const Loaded& counted, const picture::Palette& palette) {
  std::size_t equal = 0, within = 0;
  std::string lines, differing;
  for (const CheckedCounter& counter : checked(counted, *counted.hardware)) {
    const std::optional<bool> agrees = counter.agrees();
    if (!agrees) continue;
    if (!*agrees && differing.empty()) differing = counter.field->id;
    if (*agrees) ++(counter.replayed ? equal : within);
    const std::string replayed =
        counter.replayed
            ? with_thousands(*counter.replayed)
            : tr("{least} to {most}", "least"_a = with_thousands(counter.band->min / counter.unit_bytes),
                 "most"_a = with_thousands(counter.band->max / counter.unit_bytes));
    lines += "\n" + tr("{counter}: {counted}; by the replay, as compiled: {replayed}",
                       "counter"_a = counter.field->id, "counted"_a = with_thousands(counter.counted),
                       "replayed"_a = replayed);
  }
  if (lines.empty()) return;
  if (const std::vector<CheckedInstruction> instructions = checked_instructions(counted);
      !instructions.empty()) {
    const auto alike =
        std::ranges::count_if(instructions, [](const CheckedInstruction& one) { return one.count.agrees(); });
    lines +=
        "\n" + tr_n(instructions.size(), "of {n} instruction that accesses memory, by itself: {equal} equal",
                    "of {n} instructions that access memory, one by one: {equal} equal", "equal"_a = alike);
  }
  const std::string said = differing.empty()
                               ? tr("the GPU's counters: {equal} equal, {within} within their bands",
                                    "equal"_a = equal, "within"_a = within)
                               : tr("the GPU's counters differ: {counter}", "counter"_a = differing);
  if (!differing.empty()) account.colour = palette.costly;
  Account::Words longest = account.forms.front();
  longest.verdict += " · " + said;
  account.forms.insert(account.forms.begin(), longest);
  account.more += (account.more.empty() ? "" : "\n") + said + lines;
}

Account account_of(const gpu::RunResult& run, const picture::Palette& palette) {
  const bool product = is_product(run.kernel);
  const std::string launched =
      product ? tr("launched: C equals the reference") : tr("launched: the result equals the reference");
  const std::string verdict = run.verified ? launched : wrong(product);
  const std::string in_short = run.verified ? tr("verified") : tr("wrong");
  const Rate gained = rate_of(run);
  const std::string rate = fmt::format("{} {}", rate_in_words(gained.value), gained.unit),
                    time = formatted("{:.4g} ms · {}", run.times.median_ms, rate);
  const std::string useful =
      product ? fmt::format("{} · {}", time,
                            tr("{bandwidth} GB/s useful", "bandwidth"_a = rate_in_words(run.gbps)))
              : time;
  const auto with_cublas = [&](const std::string& figures) {
    return run.cublas ? fmt::format("{} · {}", figures,
                                    tr("{share:.1f} % of cuBLAS", "share"_a = run.cublas->percent))
                      : figures;
  };
  std::string more = tr_n(run.times.launches,
                          "{kernel} on {device}: median of {n} launch, quartiles {lower:.4g} and {upper:.4g} "
                          "ms, shortest {shortest:.4g} ms.",
                          "{kernel} on {device}: median of {n} launches, quartiles {lower:.4g} and "
                          "{upper:.4g} ms, shortest {shortest:.4g} ms.",
                          "kernel"_a = run.kernel, "device"_a = run.device, "lower"_a = run.times.p25_ms,
                          "upper"_a = run.times.p75_ms, "shortest"_a = run.times.min_ms);
  more += "\n" + costs_in_words(run);
  if (!run.cublas_missing.empty())
    more += "\n" + tr("Without cuBLAS: {reason}.", "reason"_a = run.cublas_missing);
  return {{{verdict, with_cublas(useful)},
           {verdict, with_cublas(time)},
           {verdict, time},
           {in_short, time},
           {in_short, rate}},
          run.verified ? palette.good : palette.costly,
          more};
}

Account account_of(const Error& refused, const picture::Palette& palette) {
  const std::string verdict = tr("not recorded: {reason}", "reason"_a = refused.what);
  return {.forms = {{verdict, refused.hint}}, .colour = palette.costly, .more = refused.where, .cut = true};
}

}  // namespace warplens::app
