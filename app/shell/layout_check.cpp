#include "app/shell/layout_check.h"

#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

constexpr std::size_t kMostWindows = 256, kMostNodes = 256;
constexpr int kDeepest = 24;
constexpr int kFarthest = 32767;  // Dear ImGui keeps places and sizes in 16 bits

struct DockNode {
  std::uint32_t parent = 0, root = 0;
  int depth = 0;
  unsigned children = 0;
  bool split = false, central = false;
  std::size_t line = 0;
};

/// A window's dock node, to be looked for when all of them are known.
struct Docked {
  std::uint32_t node = 0;
  std::size_t line = 0;
};

/// Takes a line apart from its front. What does not come next is left, and said by the false.
class Line {
 public:
  explicit Line(std::string_view text) : rest_(text) {}
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

  bool word(std::string_view expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }
  void blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }
  bool number(int least, int most) {
    int value = 0;
    return digits(value, 10) && value >= least && value <= most;
  }
  bool pair(int least, int most) { return number(least, most) && word(",") && number(least, most); }
  bool id(std::uint32_t& value) { return word("0x") && digits(value, 16) && value != 0; }

 private:
  template <class Number>
  bool digits(Number& value, int base) {
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, base);
    if (error != std::errc{}) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }
  std::string_view rest_;
};

class LayoutReader {
 public:
  /// What is wrong with the layout; empty: nothing.
  std::string read(std::string_view text) {
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(line.size() + 1, text.size()));
      ++number_;
      if (!take(line)) return tr("line {line} is not one that a layout has", "line"_a = number_);
      if (section_ == Section::other) continue;
      taken_ += line;
      taken_ += '\n';
    }
    return fault_of_tree();
  }
  std::string taken() { return std::move(taken_); }

 private:
  enum class Section : unsigned char { none, window, docking, other };

  bool take(std::string_view line) {
    if (line.empty()) return true;
    if (line.front() == '[') return take_heading(line);
    switch (section_) {
      case Section::window: return take_of_window(Line(line));
      case Section::docking: return take_node(Line(line));
      case Section::other: return true;
      case Section::none: break;
    }
    return false;
  }

  bool take_heading(std::string_view line) {
    if (!line.ends_with(']')) return false;
    section_ = Section::other;
    if (line.starts_with("[Window][")) {
      section_ = Section::window;
      return windows_.insert(std::string(line)).second && windows_.size() <= kMostWindows;
    }
    if (line == "[Docking][Data]") section_ = Section::docking;
    return true;
  }

  bool take_of_window(Line line) {
    if (line.word("Pos=")) return line.pair(-kFarthest, kFarthest) && line.at_end();
    if (line.word("Size=")) return line.pair(0, kFarthest) && line.at_end();
    if (line.word("Collapsed=") || line.word("IsChild=")) return line.number(0, 1) && line.at_end();
    if (line.word("LastUsed=")) return line.number(0, 99991231) && line.at_end();
    std::uint32_t id = 0;
    if (line.word("ClassId=")) return line.id(id) && line.at_end();
    if (!line.word("DockId=") || !line.id(id)) return false;
    docked_.push_back({id, number_});
    return line.at_end() || (line.word(",") && line.number(-1, kFarthest) && line.at_end());
  }

  // "  DockNode  ID=0x00000014 Parent=0x00000010 SizeRef=504,357 CentralNode=1 Selected=0x83547DAD": the
  // fields in this order, as in imgui.cpp.
  bool take_node(Line line) {
    line.blanks();
    const bool space = line.word("DockSpace");
    if (!space && !line.word("DockNode")) return false;
    line.blanks();
    DockNode node{.line = number_};
    std::uint32_t id = 0, other = 0;
    if (!line.word("ID=") || !line.id(id)) return false;
    if (line.word(" Parent=")) {
      if (space || !line.id(node.parent) || !line.word(" SizeRef=") || !line.pair(0, kFarthest)) return false;
    } else {
      if (line.word(" Window=") && !line.id(other)) return false;
      if (!line.word(" Pos=") || !line.pair(-kFarthest, kFarthest) || !line.word(" Size=") ||
          !line.pair(0, kFarthest))
        return false;
    }
    node.split = line.word(" Split=");
    if (node.split && !line.word("X") && !line.word("Y")) return false;
    for (const char* flag : {" NoResize=1", " CentralNode=1", " NoTabBar=1", " HiddenTabBar=1",
                             " NoWindowMenuButton=1", " NoCloseButton=1"}) {
      const bool set = line.word(flag);
      if (flag == std::string_view(" CentralNode=1")) node.central = set;
    }
    if (line.word(" Selected=") && !line.id(other)) return false;
    has_space_ = has_space_ || space;
    return line.at_end() && add(id, node);
  }

  bool add(std::uint32_t id, DockNode node) {
    node.root = id;
    if (node.parent != 0) {
      const auto parent = nodes_.find(node.parent);
      if (parent == nodes_.end()) return false;
      ++parent->second.children;
      node.root = parent->second.root;
      node.depth = parent->second.depth + 1;
    }
    return node.depth <= kDeepest && nodes_.emplace(id, node).second && nodes_.size() <= kMostNodes;
  }

  std::string fault_of_tree() const {
    if (!has_space_) return tr("nothing can be docked in it");
    std::set<std::uint32_t> with_centre;
    for (const auto& [id, node] : nodes_) {
      if (node.children != (node.split ? 2u : 0u)) {
        return tr_n(node.children, "the node of line {line} has {n} part",
                    "the node of line {line} has {n} parts", "line"_a = node.line);
      }
      if (node.central && (node.split || !with_centre.insert(node.root).second))
        return tr("line {line} names another centre", "line"_a = node.line);
    }
    for (const Docked& docked : docked_) {
      const auto node = nodes_.find(docked.node);
      if (node == nodes_.end() || node->second.split)
        return tr("the node that line {line} names holds no windows", "line"_a = docked.line);
    }
    return {};
  }

  Section section_ = Section::none;
  std::size_t number_ = 0;
  std::set<std::string> windows_;
  std::map<std::uint32_t, DockNode> nodes_;
  std::vector<Docked> docked_;
  bool has_space_ = false;
  std::string taken_;
};

}  // namespace

Result<std::string> checked_layout(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return Error{tr("it is not text"), "", ""};
  LayoutReader reader;
  const std::string fault = reader.read(text);
  if (!fault.empty()) return Error{fault, "", ""};
  return reader.taken();
}

}  // namespace warplens::app
