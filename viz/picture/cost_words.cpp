#include "viz/picture/cost_words.h"

#include "kernels/base/texts.h"
#include "viz/analysis/sentences.h"

namespace warplens::picture {
namespace {

using analysis::ComputeCapability;
using analysis::Fix;
using analysis::LineCost;

/// "1 wavefront a request", "16.5 wavefronts a request".
std::string per_request(Space space, std::uint64_t cost, std::uint64_t requests, ComputeCapability cc) {
  const std::string figure = formatted("{:.2f}", static_cast<double>(cost) / static_cast<double>(requests));
  const bool whole = cost % requests == 0;
  const std::uint64_t count = cost / requests;
  if (space == Space::shared)
    return whole ? tr_n(count, "{n} wavefront per request", "{n} wavefronts per request")
                 : tr("{figure} wavefronts per request", "figure"_a = figure);
  if (analysis::memory_rules_of(cc).counts_sectors)
    return whole ? tr_n(count, "{n} sector per request", "{n} sectors per request")
                 : tr("{figure} sectors per request", "figure"_a = figure);
  return whole ? tr_n(count, "{n} transaction per request", "{n} transactions per request")
               : tr("{figure} transactions per request", "figure"_a = figure);
}

std::string names_of_arrays(const Recording& recording, const std::vector<std::uint32_t>& arrays) {
  std::string names;
  for (const std::uint32_t array : arrays) {
    if (!names.empty()) names += ", ";
    names += recording.shared_arrays[array].name;
  }
  return names;
}

std::string with_fix(const Recording& recording, const Fix& fix, const std::string& cost) {
  switch (fix.change) {
    case Fix::Change::aligned_start:
      return tr("With each request from a line's start: {cost}", "cost"_a = cost);
    case Fix::Change::neighbours:
      return tr("With neighbouring lanes on neighbouring elements: {cost}", "cost"_a = cost);
    case Fix::Change::neighbours_from_line:
      return tr("With neighbouring lanes on neighbouring elements, from a line's start: {cost}",
                "cost"_a = cost);
    case Fix::Change::padded_rows: break;
  }
  if (fix.padded.size() == 1)
    return tr_n(fix.row_words, "With rows of {n} word: {cost}", "With rows of {n} words: {cost}",
                "cost"_a = cost);
  return tr_n(fix.row_words, "With rows of {n} word in {arrays}: {cost}",
              "With rows of {n} words in {arrays}: {cost}",
              "arrays"_a = names_of_arrays(recording, fix.padded), "cost"_a = cost);
}

}  // namespace

std::string cost_access(const Recording& recording, const LineCost& cost) {
  if (cost.event) return access_name({.recording = &recording, .cc = {}}, *cost.event);
  const bool only = cost.figures.space == Space::shared && recording.shared_arrays.size() == 1;
  return access_words(recording.sites[cost.figures.sites.front()],
                      only ? recording.shared_arrays.front().name : std::string());
}

std::string counted_units(Space space, std::uint64_t count, ComputeCapability cc) {
  return space == Space::shared ? tr_n(count, "{n} wavefront", "{n} wavefronts")
                                : analysis::counted_transactions(count, cc);
}

std::string cost_place(const Recording& recording, const LineCost& cost, std::uint32_t main_file) {
  if (cost.figures.line == 0) return tr("Unknown line");
  if (cost.file != main_file && cost.file < recording.files.size())
    return fmt::format("{}:{}", recording.files[cost.file].name, cost.figures.line);
  return tr("Line {line}", "line"_a = cost.figures.line);
}

std::string cost_sentence(const Recording& recording, const LineCost& cost, ComputeCapability cc) {
  if (cost.event) return access_sentence_of_many({.recording = &recording, .cc = cc}, *cost.event);
  return cost.dearest ? analysis::describe_like(*cost.dearest, cc) : std::string();
}

std::string fix_words(const Recording& recording, const LineCost& cost, ComputeCapability cc) {
  if (!cost.fix) return {};
  const Fix& fix = *cost.fix;
  std::string better =
      with_fix(recording, fix, per_request(cost.figures.space, fix.cost, cost.figures.totals.requests, cc));
  if (fix.cost < cost.figures.ideal()) {  // As on lanes that share elements
    better = tr("{mend}, fewer than the ideal, which has an element for each lane", "mend"_a = better);
  }
  if (!fix.worse) return better;
  const analysis::LineFigures& other = fix.worse->figures;
  const std::string array =
      fix.padded.size() == 1 ? recording.shared_arrays[fix.padded.front()].name : std::string();
  return tr("{mend}; but line {line}, {access}, gets worse: {after}, not {before}", "mend"_a = better,
            "line"_a = other.line, "access"_a = access_words(recording.sites[other.sites.front()], array),
            "after"_a = per_request(other.space, fix.worse->cost, other.totals.requests, cc),
            "before"_a = per_request(other.space, other.cost(), other.totals.requests, cc));
}

}  // namespace warplens::picture
