#include "kernels/compile/device_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "kernels/compile/host_code.h"
#include "kernels/compile/host_headers.h"
#include "kernels/compile/source_text.h"

namespace warplens::compile {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostRounds = 40, kMostMissing = 200;
constexpr auto kMostTime = std::chrono::seconds(12);
constexpr const char *kOptionsName = "warplens/options.h", *kPrecompiled = "precompiled_";
constexpr std::string_view kNameMap = "__nv_name_map", kMissing = "warplens_missing: ";

/// The place of a line, counted from 1.
std::size_t begin_of_line(std::string_view text, std::size_t line) {
  std::size_t at = 0;
  for (; line > 1 && at < text.size(); --line) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) return text.size();
    at = end + 1;
  }
  return at;
}

/// What stands between the first two quotes behind `begin`.
std::string quoted_behind(std::string_view text, std::string_view begin) {
  const std::size_t at = text.find(begin);
  if (at == std::string_view::npos) return {};
  const std::size_t from = at + begin.size(), end = text.find('"', from);
  return end == std::string_view::npos ? std::string() : std::string(text.substr(from, end - from));
}

std::string without_spaces(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (!is_space(c)) result += c;
  }
  return result;
}

/// The values in "void k(T *) [with T=float, N=16]", as arguments are written: "<float,16>".
std::string arguments_of_instance(std::string_view instantiation) {
  const std::size_t with = instantiation.rfind("[with ");
  if (with == std::string_view::npos) return {};
  std::string arguments = "<";
  int depth = 0;
  bool is_value = false;
  for (const char c : instantiation.substr(with + 6, instantiation.rfind(']') - with - 6)) {
    if (c == '<' || c == '(' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == '}') --depth;
    if (c == '=' && depth == 0 && !is_value) {
      is_value = true;
    } else if (c == ',' && depth == 0) {
      arguments += c;
      is_value = false;
    } else if (is_value && !is_space(c)) {
      arguments += c;
    }
  }
  return arguments + ">";
}

std::string name_without_scope(const std::string& name) {
  const std::size_t colon = name.rfind(':');
  return colon == std::string::npos ? name : name.substr(colon + 1);
}

/// Whether a member of namespace std is one that libcu++ has for device code.
bool is_of_library(std::string_view name) {
  constexpr std::array<std::string_view, 24> kNames{
      "tuple",       "make_tuple", "get",     "tie",          "tuple_size", "tuple_element",
      "complex",     "optional",   "nullopt", "span",         "atomic",     "apply",
      "invoke",      "divides",    "modulus", "bit_and",      "bit_or",     "bit_xor",
      "logical_and", "logical_or", "negate",  "not_equal_to", "less_equal", "greater_equal"};
  return std::ranges::find(kNames, name) != kNames.end();
}

std::string name_of(std::string_view head) {
  const std::size_t marked = head.find("__global__");
  if (marked != std::string_view::npos) head.remove_prefix(marked + 10);
  for (std::size_t open = head.find('('); open != std::string_view::npos; open = head.find('(', open + 1)) {
    const std::string_view name = word_before(head, open);
    if (!name.empty() && !name.starts_with("__")) return std::string(name);
    const std::size_t end = behind(head, open, '(', ')');
    if (end == std::string_view::npos) break;
    open = end - 1;
  }
  const std::string_view plain = trimmed(head.substr(0, head.find_first_of("=;{[")));
  return std::string(word_before(plain, plain.size()));
}

/// Libraries that the host alone calls. Device code uses the types of numbers that they bring.
bool is_interface_of_host(std::string_view header) {
  constexpr std::array<std::string_view, 10> kLibraries{"cublas",     "cudnn",  "cusparse",
                                                        "cusolver",   "nccl.h", "nvtx3/",
                                                        "nvToolsExt", "nvml.h", "cuda_profiler_api.h",
                                                        "cudaGL.h"};
  return std::ranges::any_of(kLibraries, [&](std::string_view one) { return header.starts_with(one); });
}

/// Whether code is the host's for what it names: parts of the C++ library that are not there.
bool names_what_only_hosts_have(std::string_view code) {
  constexpr std::array<std::string_view, 24> kNames{
      "string",    "vector",        "map",          "set",           "list",      "unordered_map",
      "ostream",   "istream",       "ofstream",     "ifstream",      "cout",      "cerr",
      "endl",      "unique_ptr",    "shared_ptr",   "ostringstream", "mutex",     "thread",
      "exception", "runtime_error", "stringstream", "deque",         "to_string", "logic_error"};
  for (std::size_t at = code.find("std::"); at != std::string_view::npos; at = code.find("std::", at + 1)) {
    std::size_t end = at + 5;
    while (end < code.size() && is_word(code[end])) ++end;
    if (std::ranges::find(kNames, code.substr(at + 5, end - at - 5)) != kNames.end()) return true;
  }
  return has_word(code, "throw");
}

/// A variable of the host: it has a type, a name and perhaps a value.
bool is_variable(std::string_view head) {
  constexpr std::array<std::string_view, 13> kOthers{
      "typedef", "using",         "extern",    "template", "enum",   "struct",  "class",
      "union",   "static_assert", "namespace", "const",    "friend", "operator"};
  const std::string_view declared = head.substr(0, head.find('='));
  return declared.find('(') == std::string_view::npos &&
         std::ranges::none_of(kOthers, [&](std::string_view word) { return has_word(declared, word); });
}

}  // namespace

std::vector<Problem> problems_in(const std::string& log) {
  constexpr std::string_view kInstantiation = "instantiation of \"";
  std::vector<Problem> problems;
  bool is_of_problem = false;
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = std::min(log.find('\n', at), log.size());
    const std::string_view line = std::string_view(log).substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(' ') && !line.empty()) {
      const std::size_t mark = std::min(line.find("): error"), line.find("): catastrophic error"));
      is_of_problem = mark != std::string_view::npos;
      if (!is_of_problem) continue;
      const std::size_t open = line.rfind('(', mark);
      if (open == std::string_view::npos) continue;
      Problem problem{.file = std::string(line.substr(0, open))};
      std::from_chars(line.data() + open + 1, line.data() + mark, problem.line);
      const std::size_t colon = line.find(": ", mark + 3);
      problem.text = std::string(line.substr(colon == std::string_view::npos ? mark : colon + 2));
      problem.log = std::string(line) + "\n";
      problems.push_back(std::move(problem));
      continue;
    }
    if (!is_of_problem || line.empty()) continue;
    Problem& problem = problems.back();
    problem.log.append(line).append("\n");
    const std::size_t caret = line.find_first_not_of(' ');
    if (!problem.column && caret != std::string_view::npos && caret >= 2 && line.substr(caret) == "^")
      problem.column = caret - 2;
    if (const std::size_t of = line.find(kInstantiation); of != std::string_view::npos)
      problem.instantiations.push_back(quoted_behind(line, kInstantiation));
  }
  return problems;
}

DeviceCode::DeviceCode(Task task, Compiler compiler)
    : task_(std::move(task)), compiler_(std::move(compiler)), tree_(task_.plan, task_.text) {
  note_texture_reference();
  if (task_.is_strict) return;
  stand_in_for_libraries();
  for (std::string& instance : task_.instances) instance = with_namespaces(instance);
  for (InstanceCandidates& one : instance_candidates(task_.text)) {
    const auto is_of_template = [&](const std::string& instance) {
      return name_without_scope(instance.substr(0, instance.find('<'))) == name_without_scope(one.kernel);
    };
    if (std::ranges::any_of(task_.instances, is_of_template)) continue;
    Offer offer{.of = std::move(one), .attempt = 0, .active = {}, .asked = {}};
    if (!offer.of.attempts.empty()) offer.asked = offer.active = offer.of.attempts.front();
    offers_.push_back(std::move(offer));
  }
}

/// Returns the instance with the namespaces of its kernel: host code may name it from inside of them, or by a
/// using-declaration.
std::string DeviceCode::with_namespaces(const std::string& instance) const {
  const std::string name = instance.substr(0, instance.find('<'));
  if (name.find(':') != std::string::npos) return instance;
  std::string scope;
  for (const auto& [original, file] : tree_.files()) {
    const std::string code = structure_of(file.text);
    for (const Declaration& one : declarations_in(code)) {
      const std::string_view head = head_of(code, one);
      if (!has_word(head, "__global__") || name_of(head) != name) continue;
      if (one.scope.empty()) return instance;
      scope = one.scope;
    }
  }
  return scope + instance;
}

CompileRequest DeviceCode::request() const {
  const SourceTree::File& source = tree_.files().at(tree_.source());
  CompileRequest request{.text = is_device_code_alone_ ? source.text : without_host_code(source.text),
                         .name = tree_.source_path(),
                         .options = task_.options,
                         .instances = task_.instances,
                         .headers = stand_ins_};
  request.headers.emplace(kOptionsName, task_.prelude);
  const auto read_before = [&](const char* header) {
    request.options.push_back(fmt::format("--pre-include={}", header));
  };
  read_before(is_device_code_alone_ ? kDevicePreludeName : kPreludeName);
  if (needs_library_) read_before(kLibraryName);
  if (!task_.prelude.empty()) read_before(kOptionsName);
  if (is_device_code_alone_) {
    // Rounds that change the source alone read its headers once
    request.options.insert(request.options.end(), {"-default-device", "-diag-suppress=47"});
    if (headers_are_settled_)
      request.options.insert(request.options.end(),
                             {"-pch", fmt::format("--pch-dir={}{}", kPrecompiled, generation_)});
  }
  for (std::string& option : tree_.include_options()) request.options.push_back(std::move(option));
  for (const Offer& offer : offers_) {
    for (const std::string& instance : offer.active) {
      if (std::ranges::find(request.instances, instance) == request.instances.end())
        request.instances.push_back(instance);
    }
  }
  return request;
}

CompileResult DeviceCode::compile() {
  const Clock::time_point end = Clock::now() + kMostTime;
  CompileResult result;
  for (std::size_t round = 0; round < kMostRounds && Clock::now() < end; ++round) {
    std::error_code error;
    fs::create_directory(fmt::format("{}{}", kPrecompiled, generation_), error);
    result = compiler_(request());
    note_missing(result.log);
    const bool is_empty = kernels_are_left_out_ && result.ptx.find(".entry") == std::string::npos;
    if (!result.ptx.empty() && !is_empty) return result;
    if (!result.ptx.empty()) break;
    blocking_.clear();
    const std::size_t generation = generation_;
    if (!mend(problems_in(result.log))) break;
    headers_are_settled_ = generation == generation_;
  }
  return failure(result);
}

bool DeviceCode::mend(const std::vector<Problem>& problems) {
  for (const Problem& problem : problems) {
    if (bring_header(problem)) return true;
  }
  bool changed = false;
  std::vector<const Problem*> others;
  for (const Problem& problem : problems) {
    if (drop_instance(problem)) {
      changed = true;
    } else {
      others.push_back(&problem);
    }
  }
  make_next_attempts();
  if (others.empty() || task_.is_strict) return changed;
  if (!is_device_code_alone_) {
    become_device_code_alone();
    return true;
  }
  for (const Problem* const problem : others) {
    if (needs_library_ || !is_of_library(quoted_behind(problem->text, "namespace \"std\" has no member \"")))
      continue;
    ++generation_;
    return needs_library_ = true;
  }
  for (const Problem* const problem : others) changed |= leave_out_cause(*problem);
  return changed || read_what_stands_before();
}

/// A source that others include may need what they declare before.
bool DeviceCode::read_what_stands_before() {
  if (!std::exchange(may_be_part_, false)) return false;
  const std::string before = tree_.bring_what_stands_before();
  if (before.empty()) return false;
  task_.prelude += fmt::format("#include \"{}\"\n", before);
  stand_in_for_libraries();
  note_macros();
  leave_out_host_library();
  headers_are_settled_ = false;
  ++generation_;
  return true;
}

bool DeviceCode::bring_header(const Problem& problem) {
  const std::string header = quoted_behind(problem.text, "cannot open source file \"");
  if (header.empty() || missing_.size() >= kMostMissing) return false;
  fs::path includer = tree_.source();
  static_cast<void>(tree_.find(problem.file, &includer));
  ++generation_;
  if (tree_.bring(header, true, includer)) {
    stand_in_for_libraries();
    return true;
  }
  if (!missing_.insert(header).second) return false;
  stand_in_for_missing(header);
  something_is_missing_ = true;
  return true;
}

/// What the compiler was asked for and did not take is not asked for again.
void DeviceCode::drop(Offer& offer, const std::string& instance) {
  if (instance.empty()) {
    offer.active.clear();
  } else {
    std::erase(offer.active, instance);
  }
}

/// Makes the next attempt where nothing of the last one is left.
void DeviceCode::make_next_attempts() {
  for (Offer& offer : offers_) {
    if (offer.active.empty() && offer.attempt < offer.of.attempts.size() &&
        ++offer.attempt < offer.of.attempts.size())
      offer.active = offer.of.attempts[offer.attempt];
    offer.asked = offer.active;
  }
}

bool DeviceCode::drop_instance(const Problem& problem) {
  if (problem.file == kNameMap) {
    constexpr std::string_view kPragma = "#pragma nv_mangled_name ";
    const std::size_t at = problem.log.find(kPragma);
    if (at == std::string::npos) return false;
    const std::size_t from = at + kPragma.size();
    const std::string instance = problem.log.substr(from, problem.log.find('\n', from) - from);
    if (std::ranges::find(task_.instances, instance) != task_.instances.end()) return false;
    for (Offer& offer : offers_) {
      if (std::ranges::find(offer.asked, instance) != offer.asked.end()) drop(offer, instance);
    }
    return true;  // It may have been dropped for an error before
  }
  if (problem.instantiations.empty()) return false;
  const std::string& instantiation = problem.instantiations.back();
  const std::string arguments = arguments_of_instance(instantiation);
  for (Offer& offer : offers_) {
    const std::string_view head = std::string_view(instantiation).substr(0, instantiation.find('('));
    if (offer.asked.empty() || !has_word(head, name_without_scope(offer.of.kernel))) continue;
    const auto is_it = [&](const std::string& instance) {
      const std::string own = without_spaces(instance.substr(instance.find('<')));
      return own == arguments || arguments.starts_with(own.substr(0, own.size() - 1) + ",");
    };
    const auto is_asked_for = std::ranges::find_if(task_.instances, [&](const std::string& instance) {
      return instance.find('<') != std::string::npos && is_it(instance);
    });
    if (is_asked_for != task_.instances.end()) return false;
    const auto found = std::ranges::find_if(offer.asked, is_it);
    drop(offer, found == offer.asked.end() ? std::string() : std::string(*found));
    return true;
  }
  return false;
}

DeviceCode::Structure& DeviceCode::structure_of_file(const fs::path& original) {
  const auto [place, is_new] = structures_.try_emplace(original);
  if (is_new) {
    place->second.code = structure_of(tree_.files().at(original).text);
    place->second.declarations = declarations_in(place->second.code);
  }
  return place->second;
}

void DeviceCode::note_macros() {
  const auto note = [&](std::string_view text) {
    for (std::size_t at = text.find("define"); at != std::string_view::npos;
         at = text.find("define", at + 1)) {
      std::size_t begin = at + 6;
      while (begin < text.size() && text[begin] == ' ') ++begin;
      std::size_t end = begin;
      while (end < text.size() && is_word(text[end])) ++end;
      const std::string_view name = text.substr(begin, end - begin),
                             value = text.substr(end, std::min(text.find('\n', end), text.size()) - end);
      if (name.empty()) continue;
      macros_.emplace(name);
      if (is_of_device(value)) device_macros_.emplace(name);
    }
  };
  for (int pass = 0; pass < 2; ++pass) {  // Macros may be made of others
    for (const auto& [path, file] : tree_.files()) note(file.text);
    for (const auto& [name, text] : stand_ins_) note(text);
  }
}

bool DeviceCode::is_of_device(std::string_view text) const {
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end > i && device_macros_.contains(std::string(text.substr(i, end - i)))) return true;
    i = std::max(end, i + 1);
  }
  return false;
}

/// What names parts of the C++ library that are not there goes at once: functions, and types whose data it
/// is.
void DeviceCode::leave_out_host_library() {
  for (const auto& [original, of_tree] : tree_.files()) {
    const SourceTree::File& file = of_tree;
    Structure& structure = structure_of_file(original);
    std::string text = file.text;
    const auto leave_out_of = [&](const auto& self, const std::vector<Declaration>& declarations,
                                  bool are_members) -> bool {  // Whether all of the type is to go
      for (const Declaration& one : declarations) {
        const std::string_view code = std::string_view(structure.code).substr(one.begin, one.end - one.begin);
        // MODULE(name), of a macro that is not there
        const bool is_unknown_macro =
            code.ends_with(')') && one.kind == Declaration::Kind::other &&
            !macros_.contains(std::string(code.substr(0, code.find_first_of("( \t\n"))));
        if (is_unknown_macro && structure.gone.insert(one.begin).second) leave_out(text, one.begin, one.end);
        if (structure.gone.contains(one.begin) || !names_what_only_hosts_have(code)) continue;
        const std::string_view head = head_of(structure.code, one);
        if (one.kind == Declaration::Kind::type && !self(self, one.members, true)) continue;
        if (one.kind == Declaration::Kind::function && is_of_device(head)) continue;
        if (one.kind == Declaration::Kind::other && is_of_device(head) && file.is_source) continue;
        if (are_members && one.kind == Declaration::Kind::other && head.find('(') == std::string_view::npos &&
            !has_word(head, "using") && !has_word(head, "static"))
          return true;
        structure.gone.insert(one.begin);
        leave_out(text, one.begin, one.end);
      }
      return false;
    };
    leave_out_of(leave_out_of, structure.declarations, false);
    if (text != file.text) tree_.change(original, std::move(text));
  }
}

/// Functions and variables of the host go at once: less is left to be found out by errors.
void DeviceCode::become_device_code_alone() {
  is_device_code_alone_ = true;
  note_macros();
  const fs::path& source = tree_.source();
  Structure& structure = structure_of_file(source);
  std::string text = tree_.files().at(source).text, device_text;
  std::set<std::string> host_functions;
  for (const Declaration& one : structure.declarations) {
    if (one.kind == Declaration::Kind::type || is_of_device(head_of(structure.code, one)))
      device_text.append(structure.code, one.begin, one.end - one.begin);
  }
  for (const Declaration& one : structure.declarations) {
    const std::string_view head = head_of(structure.code, one);
    if (one.kind == Declaration::Kind::type || is_of_device(head)) continue;
    const bool is_unused_variable =
        one.kind == Declaration::Kind::other && is_variable(head) && !has_word(device_text, name_of(head));
    if (one.kind != Declaration::Kind::function && !is_unused_variable) continue;
    if (one.kind == Declaration::Kind::function) host_functions.insert(name_of(head));
    leave_out(text, one.begin, one.end);
    structure.gone.insert(one.begin);
  }
  for (const Declaration& one : structure.declarations) {  // template void run<float>(..);
    const std::string_view head = trimmed(head_of(structure.code, one));
    if (one.kind != Declaration::Kind::other || !head.starts_with("template") || is_of_device(head)) continue;
    const std::string_view declared = head.substr(0, head.find('('));
    if (!host_functions.contains(
            name_without_scope(std::string(declared.substr(0, declared.rfind('<')))
                                   .substr(declared.find_last_of(" *&:", declared.rfind('<')) + 1))))
      continue;
    leave_out(text, one.begin, one.end);
    structure.gone.insert(one.begin);
  }
  tree_.change(source, std::move(text));
  leave_out_host_library();
}

bool DeviceCode::leave_out_cause(const Problem& problem) {
  fs::path original;
  const SourceTree::File* const file = tree_.find(problem.file, &original);
  if (file == nullptr) return leave_out_of_toolkit(problem.file);
  Structure& structure = structure_of_file(original);
  std::string text = file->text;
  const std::size_t line = begin_of_line(structure.code, problem.line),
                    end_of_line = std::min(structure.code.find('\n', line), structure.code.size());
  const std::string_view written = trimmed(std::string_view(text).substr(line, end_of_line - line));
  if (written.starts_with('#')) {
    error_directives_.push_back(problem);
    std::size_t end = end_of_line;
    while (end < text.size() && text[end - 1] == '\\') end = std::min(text.find('\n', end + 1), text.size());
    leave_out(text, line, end);
    tree_.change(original, std::move(text));
    ++generation_;
    return true;
  }
  const std::size_t at = std::min(line + problem.column.value_or(0), end_of_line);
  const Declaration* found = declaration_at(structure.code, structure.declarations, at);
  for (std::size_t i = line; found == nullptr && i < end_of_line; ++i) {
    if (!is_space(structure.code[i])) found = declaration_at(structure.code, structure.declarations, i);
  }
  if (found == nullptr || structure.gone.contains(found->begin)) {
    if (found != nullptr) return false;
    blocking_.push_back(problem);
    return false;
  }
  const std::string_view head = head_of(structure.code, *found);
  const bool is_device = file->is_source && is_of_device(head);
  if (is_device && !something_is_missing_) {
    blocking_.push_back(problem);
    return false;
  }
  structure.gone.insert(found->begin);
  leave_out(text, found->begin, found->end);
  if (!file->is_source) {
    something_is_missing_ = true;
    ++generation_;
  }
  if (file->is_source) causes_.push_back(problem);
  if (is_device) {
    left_out_.push_back({name_of(head), problem.text, problem.line});
    kernels_are_left_out_ |= has_word(head, "__global__");
  }
  tree_.change(original, std::move(text));
  return true;
}

/// Thrust and the parts of CUB that are called by the host do not compile for the device alone, and take
/// seconds to find that out. Headers that are not found are given as stand-ins, which say if they are read.
void DeviceCode::stand_in_for_libraries() {
  std::vector<std::pair<fs::path, std::string>> changes;
  for (const auto& [original, file] : tree_.files()) {
    std::string text = file.text;
    std::vector<IncludeLine> includes = includes_in(file.text);
    std::ranges::reverse(includes);  // Lines become longer: from behind, places stay what they are
    for (const IncludeLine& one : includes) {
      const bool is_of_thrust = one.name.starts_with("thrust/") && one.name != "thrust/pair.h" &&
                                one.name != "thrust/tuple.h",
                 is_cub = one.name == "cub/cub.cuh";
      const bool is_of_host = is_interface_of_host(one.name);
      if (is_of_thrust || is_cub || is_of_host || one.name.starts_with("cub/device/")) {
        leave_out(text, one.begin, one.end);
        const std::string_view instead = is_cub       ? "#include <warplens/cub.h>"
                                         : is_of_host ? "#include <warplens/numbers.h>"
                                                      : "";
        text.replace(one.begin, std::min(instead.size(), one.end - one.begin), instead);
        something_is_missing_ |= !is_of_host;
      } else if (tree_.is_missing(one.name)) {
        stand_in_for_missing(one.name);
      }
    }
    if (text != file.text) changes.emplace_back(original, std::move(text));
  }
  for (auto& [original, text] : changes) tree_.change(original, std::move(text));
}

void DeviceCode::stand_in_for_missing(const std::string& header) {
  const char* const stand_in = stand_in_for(header);
  stand_ins_.emplace(header, fmt::format("#pragma once\n#warning {}{}\n{}", kMissing, header,
                                         stand_in != nullptr ? stand_in : ""));
}

/// Notes which of the headers that are not found the compiler read.
void DeviceCode::note_missing(const std::string& log) {
  for (std::size_t at = log.find(kMissing); at != std::string::npos; at = log.find(kMissing, at + 1)) {
    const std::size_t begin = at + kMissing.size(), end = std::min(log.find('\n', begin), log.size());
    missing_.insert(log.substr(begin, end - begin));
    something_is_missing_ = true;
  }
}

/// A header of the toolkit that does not compile here is the host's.
bool DeviceCode::leave_out_of_toolkit(const std::string& named) {
  const std::string path = fs::path(named).lexically_normal().string();
  const std::string_view folder = "/include/";
  const std::size_t at = path.rfind(folder);
  if (at == std::string::npos || path.find("/include/cccl/") != std::string::npos) return false;
  const std::string name = path.substr(at + folder.size());
  constexpr std::array<std::string_view, 9> kOfDevice{
      "cuda_fp", "cuda_bf16", "mma.h", "cooperative_groups", "curand_",
      "crt/",    "vector_",   "sm_",   "cuComplex"};
  if (std::ranges::any_of(kOfDevice, [&](std::string_view one) { return name.starts_with(one); }))
    return false;
  something_is_missing_ = true;
  ++generation_;
  // Of the libraries that multiply matrices, device code uses the types of numbers that they bring
  return stand_ins_.emplace(name, "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cuComplex.h>\n")
      .second;
}

/// Notes texture references before anything is left out.
void DeviceCode::note_texture_reference() {
  constexpr std::string_view kType = "texture";
  for (const auto& [path, file] : tree_.files()) {
    if (file.text.find(kType) == std::string::npos) continue;
    const std::string code = code_of(file.text);
    for (std::size_t at = code.find(kType); at != std::string::npos; at = code.find(kType, at + 1)) {
      const std::size_t end = at + kType.size();
      const bool is_word_here = (at == 0 || (!is_word(code[at - 1]) && code[at - 1] != ':')) &&
                                code.substr(end, code.find_first_not_of(' ', end) - end + 1).ends_with('<');
      if (!is_word_here) continue;
      texture_reference_ = {path.filename().string(), line_number(code, at)};
      return;
    }
  }
}

CompileResult DeviceCode::failure(const CompileResult& last) const {
  if (!is_device_code_alone_) return {.status = last.status, .ptx = {}, .log = last.log};
  std::string log;
  const auto add = [&](const Problem& problem) {
    if (log.find(problem.log) == std::string::npos) log += problem.log;
  };
  for (const Problem& problem : error_directives_) add(problem);
  // What the kernels want, and why it is not there
  for (const Problem& problem : blocking_) add(problem);
  if (blocking_.empty() || something_is_missing_) {
    for (const Problem& problem : causes_) add(problem);
  }
  return {.status = last.status, .ptx = {}, .log = log.empty() ? last.log : log};
}

}  // namespace warplens::compile
