// Two launches beside each other: what each costs, takes and lasts, and the second against the first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/session/loaded.h"
#include "kernels/gpu/run.h"
#include "viz/canvas/changes.h"

namespace warplens::app {

/// The time of launches that were neither counted nor recorded.
struct MeasuredTime {
  std::string device;
  std::uint64_t launches = 0;
  double median_ms = 0;
  double p25_ms = 0, p75_ms = 0;  ///< Half of the launches took from one to the other
  double gflops = 0;              ///< 0: no product
  friend bool operator==(const MeasuredTime&, const MeasuredTime&) = default;
};
[[nodiscard]] MeasuredTime measured_time(const gpu::RunResult& run);

struct ComparedSide {
  const Loaded& loaded;
  std::optional<MeasuredTime> measured;
};

/// Where a figure comes from, in the order of the table.
enum class FigureSource : std::uint8_t { measured, as_written, as_compiled, multiprocessor };
[[nodiscard]] const char* title_of(FigureSource source);  ///< "as written"; shown by tr() in the window

using Amount = std::variant<std::uint64_t, double>;

struct ComparedFigure {
  FigureSource source = FigureSource::as_written;
  std::string id;  ///< "as_written.shared_store.wavefronts": stable
  const char* of =
      "";  ///< "shared store"; empty where the figure says it all. Shown by tr(), as are the others
  const char* figure = "";  ///< "wavefronts"
  std::optional<Amount> a, b;
  bool one_measure = true;  ///< False: the sides count different things (sectors, and transactions of CC 1.x)
  bool apart = true;        ///< False: measured on both sides, and the middle halves of the launches overlap
  enum class Best : std::uint8_t { neither, least, most } best = Best::neither;

  [[nodiscard]] bool is_nothing() const;  ///< Neither side has any of it
};

enum class Verdict : std::uint8_t { none, same, better, worse };
[[nodiscard]] const char* name_of(Verdict verdict);  ///< Of B against A: "better"; "" for none

struct Comparison {
  std::vector<ComparedFigure>
      figures;  ///< By source, the same ones whatever the launches; those that are not known have no amounts
  std::string why_not_judged;  ///< A sentence: work or rules differ, and neither side is better. Empty: they
                               ///< are the same
  std::string a_not_compiled, b_not_compiled;  ///< Why a side has no figures as compiled; empty where it has

  /// Returns the verdict on B against A: `none` where neither can be called better.
  [[nodiscard]] Verdict verdict(const ComparedFigure& figure) const;
};
[[nodiscard]] Comparison compare(const ComparedSide& a, const ComparedSide& b);

/// "131,072", "0.0187 ms"; "-" where it is not known.
[[nodiscard]] std::string in_words(const std::optional<Amount>& amount);
/// B against A: "=", "-122,880 (-94 %)", "+8 (9 times)", of times "1.16 times as fast" or "no difference";
/// empty where there is nothing to compare.
[[nodiscard]] std::string change_in_words(const ComparedFigure& figure);

/// Returns the table that people see: figures that neither has are left out. `a` and `b` name the launches.
[[nodiscard]] picture::Changes changes_of(const Comparison& comparison, std::string a, std::string b);

}  // namespace warplens::app
