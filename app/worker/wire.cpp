#include "app/worker/wire.h"

#include <array>
#include <string_view>

#include "app/launch_form/texture_spec.h"
#include "app/worker/wire_parts.h"

namespace warplens::worker {
namespace {

using nlohmann::json;

constexpr std::array kFills{app::Fill::zero,    app::Fill::iota,   app::Fill::random,   app::Fill::file,
                            app::Fill::uniform, app::Fill::normal, app::Fill::identity, app::Fill::value,
                            app::Fill::below,   app::Fill::list};
constexpr std::array kEngines{app::Engine::cpu, app::Engine::gpu};
constexpr std::array kElementTypes{ElementType::f32,  ElementType::f64,  ElementType::i32,  ElementType::u8,
                                   ElementType::i8,   ElementType::u16,  ElementType::i16,  ElementType::u32,
                                   ElementType::i64,  ElementType::u64,  ElementType::f16,  ElementType::bf16,
                                   ElementType::tf32, ElementType::e4m3, ElementType::e5m2, ElementType::i4,
                                   ElementType::u4};

json extent_json(Dim3 extent) {
  return json::array({extent.x, extent.y, extent.z});
}

Dim3 extent_from(const json& extent) {
  return {integer_from<std::uint32_t>(extent.at(0)), integer_from<std::uint32_t>(extent.at(1)),
          integer_from<std::uint32_t>(extent.at(2))};
}

json blocks_json(const app::BlockChoice& choice) {
  json blocks = json::array();
  for (const Dim3& block : choice.blocks) blocks.push_back(extent_json(block));
  return {{"all", choice.all}, {"blocks", std::move(blocks)}};
}

json blocks_json(const std::optional<app::BlockChoice>& choice) {
  return choice ? blocks_json(*choice) : json();
}

app::BlockChoice blocks_from(const json& object) {
  app::BlockChoice choice{.all = object.at("all").get<bool>(), .blocks = {}};
  for (const json& block : object.at("blocks")) choice.blocks.push_back(extent_from(block));
  return choice;
}

std::optional<app::BlockChoice> optional_blocks_from(const json& object) {
  return object.is_null() ? std::nullopt : std::optional(blocks_from(object));
}

json cc_json(analysis::ComputeCapability cc) {
  return json::array({cc.major, cc.minor});
}

analysis::ComputeCapability cc_from(const json& cc) {
  const analysis::ComputeCapability named{integer_from<int>(cc.at(0)), integer_from<int>(cc.at(1))};
  if (!analysis::parse_compute_capability(named.name()).ok())
    throw json::out_of_range::create(401, "there are no memory rules for it", &cc);
  return named;
}

json paths_json(const std::vector<std::filesystem::path>& paths) {
  json names = json::array();
  for (const std::filesystem::path& path : paths) names.push_back(path.string());
  return names;
}

std::vector<std::filesystem::path> paths_from(const json& names) {
  std::vector<std::filesystem::path> paths;
  for (const json& name : names.get_ref<const json::array_t&>()) paths.emplace_back(name.get<std::string>());
  return paths;
}

json bytes_json(const std::vector<std::byte>& bytes) {
  json numbers = json::array();
  for (const std::byte byte : bytes) numbers.push_back(std::to_integer<unsigned>(byte));
  return numbers;
}

std::vector<std::byte> bytes_from(const json& numbers) {
  std::vector<std::byte> bytes;
  for (const json& number : numbers)
    bytes.push_back(static_cast<std::byte>(integer_from<std::uint8_t>(number)));
  return bytes;
}

/// Enumerators go as their index; one that there is not is refused as json refuses an index.
template <class Enumerators>
auto enumerator_from(const Enumerators& all, const json& index) {
  const auto at = integer_from<std::uint64_t>(index);
  if (at >= all.size()) throw json::out_of_range::create(401, "there is no such enumerator", &index);
  return all[at];
}

json index_json(const std::optional<std::uint64_t>& index) {
  return index ? json(*index) : json(nullptr);
}
std::optional<std::uint64_t> index_from(const json& index) {
  return index.is_null() ? std::nullopt : std::optional(integer_from<std::uint64_t>(index));
}

json addresses_json(const std::vector<app::PlacedSpec>& addresses) {
  json list = json::array();
  for (const app::PlacedSpec& one : addresses)
    list.push_back({one.at, one.to.buffer, index_json(one.to.row), index_json(one.to.element)});
  return list;
}
std::vector<app::PlacedSpec> addresses_from(const json& list) {
  std::vector<app::PlacedSpec> addresses;
  for (const json& one : list.get_ref<const json::array_t&>()) {
    addresses.push_back({.at = integer_from<std::uint64_t>(one.at(0)),
                         .to = {.buffer = one.at(1).get<std::string>(),
                                .row = index_from(one.at(2)),
                                .element = index_from(one.at(3))}});
  }
  return addresses;
}

json argument_json(const app::NamedArgument& argument) {
  if (const auto* const scalar = std::get_if<app::ScalarSpec>(&argument.value)) {
    return {{"name", argument.name},
            {"scalar", scalar->type},
            {"bytes", bytes_json(scalar->bytes)},
            {"addresses", addresses_json(scalar->addresses)}};
  }
  const auto& buffer = std::get<app::BufferSpec>(argument.value);
  return {{"name", argument.name},
          {"type", static_cast<int>(buffer.type)},
          {"count", buffer.count},
          {"fill", static_cast<int>(buffer.fill)},
          {"file", buffer.file.string()},
          {"rows", buffer.rows},
          {"columns", buffer.columns},
          {"pitch", buffer.pitch},
          {"seed", buffer.seed},
          {"value", buffer.value},
          {"values", buffer.values},
          {"by_rows", buffer.by_rows},
          {"addresses", addresses_json(buffer.addresses)},
          {"texture", buffer.texture ? app::text_before(*buffer.texture) + app::text_behind(*buffer.texture)
                                     : std::string()}};
}

/// Returns the texture that the words name; none: it is a plain buffer.
std::optional<Texture> texture_from(const json& words) {
  if (words.get<std::string>().empty()) return std::nullopt;
  const Result<app::ArgumentSpec> spec = app::parse_argument(words.get<std::string>());
  const auto* const buffer = spec.ok() ? std::get_if<app::BufferSpec>(&*spec) : nullptr;
  if (buffer == nullptr || !buffer->texture)
    throw json::out_of_range::create(401, "there is no such texture", &words);
  return buffer->texture;
}

app::NamedArgument argument_from(const json& object) {
  const auto name = object.at("name").get<std::string>();
  if (object.contains("scalar")) {
    return {name, app::ScalarSpec{.type = object.at("scalar").get<std::string>(),
                                  .bytes = bytes_from(object.at("bytes")),
                                  .addresses = addresses_from(object.at("addresses"))}};
  }
  return {name, app::BufferSpec{.type = enumerator_from(kElementTypes, object.at("type")),
                                .count = integer_from<std::uint64_t>(object.at("count")),
                                .fill = enumerator_from(kFills, object.at("fill")),
                                .file = object.at("file").get<std::string>(),
                                .rows = integer_from<std::uint32_t>(object.at("rows")),
                                .columns = integer_from<std::uint64_t>(object.at("columns")),
                                .pitch = integer_from<std::uint64_t>(object.at("pitch")),
                                .seed = integer_from<std::uint64_t>(object.at("seed")),
                                .value = object.at("value").get<double>(),
                                .values = object.at("values").get<std::vector<double>>(),
                                .texture = texture_from(object.at("texture")),
                                .by_rows = object.at("by_rows").get<bool>(),
                                .addresses = addresses_from(object.at("addresses"))}};
}

json origin_json(const app::LaunchRequest& request) {
  if (const app::CatalogKernel* const catalog_kernel = request.catalog_kernel())
    return {{"kernel", catalog_kernel->id}};
  const app::FileKernel& kernel = *request.file_kernel();
  json sources = json::array();
  for (const SourceFile& source : kernel.sources)
    sources.push_back({{"name", source.name}, {"text", source.text}});
  return {{"file", kernel.file.string()},
          {"entry", kernel.entry},
          {"text", kernel.text},
          {"sources", std::move(sources)},
          {"source_folders", paths_json(kernel.source_folders)},
          {"cuda", kernel.cuda},
          {"parameters", kernel.parameters}};
}

std::variant<app::CatalogKernel, app::FileKernel> origin_from(const json& object) {
  if (object.contains("kernel")) return app::CatalogKernel{object.at("kernel").get<std::string>()};
  app::FileKernel kernel{.file = object.at("file").get<std::string>(),
                         .entry = object.at("entry").get<std::string>(),
                         .text = object.at("text").get<std::string>(),
                         .sources = {},
                         .source_folders = paths_from(object.at("source_folders")),
                         .cuda = object.at("cuda").get<std::string>(),
                         .parameters = object.at("parameters").get<std::vector<std::string>>()};
  for (const json& source : object.at("sources")) {
    kernel.sources.push_back({source.at("name").get<std::string>(), source.at("text").get<std::string>()});
  }
  return kernel;
}

}  // namespace

json to_json(const app::LaunchRequest& request) {
  json arguments = json::array();
  for (const app::NamedArgument& argument : request.arguments) arguments.push_back(argument_json(argument));
  json variables = json::array();
  for (const app::NamedArgument& variable : request.variables) variables.push_back(argument_json(variable));
  return {
      {"origin", origin_json(request)},
      {"values", parameters_json(request.values)},
      {"value_type", request.value_type},
      {"grid", extent_json(request.shape.grid)},
      {"block", extent_json(request.shape.block)},
      {"dynamic_shared_bytes", request.shape.dynamic_shared_bytes},
      {"cluster", extent_json(request.shape.cluster)},
      {"arguments", std::move(arguments)},
      {"variables", std::move(variables)},
      {"product", request.product ? json::array({request.product->a, request.product->b, request.product->c})
                                  : json(nullptr)},
      {"expect", request.expect},
      {"engine", static_cast<int>(request.engine)},
      {"replay_blocks", blocks_json(request.replay_blocks)},
      {"event_blocks", blocks_json(request.event_blocks)},
      {"cc", cc_json(request.cc)},
      {"threads", request.threads},
      {"whole", request.whole_result}};
}

app::LaunchRequest launch_request_from(const json& object) {
  app::LaunchRequest request{
      .origin = origin_from(object.at("origin")),
      .values = parameters_from(object.at("values")),
      .value_type = object.at("value_type").get<std::string>(),
      .shape = {.grid = extent_from(object.at("grid")),
                .block = extent_from(object.at("block")),
                .dynamic_shared_bytes = integer_from<std::uint32_t>(object.at("dynamic_shared_bytes")),
                .cluster = extent_from(object.at("cluster"))},
      .arguments = {},
      .engine = enumerator_from(kEngines, object.at("engine")),
      .replay_blocks = blocks_from(object.at("replay_blocks")),
      .event_blocks = optional_blocks_from(object.at("event_blocks")),
      .cc = cc_from(object.at("cc")),
      .threads = integer_from<unsigned>(object.at("threads")),
      .whole_result = object.at("whole").get<bool>()};
  for (const json& argument : object.at("arguments")) request.arguments.push_back(argument_from(argument));
  for (const json& variable : object.at("variables")) request.variables.push_back(argument_from(variable));
  if (const json& product = object.at("product"); !product.is_null()) {
    request.product = app::ProductNames{product.at(0).get<std::string>(), product.at(1).get<std::string>(),
                                        product.at(2).get<std::string>()};
  }
  request.expect = object.at("expect").get<std::vector<std::string>>();
  return request;
}

json to_json(const gpu::DriverCheck& check) {
  json gpus = json::array();
  for (const gpu::Gpu& gpu : check.gpus) {
    gpus.push_back({{"name", gpu.name},
                    {"cc", json::array({gpu.cc_major, gpu.cc_minor})},
                    {"memory_bytes", gpu.memory_bytes},
                    {"multiprocessors", gpu.multiprocessors},
                    {"l2_bytes", gpu.l2_bytes},
                    {"shared_bytes_per_block", gpu.shared_bytes_per_block},
                    {"pci_bus_id", gpu.pci_bus_id}});
  }
  return {{"version", check.version},
          {"gpus", std::move(gpus)},
          {"missing", check.missing},
          {"advice", check.advice}};
}

gpu::DriverCheck driver_check_from(const json& object) {
  gpu::DriverCheck check{.version = object.at("version").get<std::string>(),
                         .gpus = {},
                         .missing = object.at("missing").get<std::string>(),
                         .advice = object.at("advice").get<std::string>()};
  for (const json& gpu : object.at("gpus")) {
    check.gpus.push_back({.name = gpu.at("name").get<std::string>(),
                          .cc_major = gpu.at("cc").at(0).get<int>(),
                          .cc_minor = gpu.at("cc").at(1).get<int>(),
                          .memory_bytes = gpu.at("memory_bytes").get<std::uint64_t>(),
                          .multiprocessors = gpu.at("multiprocessors").get<int>(),
                          .l2_bytes = gpu.at("l2_bytes").get<std::uint64_t>(),
                          .shared_bytes_per_block = gpu.at("shared_bytes_per_block").get<std::uint64_t>(),
                          .pci_bus_id = gpu.at("pci_bus_id").get<std::string>()});
  }
  return check;
}

}  // namespace warplens::worker
