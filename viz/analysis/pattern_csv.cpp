#include "viz/analysis/pattern_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "kernels/base/text.h"
#include "kernels/base/texts.h"
#include "viz/analysis/lanes.h"

namespace warplens::analysis {
namespace {

constexpr const char* kOp = "op";
constexpr const char* kBytes = "bytes_per_lane";
constexpr const char* kMask = "active_mask";
constexpr const char* kOffsets = "lane_byte_offsets";

struct PatternOp {
  const char* name;
  Space space;
  AccessOp op;
  int matrices = 0;
};
constexpr PatternOp kOps[] = {
    {"shared_load", Space::shared, AccessOp::load},
    {"shared_store", Space::shared, AccessOp::store},
    {"shared_atomic", Space::shared, AccessOp::atomic},
    {"global_load", Space::global, AccessOp::load},
    {"global_store", Space::global, AccessOp::store},
    {"global_atomic", Space::global, AccessOp::atomic},
    {"global_reduction", Space::global, AccessOp::reduction},
    {"ldmatrix_x1", Space::shared, AccessOp::ldmatrix, 1},
    {"ldmatrix_x2", Space::shared, AccessOp::ldmatrix, 2},
    {"ldmatrix_x4", Space::shared, AccessOp::ldmatrix, 4},
    {"ldmatrix_x1_trans", Space::shared, AccessOp::ldmatrix, 1},
    {"ldmatrix_x2_trans", Space::shared, AccessOp::ldmatrix, 2},
    {"ldmatrix_x4_trans", Space::shared, AccessOp::ldmatrix, 4},
    {"stmatrix_x1", Space::shared, AccessOp::stmatrix, 1},
    {"stmatrix_x2", Space::shared, AccessOp::stmatrix, 2},
    {"stmatrix_x4", Space::shared, AccessOp::stmatrix, 4},
    {"cp_async_shared_side", Space::shared, AccessOp::cp_async},
    {"cp_async_global_side", Space::global, AccessOp::cp_async},
};

/// Splits CSV text record by record.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text) {
    if (text_.substr(0, 3) == "\xef\xbb\xbf")
      text_.remove_prefix(3);  // A byte order mark, as spreadsheets write it
  }
  [[nodiscard]] std::size_t line() const { return record_line_; }  ///< On which the last record began, from 1

  /// False at the end of the text. Blank lines are skipped.
  bool next(std::vector<std::string>& fields) {
    while (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r')) line_ += text_[at_++] == '\n';
    if (at_ >= text_.size()) return false;
    record_line_ = line_;
    fields.clear();
    do fields.push_back(field());
    while (at_ < text_.size() && text_[at_++] == ',');
    ++line_;
    return true;
  }

 private:
  /// Leaves at_ at the comma or line feed that ends the field.
  std::string field() {
    std::string value;
    bool quoted = false;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        if (quoted && at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
          value += c;
          ++at_;
        } else {
          quoted = !quoted;
        }
      } else if (!quoted && (c == ',' || c == '\n')) {
        break;
      } else if (quoted || c != '\r') {
        value += c;
        line_ += c == '\n';
      }
    }
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0, line_ = 1, record_line_ = 1;
};

template <class Number>
bool parse_number(std::string_view text, Number& number) {
  const bool hex = text.substr(0, 2) == "0x" || text.substr(0, 2) == "0X";
  if (hex) text.remove_prefix(2);
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number, hex ? 16 : 10);
  return !text.empty() && end.ec == std::errc{} && end.ptr == text.data() + text.size();
}

/// Reads the lanes' offsets; returns how many there were, -1 if one is no number or there are too many.
int parse_offsets(std::string_view text, std::array<std::uint64_t, kWarpSize>& offsets) {
  std::size_t count = 0;
  for (std::size_t at = text.find_first_not_of(' '); at != std::string_view::npos;
       at = text.find_first_not_of(' ', at)) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (count == offsets.size() || !parse_number(text.substr(at, end - at), offsets[count])) return -1;
    ++count;
    at = end;
  }
  return static_cast<int>(count);
}

bool width_allowed(const PatternOp& op, int bytes) {
  switch (op.op) {
    case AccessOp::ldmatrix:
    case AccessOp::stmatrix:
    case AccessOp::bulk_load:
    case AccessOp::bulk_store:
    case AccessOp::bulk_reduction:
    case AccessOp::wgmma: return bytes == 16;
    case AccessOp::cp_async: return bytes == 4 || bytes == 8 || bytes == 16;
    case AccessOp::load:
    case AccessOp::store:
    case AccessOp::atomic:
    case AccessOp::reduction: return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
  }
  return false;
}

/// The access of one row, or an error whose `what` names the column; `where` is left to the caller.
Result<WarpAccess> parse_access(const std::string& name, const std::string& bytes, const std::string& mask,
                                const std::string& offsets) {
  const auto bad = [](const char* column, const std::string& value, std::string hint) {
    return Error{tr("column {column}: \"{value}\" cannot be used", "column"_a = column, "value"_a = value),
                 {},
                 std::move(hint)};
  };
  const auto op = std::find_if(std::begin(kOps), std::end(kOps),
                               [&](const PatternOp& known) { return name == known.name; });
  if (op == std::end(kOps))
    return bad(
        kOp, name,
        tr("It is one of {operations}.", "operations"_a = fmt::to_string(fmt::join(pattern_ops(), ", "))));

  WarpAccess access;
  access.space = op->space;
  access.op = op->op;
  access.matrices = op->matrices;
  if (!parse_number(bytes, access.bytes) || !width_allowed(*op, access.bytes)) {
    return bad(kBytes, bytes,
               tr("Widths are 1, 2, 4, 8 or 16; 4, 8 or 16 for cp_async; 16 for ldmatrix and stmatrix."));
  }
  access.bypass_l1 = op->op == AccessOp::cp_async && access.bytes == 16;
  if (!parse_number(mask, access.mask))
    return bad(kMask, mask, tr("It is a 32-bit number such as 0xffffffff, bit k for lane k."));

  const std::uint32_t counted =
      op->matrices == 0 ? access.mask : access.mask & lane_range(0, 8 * op->matrices);
  const int given = parse_offsets(offsets, access.address);
  if (given < static_cast<int>(std::bit_width(counted))) {
    return bad(kOffsets, offsets,
               tr("It holds at most 32 byte offsets, lane 0 first, separated by spaces, and one for every "
                  "active lane."));
  }
  return access;
}

}  // namespace

int PatternTable::column(std::string_view name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

std::vector<std::string> pattern_ops() {
  std::vector<std::string> names;
  for (const PatternOp& op : kOps) names.emplace_back(op.name);
  return names;
}

Result<PatternTable> parse_patterns(std::string_view csv) {
  PatternTable table;
  CsvReader reader(csv);
  if (!reader.next(table.columns))
    return Error{tr("no header row"), tr("line {line}", "line"_a = 1),
                 tr("Name the columns {columns}.",
                    "columns"_a = fmt::format("{}, {}, {}, {}", kOp, kBytes, kMask, kOffsets))};
  std::array<std::size_t, 4> needed{};
  for (std::size_t i = 0; const char* name : {kOp, kBytes, kMask, kOffsets}) {
    const int column = table.column(name);
    if (column < 0)
      return Error{tr("no column {column}", "column"_a = name), tr("line {line}", "line"_a = reader.line()),
                   tr("Add it to the header row.")};
    needed[i++] = static_cast<std::size_t>(column);
  }

  for (std::vector<std::string> fields; reader.next(fields);) {
    const std::string where = tr("line {line}", "line"_a = reader.line());
    if (fields.size() != table.columns.size()) {
      return Error{tr("{fields} fields under {columns} columns", "fields"_a = fields.size(),
                      "columns"_a = table.columns.size()),
                   where, tr("Quote fields that hold a comma.")};
    }
    Result<WarpAccess> access =
        parse_access(fields[needed[0]], fields[needed[1]], fields[needed[2]], fields[needed[3]]);
    if (!access) return Error{access.error().what, where, access.error().hint};
    table.accesses.push_back(*access);
    table.rows.push_back(std::move(fields));
  }
  return table;
}

std::string predictions_csv(const PatternTable& table, ComputeCapability cc) {
  std::string text;
  const auto append = [&](const std::vector<std::string>& fields) {
    for (const std::string& field : fields) text += csv_cell(field) + ',';
  };
  append(table.columns);
  text += "predicted_wavefronts,predicted_bank_conflicts,predicted_sectors\n";
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    append(table.rows[row]);
    const AccessCost cost = access_cost(table.accesses[row], cc);
    const bool shared = table.accesses[row].space == Space::shared;
    text += shared ? fmt::format("{},{},\n", cost.wavefronts, cost.bank_conflicts)
                   : fmt::format(",,{}\n", cost.sectors);
  }
  return text;
}

}  // namespace warplens::analysis
