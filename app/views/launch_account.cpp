#include "app/views/launch_account.h"

#include <fmt/format.h>

#include "app/session/loaded.h"
#include "app/views/finding_words.h"
#include "app/views/rate_bars.h"
#include "viz/picture/canvas.h"

namespace warplens::app {
namespace {

std::string blocks_in_words(const Recording& recording) {
  return fmt::format("{} of {} blocks", picture::with_thousands(recording.blocks_replayed), picture::with_thousands(recording.blocks_total));
}

std::string counts_in_words(const Recording& recording) {
  const double milliseconds = recording.seconds * 1e3;
  const std::string time = milliseconds >= 1e4  ? fmt::format("{:.1f} s", recording.seconds)
                           : milliseconds >= 10 ? fmt::format("{:.0f} ms", milliseconds)
                                                : fmt::format("{:.1f} ms", milliseconds);
  return fmt::format("{} · {} warp instructions · {}", blocks_in_words(recording), picture::with_thousands(recording.warp_instructions), time);
}

}  // namespace

Account account_of(const Recording& recording, const picture::Palette& palette) {
  const std::string counts = counts_in_words(recording), blocks = blocks_in_words(recording);
  const auto account = [&](const std::string& verdict, const char* in_short, picture::Colour colour) {
    return Account{{{verdict, counts}, {in_short, blocks}}, colour, {}};
  };
  if (!recording.findings.empty()) {
    const Finding& first = recording.findings.front();
    const std::size_t count = recording.findings.size();
    const std::string more = count == 1 ? std::string() : fmt::format(", and {}", picture::counted(count - 1, "more finding"));
    return account(fmt::format("{} in line {}{}", words_for(first.kind), first.line, more), picture::counted(count, "finding").c_str(),
                   palette.costly);
  }
  const char* const result = name_of_result(recording);
  if (!recording.verified) return account("no reference to compare with", "no reference", palette.muted);
  if (!*recording.verified) return account(fmt::format("wrong: {} differs from the reference", result), "wrong", palette.costly);
  const bool whole = recording.blocks_replayed == recording.blocks_total;
  return account(fmt::format("verified: {}{} equals the reference", whole ? "" : "the replayed part of ", result), "verified", palette.good);
}

Account account_of(const gpu::RunResult& run, const picture::Palette& palette) {
  const char* const result = is_product(run.kernel) ? "C" : "the result";
  const std::string verdict =
      run.verified ? fmt::format("launched: {} equals the reference", result) : fmt::format("wrong: {} differs from the reference", result);
  const std::string in_short = run.verified ? "verified" : "wrong";
  const Rate gained = rate_of(run);
  const std::string rate = fmt::format("{} {}", rate_in_words(gained.value), gained.unit),
                    time = fmt::format("{:.4g} ms · {}", run.times.median_ms, rate);
  const std::string useful = is_product(run.kernel) ? fmt::format("{} · {} GB/s useful", time, rate_in_words(run.gbps)) : time;
  const std::string cublas = run.cublas ? fmt::format(" · {:.1f} % of cuBLAS", run.cublas->percent) : std::string();
  std::string more = fmt::format(
      "{} on {}: median of {} launches, quartiles {:.4g} and {:.4g} ms, shortest {:.4g} ms.\nWith transfers {:.4g} ms: upload "
      "{:.4g} ms, download {:.4g} ms.\n{} registers a thread, {} bytes of shared memory a block; caches {}.",
      run.kernel, run.device, run.times.launches, run.times.p25_ms, run.times.p75_ms, run.times.min_ms, run.total_ms, run.upload_ms, run.download_ms,
      run.registers, picture::with_thousands(run.shared_bytes), run.caches);
  if (!run.cublas_missing.empty()) more += "\nWithout cuBLAS: " + run.cublas_missing + ".";
  return {{{verdict, useful + cublas}, {verdict, time + cublas}, {verdict, time}, {in_short, time}, {in_short, rate}},
          run.verified ? palette.good : palette.costly,
          more};
}

}  // namespace warplens::app
