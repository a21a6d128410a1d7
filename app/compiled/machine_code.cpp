#include "app/compiled/machine_code.h"
#include "app/launch_form/argument_buffers.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "app/compiled/compiled_launch.h"
#include "app/compiled/disk_cache.h"
#include "app/kernel_file/variables.h"
#include "app/launch_form/arguments.h"
#include "kernels/base/texts.h"
#include "kernels/compile/machine_code.h"
#include "kernels/ptx/entry_text.h"
#include "kernels/ptx/parser.h"
#include "kernels/ptx/target.h"

namespace warplens::app {
namespace {

/// What was made of late: a launch is changed more often than its kernel.
class Listings {
 public:
  std::optional<Result<std::string>> find(const Recording& recording, const std::string& architecture) {
    const std::lock_guard lock(mutex_);
    for (const Made& made : made_) {
      if (made.architecture == architecture && made.entry == recording.entry && made.ptx == recording.ptx)
        return made.listing;
    }
    return std::nullopt;
  }
  void add(const Recording& recording, const std::string& architecture, const Result<std::string>& listing) {
    const std::lock_guard lock(mutex_);
    made_.push_front({recording.ptx, recording.entry, architecture, listing});
    if (made_.size() > kMax) made_.pop_back();
  }

 private:
  struct Made {
    std::string ptx, entry, architecture;
    Result<std::string> listing;
  };
  static constexpr std::size_t kMax = 12;
  std::mutex mutex_;
  std::deque<Made> made_;
};

Listings& listings() {
  static Listings kept;
  return kept;
}

/// Returns the error if PTX is for a newer architecture, for which there is no older machine code (PTX ISA,
/// ".target").
std::optional<Error> why_too_new(const std::string& ptx, const std::string& architecture) {
  const auto number_of = [](const std::string& name) {
    return std::atoi(name.c_str() + std::min<std::size_t>(name.find('_') + 1, name.size()));
  };
  const std::string target = ptx::target_of(ptx);
  if (number_of(target) <= number_of(architecture)) return std::nullopt;
  return Error{tr("the PTX is for {target}, and machine code is read for {architecture} here",
                  "target"_a = target, "architecture"_a = architecture),
               "",
               tr("Compile it for {architecture} or older.",
                  "architecture"_a = "compute_" + architecture.substr(architecture.find('_') + 1))};
}

/// Returns the target of the PTX where that is specific to the architecture ("sm_90a" of "sm_90"), else the
/// architecture.
std::string with_features(const std::string& ptx, const std::string& architecture) {
  std::string target = ptx::target_of(ptx);
  const bool is_same = target.size() == architecture.size() + 1 && target.starts_with(architecture);
  return is_same ? target : architecture;
}

Result<std::string> listing_of_entry(const std::string& ptx, const std::string& architecture,
                                     const std::atomic<bool>* cancelled) {
  if (const auto too_new = why_too_new(ptx, architecture)) return *too_new;
  const std::string own = with_features(ptx, architecture);
  const std::string key = compile::assembler_in_words() + '\n' + own + '\n' + ptx;
  const DiskCache cache = listing_cache();
  if (std::optional<std::string> kept = cache.find(key)) return *std::move(kept);
  Result<std::string> listing = compile::list_machine_code(ptx, own, cancelled);
  if (listing.ok()) cache.add(key, *listing);
  return listing;
}

/// Tensor maps that are passed by address, by where they lie.
Result<std::map<std::uint64_t, TensorMap>> tensor_maps_in_buffers(const std::vector<NamedArgument>& arguments,
                                                                  const ArgumentBuffers& buffers,
                                                                  const std::vector<std::uint64_t>& bases) {
  std::map<std::uint64_t, TensorMap> maps;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto* const buffer = std::get_if<BufferSpec>(&arguments[i].value);
    if (buffer == nullptr || !buffer->map) continue;
    const Result<std::vector<PlacedAddress>> addresses = buffers.placed(buffer->addresses);
    if (!addresses.ok()) return addresses.error();
    std::array<std::byte, kTensorMapBytes> bytes = encode_tensor_map(*buffer->map);
    put_addresses(bytes, *addresses, bases);
    if (const auto map = decode_tensor_map(bytes)) maps.emplace(bases[*buffers.passed(i)], *map);
  }
  return maps;
}

}  // namespace

std::string architecture_of_machine_code(const Recording& recording, analysis::ComputeCapability cc) {
  std::string of_ladder = ladder_architecture(cc.major);
  const bool is_read = cc.major >= 8 && cc < analysis::ComputeCapability{
                                                 9, 1};  // kernels/sass reads machine code of sm_75 to sm_90
  if (recording.origin != Origin::file || !is_read) return of_ladder;
  const std::string architecture = compile::architecture_of(cc.major, cc.minor);
  return "sm_" + architecture.substr(architecture.find('_') + 1);
}

bool can_be_made(const Recording& recording, const std::string& architecture) {
  return recording.origin == Origin::file && compile::has_assembler() &&
         !listings().find(recording, architecture);
}

Result<std::string> machine_code_of(const Recording& recording, const std::string& architecture,
                                    MachineCode effort, const std::atomic<bool>* cancelled) {
  if (recording.origin != Origin::file) {
    const Result<const KernelDescriptor*> kernel = kernel_with_listing(recording);
    if (!kernel.ok()) return kernel.error();
    return ladder_listing((*kernel)->source_file, architecture);
  }
  if (const auto known = listings().find(recording, architecture)) return *known;
  if (effort == MachineCode::at_hand && compile::has_assembler())
    return Error{tr("it is being made"), "", ""};
  Result<std::string> listing =
      listing_of_entry(ptx::text_of_entry(recording.ptx, recording.entry), architecture, cancelled);
  if (cancelled != nullptr && *cancelled) return listing;
  listings().add(recording, architecture, listing);
  return listing;
}

Result<sass::Launch> launch_of_file(const Recording& recording, const std::string& architecture) {
  const Result<ptx::Module> module = ptx::parse(recording.ptx, recording.origin_file);
  if (!module.ok()) return module.error();
  const ptx::Function* const entry = module->find_entry(recording.entry);
  std::vector<NamedArgument> arguments;
  for (const RecordedArgument& recorded : recording.arguments) {
    if (variable_named(recorded.name)) continue;
    Result<ArgumentSpec> argument = parse_argument(recorded.value);
    if (!argument.ok()) return argument.error();
    arguments.push_back({recorded.name, *std::move(argument)});
  }
  const ArgumentBuffers buffers(arguments);
  std::vector<std::uint64_t> bases;
  for (const Buffer& buffer : recording.buffers) bases.push_back(buffer.base);
  if (entry == nullptr || entry->parameters.size() > arguments.size() || bases.size() != buffers.count()) {
    return Error{tr("the recording does not say with which arguments the kernel was launched"), "", ""};
  }
  sass::Launch launch{.grid = recording.grid, .block = recording.block, .parameters = {}, .blocks = {}};
  launch.cluster = recording.cluster;
  const Result<std::map<std::uint64_t, TensorMap>> maps = tensor_maps_in_buffers(arguments, buffers, bases);
  if (!maps.ok()) return maps.error();
  launch.tensor_maps = *maps;
  const std::size_t first = sass::parameters_offset(architecture);
  for (std::size_t i = 0; i < entry->parameters.size(); ++i) {
    const ptx::Variable& parameter = entry->variables[entry->parameters[i]];
    std::vector<std::byte> bytes(sizeof(std::uint64_t));
    if (const auto* const scalar = std::get_if<ScalarSpec>(&arguments[i].value)) {
      const Result<std::vector<PlacedAddress>> addresses = buffers.placed(scalar->addresses);
      if (!addresses.ok()) return addresses.error();
      bytes = scalar->bytes;
      put_addresses(bytes, *addresses, bases);
    } else {
      std::memcpy(bytes.data(), &bases[*buffers.passed(i)], bytes.size());
    }
    const std::size_t alignment = std::max<std::size_t>(
        {parameter.alignment, static_cast<std::size_t>(ptx::size_of(parameter.type)), 1});
    const std::size_t end = first + launch.parameters.size();
    launch.parameters.resize((end + alignment - 1) / alignment * alignment - first);
    launch.parameters.insert(launch.parameters.end(), bytes.begin(), bytes.end());
  }
  return launch;
}

}  // namespace warplens::app
