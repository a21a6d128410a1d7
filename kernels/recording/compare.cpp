#include "kernels/recording/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/base/figures.h"

namespace warplens {
namespace {

std::string shape_text(Dim3 dim) {
  return dim.z == 1 ? fmt::format("{} x {}", dim.x, dim.y) : fmt::format("{} x {} x {}", dim.x, dim.y, dim.z);
}

std::string index_text(Dim3 index) {
  return index.z == 0 ? fmt::format("{},{}", index.x, index.y)
                      : fmt::format("{},{},{}", index.x, index.y, index.z);
}

const char* file_name(const Recording& recording, std::uint32_t file) {
  return file < recording.files.size() ? recording.files[file].name.c_str() : "";
}

/// "line 31 shared load"; the statement itself where no line is known.
std::string site_text(const Site& site) {
  const std::string place =
      site.line != 0 ? fmt::format("line {}", site.line) : fmt::format("PTX line {}", site.ptx_line);
  return fmt::format("{} {} {}", place, name_of(site.space), name_of(site.op));
}

/// A finding in words. Findings are equal exactly if their texts are.
std::string finding_text(const Recording& recording, const Finding& finding) {
  return fmt::format("{} {} times at {} line {} (against line {}), first in block {} warp {} lanes {:#x}",
                     name_of(finding.kind), with_commas(finding.count), file_name(recording, finding.file),
                     finding.line, finding.other_line, index_text(finding.block), finding.warp,
                     finding.lanes);
}

class Comparison {
 public:
  Comparison(const Recording& a, const Recording& b, std::size_t limit) : a_(a), b_(b), limit_(limit) {}

  std::vector<Difference> run() {
    compare_launch();
    compare_tensor();
    compare_parameters();
    compare_memory();
    compare_sites();
    compare_phases();
    compare_findings();
    compare_event_blocks();
    compare_events();
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool full() const { return found_.size() >= limit_; }

  void add(std::string what) {
    if (!full()) found_.push_back({std::move(what)});
  }
  void compare_text(const char* what, const std::string& a, const std::string& b) {
    if (a != b) add(fmt::format("{}: `{}` against `{}`", what, a, b));
  }
  /// "line 31 shared load: 1,048,576 against 1,048,577 requests".
  void compare_count(const std::string& place, const char* unit, std::uint64_t a, std::uint64_t b) {
    if (a != b) add(fmt::format("{}: {} against {} {}", place, with_commas(a), with_commas(b), unit));
  }

  void compare_launch() {
    compare_text("kernel", a_.kernel, b_.kernel);
    compare_text("entry", a_.entry, b_.entry);
    compare_text("grid", shape_text(a_.grid), shape_text(b_.grid));
    compare_text("block", shape_text(a_.block), shape_text(b_.block));
    compare_text("cluster", shape_text(a_.cluster), shape_text(b_.cluster));
    compare_text("values", a_.value_type, b_.value_type);
    compare_count("launch", "bytes of shared memory", a_.shared_bytes, b_.shared_bytes);
    compare_count("launch", "bytes of dynamic shared memory", a_.dynamic_shared_bytes,
                  b_.dynamic_shared_bytes);
    compare_count("size m", "rows of A", a_.m, b_.m);
    compare_count("size p", "columns of A", a_.p, b_.p);
    compare_count("size n", "columns of B", a_.n, b_.n);
    compare_count("launch", "blocks", a_.blocks_total, b_.blocks_total);
    compare_count("launch", "blocks counted", a_.blocks_counted, b_.blocks_counted);
    compare_count("totals", "warp instructions", a_.warp_instructions, b_.warp_instructions);
    compare_count("totals", "thread instructions", a_.thread_instructions, b_.thread_instructions);
    if (a_.phases_are_barriers != b_.phases_are_barriers)
      add("phases: barrier intervals in one, iterations of a loop in the other");
  }

  void compare_tensor() {
    compare_count("totals", "instructions of tensor cores", a_.tensor.size(), b_.tensor.size());
    for (std::size_t i = 0; i < std::min(a_.tensor.size(), b_.tensor.size()); ++i) {
      const auto text = [](const TensorTotals& totals) {
        return fmt::format("{} in line {}", totals.kind, totals.line);
      };
      compare_text("tensor instruction", text(a_.tensor[i]), text(b_.tensor[i]));
      compare_count(text(a_.tensor[i]), "executions", a_.tensor[i].instructions, b_.tensor[i].instructions);
    }
  }

  void compare_parameters() {
    compare_count("launch", "parameters", a_.parameters.size(), b_.parameters.size());
    for (std::size_t i = 0; i < std::min(a_.parameters.size(), b_.parameters.size()); ++i) {
      const auto text = [](const NamedValue& parameter) {
        return fmt::format("{} = {}", parameter.name, parameter.value);
      };
      compare_text("parameter", text(a_.parameters[i]), text(b_.parameters[i]));
    }
  }

  void compare_memory() {
    const auto buffer_text = [](const Buffer& buffer) {
      return fmt::format("{} {} at {:#x}, {} bytes, {} rows of {}, pitch {}", name_of(buffer.type),
                         buffer.name, buffer.base, buffer.bytes, buffer.rows, buffer.columns, buffer.pitch);
    };
    compare_count("launch", "buffers", a_.buffers.size(), b_.buffers.size());
    for (std::size_t i = 0; i < std::min(a_.buffers.size(), b_.buffers.size()); ++i) {
      compare_text("buffer", buffer_text(a_.buffers[i]), buffer_text(b_.buffers[i]));
    }
    const auto array_text = [](const SharedArray& array) {
      return fmt::format("{} at {}, {} bytes, elements of {}, {} rows, pitch {}", array.name, array.offset,
                         array.bytes, array.element_bytes, array.rows, array.pitch);
    };
    compare_count("launch", "shared arrays", a_.shared_arrays.size(), b_.shared_arrays.size());
    for (std::size_t i = 0; i < std::min(a_.shared_arrays.size(), b_.shared_arrays.size()); ++i) {
      compare_text("shared array", array_text(a_.shared_arrays[i]), array_text(b_.shared_arrays[i]));
    }
  }

  void compare_sites() {
    compare_count("kernel", "memory instructions", a_.sites.size(), b_.sites.size());
    for (std::size_t site = 0; site < std::min(a_.sites.size(), b_.sites.size()) && !full(); ++site) {
      const std::size_t before = found_.size();
      compare_site(a_.sites[site], b_.sites[site]);
      if (found_.size() == before)
        compare_totals(site_text(a_.sites[site]), a_.totals[site], b_.totals[site]);
    }
  }

  /// Where in the PTX a site lies is not compared: another compilation of the same source may put it
  /// elsewhere.
  void compare_site(const Site& a, const Site& b) {
    const auto text = [](const Recording& recording, const Site& site) {
      const std::string matrices = site.matrices != 0 ? fmt::format(", {} matrices", site.matrices) : "";
      return fmt::format("{} {}, {} bytes per lane{}", file_name(recording, site.file), site_text(site),
                         site.bytes, matrices);
    };
    compare_text("memory instruction", text(a_, a), text(b_, b));
  }

  void compare_totals(const std::string& place, const SiteTotals& a, const SiteTotals& b) {
    const std::size_t before = found_.size();
    compare_count(place, "requests", a.requests, b.requests);
    compare_count(place, "accesses of threads", a.thread_accesses, b.thread_accesses);
    compare_count(place, "divergent requests", a.divergent_requests, b.divergent_requests);
    compare_count(place, "requests whose patterns were not kept", a.unkept_requests, b.unkept_requests);
    if (a.unkept_requests != 0 && b.unkept_requests != 0)
      compare_text("memory rules of these", a_.unkept_cc, b_.unkept_cc);
    compare_count(place, "sectors of these", a.unkept_cost.sectors, b.unkept_cost.sectors);
    compare_count(place, "ideal sectors of these", a.unkept_cost.ideal_sectors, b.unkept_cost.ideal_sectors);
    compare_count(place, "lines of these", a.unkept_cost.lines, b.unkept_cost.lines);
    compare_count(place, "wavefronts of these", a.unkept_cost.wavefronts, b.unkept_cost.wavefronts);
    compare_count(place, "ideal wavefronts of these", a.unkept_cost.ideal_wavefronts,
                  b.unkept_cost.ideal_wavefronts);
    compare_count(place, "bank conflicts of these", a.unkept_cost.bank_conflicts,
                  b.unkept_cost.bank_conflicts);
    compare_count(place, "patterns of addresses", a.patterns.size(), b.patterns.size());
    if (found_.size() == before) compare_patterns(place, a.patterns, b.patterns);
  }

  /// Both have equally many patterns. Shapes may be numbered differently, but are in the same order in both
  /// (canonicalise), so the patterns at one index correspond.
  void compare_patterns(const std::string& place, const std::vector<PatternCount>& a,
                        const std::vector<PatternCount>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      const bool equal = a[i].mask == b[i].mask && a[i].alignment == b[i].alignment &&
                         a_.shapes[a[i].shape] == b_.shapes[b[i].shape];
      if (!equal) return add(fmt::format("{}: other addresses, from pattern {} on", place, i + 1));
      if (a[i].count != b[i].count)
        return compare_count(place, fmt::format("requests of its pattern {}", i + 1).c_str(), a[i].count,
                             b[i].count);
    }
  }

  void compare_phases() {
    compare_count("totals", "phases", a_.phases.size(), b_.phases.size());
    for (std::size_t i = 0; i < std::min(a_.phases.size(), b_.phases.size()) && !full(); ++i) {
      const std::string place = fmt::format("phase {}", i);
      compare_count(place, "global loads", a_.phases[i].global_loads, b_.phases[i].global_loads);
      compare_count(place, "global stores", a_.phases[i].global_stores, b_.phases[i].global_stores);
      compare_count(place, "shared loads", a_.phases[i].shared_loads, b_.phases[i].shared_loads);
      compare_count(place, "shared stores", a_.phases[i].shared_stores, b_.phases[i].shared_stores);
      compare_count(place, "other accesses", a_.phases[i].other, b_.phases[i].other);
      compare_count(place, "fills", a_.phases[i].fills, b_.phases[i].fills);
    }
  }

  void compare_findings() {
    compare_count("kernel", "findings", a_.findings.size(), b_.findings.size());
    for (std::size_t i = 0; i < std::min(a_.findings.size(), b_.findings.size()) && !full(); ++i) {
      compare_text("finding", finding_text(a_, a_.findings[i]), finding_text(b_, b_.findings[i]));
    }
  }

  void compare_event_blocks() {
    compare_count("events", "blocks", a_.event_blocks.size(), b_.event_blocks.size());
    for (std::size_t i = 0; i < std::min(a_.event_blocks.size(), b_.event_blocks.size()) && !full(); ++i) {
      compare_text("block of events", index_text(a_.event_blocks[i]), index_text(b_.event_blocks[i]));
    }
  }

  void compare_events() {
    compare_count("events", "accesses", a_.events.size(), b_.events.size());
    for (std::size_t event = 0; event < std::min(a_.events.size(), b_.events.size()) && !full(); ++event) {
      if (auto difference = event_difference(event))
        add(fmt::format("{}: {}", event_text(event), *difference));
    }
  }

  [[nodiscard]] std::string event_text(std::size_t event) const {
    const EventColumns& events = a_.events;
    return fmt::format("event {} (block {} warp {} order {})", event,
                       index_text(a_.event_blocks[events.block[event]]), events.warp[event],
                       events.order[event]);
  }

  [[nodiscard]] std::optional<std::string> event_difference(std::size_t event) const {
    const EventColumns &a = a_.events, &b = b_.events;
    const auto against = [&](const char* what, std::uint64_t one, std::uint64_t other) {
      return fmt::format("{} {} against {}", what, one, other);
    };
    const Dim3 block_a = a_.event_blocks[a.block[event]], block_b = b_.event_blocks[b.block[event]];
    if (block_a != block_b)
      return fmt::format("block {} against {}", index_text(block_a), index_text(block_b));
    if (a.warp[event] != b.warp[event]) return against("warp", a.warp[event], b.warp[event]);
    if (a.order[event] != b.order[event]) return against("order", a.order[event], b.order[event]);
    if (a.site[event] != b.site[event]) {
      return fmt::format("{} (site {}) against {} (site {})", site_text(a_.sites[a.site[event]]),
                         a.site[event], site_text(b_.sites[b.site[event]]), b.site[event]);
    }
    if (a.phase[event] != b.phase[event]) return against("phase", a.phase[event], b.phase[event]);
    if (a.mask[event] != b.mask[event])
      return fmt::format("active lanes {:#010x} against {:#010x}", a.mask[event], b.mask[event]);
    if (a.base[event] != b.base[event])
      return fmt::format("base {:#x} against {:#x}", a.base[event], b.base[event]);
    const Shape &shape_a = a_.shapes[a.shape[event]], &shape_b = b_.shapes[b.shape[event]];
    const auto [lane_a, lane_b] = std::mismatch(shape_a.begin(), shape_a.end(), shape_b.begin());
    if (lane_a == shape_a.end()) return std::nullopt;
    return fmt::format("lane {} lies {} against {} bytes from the base", lane_a - shape_a.begin(), *lane_a,
                       *lane_b);
  }

  const Recording& a_;
  const Recording& b_;
  std::size_t limit_;
  std::vector<Difference> found_;
};

}  // namespace

std::vector<Difference> differences(const Recording& a, const Recording& b, std::size_t limit) {
  return Comparison(a, b, limit).run();
}

}  // namespace warplens
