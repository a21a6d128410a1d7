// Accesses by texture and surface objects. Each lane reads the texels that its value is made of, up to eight:
// the n-th texels of all lanes are recorded as one load. What hardware makes of them in requests and sectors
// no counter was compared with, and where an array's texels lie is the GPU's own affair: here they lie row by
// row. So the figures are estimates.
#include "kernels/replay/texture/textures.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/base/texts.h"
#include "kernels/replay/block/block_runner.h"
#include "kernels/replay/texture/sampling.h"

namespace warplens::replay {
namespace {

constexpr std::uint32_t kNowhere = 0xffffffff;  ///< In TexelAccess::values

ptx::TextureGeometry geometry_of(TextureShape shape) {
  using G = ptx::TextureGeometry;
  switch (shape) {
    case TextureShape::one: return G::one;
    case TextureShape::two: return G::two;
    case TextureShape::three: return G::three;
    case TextureShape::layered_one: return G::layered_one;
    case TextureShape::layered_two: return G::layered_two;
    case TextureShape::cube: return G::cube;
    case TextureShape::layered_cube: break;
  }
  return G::layered_cube;
}

const TexelAccess& access_of(const Instr& instr) {
  return *reinterpret_cast<const TexelAccess*>(static_cast<std::uintptr_t>(instr.imm));
}

const char* misfit_of_kind(bool of_surface, const Texture& texture) {
  if (texture.is_surface == of_surface) return nullptr;
  return of_surface ? marked("it takes a surface") : marked("it takes a texture");
}

/// Why a launch's texture cannot be accessed so; null: it can.
const char* misfit(const TexelAccess& access, const Texture& texture) {
  if (const char* const why = misfit_of_kind(access.of_surface, texture)) return why;
  if (geometry_of(texture.shape) != access.geometry) return marked("it has another shape");
  if (access.of_surface) return nullptr;
  if (access.gives_floats != texture.reads_floats())
    return marked("it gives integers where floats are read, or the other way round");
  if (access.gathered && texture.in_memory) return marked("what is gathered from is an array");
  const bool is_row = texture.in_memory && texture.shape == TextureShape::one;
  if (is_row != access.by_index)
    return is_row ? marked("linear memory of one dimension is read by index alone")
                  : marked("an array is not read by index");
  return nullptr;
}

/// What an H200 gives; PTX ISA, "txq", "suq". Queries of anything else its driver refuses to load.
std::uint32_t answer(ptx::Opcode query, const Texture& texture) {
  using ptx::Opcode;
  const bool is_row = texture.dimensions() == 1, is_row_of_array = is_row && !texture.in_memory;
  const bool has_depth = texture.shape == TextureShape::three || texture.is_layered();
  switch (query) {
    case Opcode::txq_height: return is_row ? (is_row_of_array ? 1 : 0) : texture.height;
    case Opcode::suq_height: return is_row ? 0 : texture.height;
    case Opcode::txq_depth: return !has_depth ? 0 : texture.is_cube() ? texture.depth / 6 : texture.depth;
    case Opcode::suq_depth: return has_depth || texture.is_cube() ? texture.depth : 0;
    default: return texture.width;
  }
}

std::uint32_t element_bytes(const TexelAccess& access) {
  return access.component_bytes * static_cast<std::uint32_t>(access.values.size());
}

/// What a lane's element of a surface gives, or takes: `values` go in or out.
void access_element(const BoundTexture& bound, const TexelAccess& access, const SurfaceElement& element,
                    std::array<std::uint64_t, 4>& values) {
  for (std::size_t k = 0; k < access.values.size(); ++k) {
    std::byte* const at = bound.data + element.offset + k * access.component_bytes;
    if (access.is_store) {
      std::memcpy(at, &values.at(k), access.component_bytes);
    } else {
      std::memcpy(&values.at(k), at, access.component_bytes);
    }
  }
}

/// What is accessed by the lanes so far.
struct Accessed {
  std::array<TexelTurn, 8> turns;
  std::uint32_t outside = 0, misaligned = 0;
  std::array<std::uint64_t, kWarpSize> addresses{};

  void add(std::size_t turn, std::uint32_t lane, std::uint64_t address) {
    turns.at(turn).mask |= 1u << lane;
    turns.at(turn).address.at(lane) = address;
  }
  /// Whether the element can be accessed.
  bool check(std::uint32_t lane, std::uint64_t address, const SurfaceElement& element,
             ptx::BeyondSurface beyond) {
    addresses.at(lane) = address;
    if (!element.is_aligned) misaligned |= 1u << lane;
    if (element.is_aligned && !element.is_inside && beyond == ptx::BeyondSurface::trap) outside |= 1u << lane;
    return element.is_aligned && (element.is_inside || beyond == ptx::BeyondSurface::clamp);
  }
};

}  // namespace

std::optional<Error> check_textures(const Program::Code& code, const Launch& launch) {
  const auto wrong = [&](std::uint32_t parameter, const auto& misfit_of) -> std::optional<Error> {
    const auto* const argument = std::get_if<TextureArgument>(&launch.arguments[parameter]);
    const char* const why =
        argument == nullptr ? marked("no texture or surface is given") : misfit_of(argument->texture);
    if (why == nullptr) return std::nullopt;
    return Error{
        tr("the texture or surface `{parameter}`: {reason}", "parameter"_a = code.parameters[parameter].name,
           "reason"_a = tr(why)),
        code.function.plain_name,
        tr("Give one as the kernel reads it, such as tex2d:f32[h][w]:uniform,linear or surf2d:i32[h][w].")};
  };
  for (const auto& access : code.texel_accesses) {
    if (auto error = wrong(access->parameter, [&](const Texture& one) { return misfit(*access, one); }))
      return error;
  }
  for (const TextureQuery& query : code.texture_queries) {
    if (auto error =
            wrong(query.parameter, [&](const Texture& one) { return misfit_of_kind(query.of_surface, one); }))
      return error;
  }
  return std::nullopt;
}

void answer_texture_queries(const Program::Code& code, const Launch& launch,
                            std::vector<std::byte>& parameters) {
  for (const TextureQuery& query : code.texture_queries) {
    const auto* const argument = std::get_if<TextureArgument>(&launch.arguments[query.parameter]);
    if (argument == nullptr) continue;
    const std::uint32_t value = answer(query.opcode, argument->texture);
    std::memcpy(parameters.data() + code.variable_addresses[query.variable], &value, sizeof value);
  }
}

std::vector<Site> sites_of_launch(const Program::Code& code, const Launch& launch) {
  std::vector<Site> sites = code.sites;
  for (const Instr& instr : code.instructions) {
    if (instr.run != &access_texels) continue;
    const TexelAccess& access = access_of(instr);
    const auto* const argument = std::get_if<TextureArgument>(&launch.arguments[access.parameter]);
    const std::uint32_t bytes =
        access.of_surface || argument == nullptr ? element_bytes(access) : argument->texture.texel_bytes();
    sites[instr.site].bytes = static_cast<std::uint8_t>(bytes);
  }
  return sites;
}

std::vector<TexelSite> texel_sites(const Program::Code& code, const Launch& launch,
                                   std::span<const std::uint64_t> bases) {
  std::vector<const TexelAccess*> accesses;
  for (const auto& access : code.texel_accesses) accesses.push_back(access.get());
  std::ranges::sort(accesses, {}, &TexelAccess::instruction);
  std::vector<TexelSite> sites;
  for (const TexelAccess* const access : accesses) {
    const auto& argument = std::get<TextureArgument>(launch.arguments[access->parameter]);
    const Texture texture = access->gathered ? gathered(argument.texture) : argument.texture;
    const bool is_single = access->of_surface || access->by_index || !texture.linear_filter;
    sites.push_back({.texture = texture,
                     .base = bases[argument.buffer],
                     .element_bytes = element_bytes(*access),
                     .texels = is_single ? 1 : 1u << texture.dimensions(),
                     .by_index = access->by_index,
                     .clamps = access->beyond == ptx::BeyondSurface::clamp});
  }
  return sites;
}

void BlockRunner::access_texels(const Instr* i) {
  const TexelAccess& access = access_of(*i);
  const BoundTexture& bound = job_.textures[access.parameter];
  const Texture& texture = bound.texture;
  const auto value_of = [&](std::uint32_t head, bool wide, std::uint32_t lane) {
    return value_of_lane(*reinterpret_cast<const Head*>(machine_.registers + head), wide, lane);
  };
  const auto coordinate = [&](std::size_t k, std::uint32_t lane) {
    return static_cast<std::uint32_t>(value_of(access.coordinates[k], false, lane));
  };
  const std::size_t first = texture.is_layered() ? 1 : 0;
  Accessed accessed;
  for_each_lane(machine_.active, [&](std::uint32_t lane) {
    const std::uint32_t layer = first == 1 ? coordinate(0, lane) : 0;
    std::array<std::uint64_t, 4> values{};
    if (access.of_surface) {
      std::array<std::int32_t, 3> at{};
      for (std::size_t k = 0; k < texture.dimensions(); ++k)
        at.at(k) = static_cast<std::int32_t>(coordinate(first + k, lane));
      for (std::size_t k = 0; access.is_store && k < access.values.size(); ++k)
        values.at(k) = value_of(access.values[k], access.component_bytes == 8, lane);
      const SurfaceElement element =
          surface_element(texture, element_bytes(access), at[0], at[1], at[2], layer);
      const std::uint64_t shown = bound.base + (element.is_inside ? element.offset : texture.bytes());
      if (accessed.check(lane, shown, element, access.beyond)) {
        accessed.add(0, lane, bound.base + element.offset);
        access_element(bound, access, element, values);
      }
    } else {
      std::array<float, 3> at{};
      for (std::size_t k = 0; k < texture.coordinates(); ++k)
        at.at(k) = std::bit_cast<float>(coordinate(first + k, lane));
      const Sample read = access.by_index
                              ? fetch(texture, bound.data, static_cast<std::int32_t>(coordinate(0, lane)))
                          : access.gathered ? gather(texture, bound.data, at, *access.gathered)
                                            : sample(texture, bound.data, at, layer);
      std::ranges::copy(read.components, values.begin());
      for (std::uint32_t t = 0; t < read.texels; ++t) accessed.add(t, lane, bound.base + read.offsets.at(t));
    }
    for (std::size_t k = 0; !access.is_store && k < access.values.size(); ++k) {
      const CallArgument to{
          .in_register = true, .head = access.values[k], .bytes = access.component_bytes == 8 ? 8u : 4u};
      if (to.head != kNowhere)
        pass_back(to, lane, reinterpret_cast<const std::byte*>(&values.at(k)), sizeof values.at(k));
    }
  });
  record_texels(i, accessed.turns);
  if (accessed.misaligned != 0)
    report_fault(i, i->site, Fault::misaligned, accessed.misaligned, machine_.active,
                 accessed.addresses.data());
  if (accessed.outside != 0)
    report_fault(i, i->site, Fault::out_of_bounds, accessed.outside, machine_.active,
                 accessed.addresses.data());
}

void BlockRunner::record_texels(const Instr* i, const std::array<TexelTurn, 8>& turns) {
  for (const TexelTurn& turn : turns) {
    if (turn.mask == 0) continue;
    ++machine_.phase.row[machine_.kernel.sites[i->site].column];
    if (turn.mask != machine_.launched) count_divergent(i->site);
    count_irregular(i->site, turn.mask, turn.address.data());
    if (machine_.recording_events) record_event(machine_, i->site, turn.mask, turn.address.data());
  }
}

const Instr* access_texels(Machine& m, const Instr* i) {
  m.runner->access_texels(i);
  return i + 1;
}

}  // namespace warplens::replay
