#include "app/launch/inlined.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "kernels/ptx/parser.h"

namespace warplens::app {
namespace {

/// The places of a module's instructions, by their lines of the PTX.
class Places {
 public:
  explicit Places(const ptx::Module& module) : module_(module) {
    for (const ptx::Function& function : module.functions) {
      for (const ptx::Instruction& instruction : function.instructions)
        locations_.try_emplace(instruction.ptx_line, &instruction.location);
    }
  }

  /// Where the instruction stands, then the calls that it was inlined at, from the innermost out. Empty: its
  /// place is not known.
  [[nodiscard]] std::vector<SourcePlace> of(std::uint32_t ptx_line) const {
    std::vector<SourcePlace> places;
    const auto found = locations_.find(ptx_line);
    if (found == locations_.end() || found->second->line == 0) return places;
    places.push_back({found->second->file, found->second->line});
    for (std::uint32_t call = found->second->inlined_at; call != 0;
         call = module_.inlined_calls[call - 1].inlined_at) {
      places.push_back({module_.inlined_calls[call - 1].file, module_.inlined_calls[call - 1].line});
    }
    return places;
  }

 private:
  const ptx::Module& module_;
  std::unordered_map<std::uint32_t, const ptx::SourceLocation*> locations_;
};

/// Which of the places, from the innermost out, stands for all.
template <class HasText>
std::size_t choose(std::span<const SourcePlace> places, const HasText& has_text) {
  const auto shown = std::ranges::find_if(places, has_text);
  return shown == places.end() ? 0 : static_cast<std::size_t>(shown - places.begin());
}

/// Findings of accesses stand where their sites do.
void place_findings(Recording& recording) {
  const auto site_of = [&](std::uint32_t instruction) {
    const auto found = std::ranges::lower_bound(recording.sites, instruction, {}, &Site::instruction);
    return found != recording.sites.end() && found->instruction == instruction ? &*found : nullptr;
  };
  for (Finding& finding : recording.findings) {
    const Site* const own = finding.access ? site_of(finding.access->instruction) : nullptr;
    const Site* const other = finding.other ? site_of(finding.other->instruction) : nullptr;
    if (own != nullptr) {
      if (!finding.other && finding.other_line == finding.line)
        finding.other_line = own->line;  // Lanes of one instruction
      finding.file = own->file;
      finding.line = own->line;
    }
    if (other == nullptr || other->line == finding.other_line) continue;
    const std::string before = fmt::format(" of line {} by ", finding.other_line),
                      after = fmt::format(" of line {} by ", other->line);
    if (const std::size_t at = finding.text.find(before); at != std::string::npos)
      finding.text.replace(at, before.size(), after);
    finding.other_line = other->line;
  }
}

/// ptxas keeps no lines of products of warpgroups: the listing gives them that of an instruction nearby.
/// Returns the place that all of the recording have, as the listing numbers files; nullopt if there are
/// several.
std::optional<sass::Place> only_place_of_products(sass::Listing& listing, const Recording& recording) {
  std::optional<SourcePlace> only;
  for (const Site& site : recording.sites) {
    if (site.op != AccessOp::wgmma) continue;
    const SourcePlace place{site.file, site.line};
    if (only && place != *only) return std::nullopt;
    only = place;
  }
  if (!only || only->line == 0 || only->file >= recording.files.size()) return std::nullopt;
  const std::string& name = recording.files[only->file].name;
  const auto known = std::ranges::find(listing.files, name);
  const auto index = static_cast<std::uint32_t>(known - listing.files.begin());
  if (known == listing.files.end()) listing.files.push_back(name);
  return sass::Place{.file = index, .line = only->line};
}

}  // namespace

void place_sites(Recording& recording, const ptx::Module& module) {
  if (module.inlined_calls.empty()) return;
  const Places places_of(module);
  const auto put = [&](auto& at) {
    const std::vector<SourcePlace> places = places_of.of(at.ptx_line);
    if (places.size() < 2) return;
    const SourcePlace& place = places[choose(places, [&](const SourcePlace& one) {
      return one.file < recording.files.size() && !recording.files[one.file].text.empty();
    })];
    at.file = place.file;
    at.line = place.line;
  };
  std::ranges::for_each(recording.sites, put);
  std::ranges::for_each(recording.tensor, put);
  place_findings(recording);
}

void place_instructions(sass::Listing& listing, const Recording& recording) {
  const std::optional<sass::Place> of_products = only_place_of_products(listing, recording);
  std::vector<bool> has_text;
  for (const std::string& name : listing.files) {
    const auto known = std::ranges::find(recording.files, name, &SourceFile::name);
    has_text.push_back(known != recording.files.end() && !known->text.empty());
  }
  for (sass::Function& function : listing.functions) {
    for (sass::Instruction& instruction : function.instructions) {
      if (instruction.opcode.ends_with("GMMA")) {
        instruction.places = 0;
        instruction.line = of_products ? of_products->line : 0;
        instruction.file = of_products ? of_products->file : 0;
      }
      if (instruction.places == 0) continue;
      const std::vector<sass::Place>& places = listing.inlined[instruction.places - 1];
      const auto shown =
          std::ranges::find_if(places, [&](const sass::Place& one) { return has_text[one.file]; });
      const sass::Place& place = shown == places.end() ? places.front() : *shown;
      instruction.file = place.file;
      instruction.line = place.line;
    }
  }
}

std::vector<SourcePlace> calls_to_finding(const Recording& recording, const Finding& finding,
                                          const std::vector<std::vector<SourcePlace>>& of_sites) {
  if (!finding.access) return {};
  const auto site = std::ranges::find(recording.sites, finding.access->instruction, &Site::instruction);
  return site == recording.sites.end() ? std::vector<SourcePlace>()
                                       : of_sites[static_cast<std::size_t>(site - recording.sites.begin())];
}

std::vector<std::vector<SourcePlace>> calls_to_sites(const Recording& recording) {
  std::vector<std::vector<SourcePlace>> calls(recording.sites.size());
  if (recording.ptx.find("inlined_at") == std::string::npos) return calls;
  const Result<ptx::Module> module = ptx::parse(recording.ptx, recording.origin_file);
  if (!module.ok()) return calls;
  const Places places_of(*module);
  for (std::size_t s = 0; s < recording.sites.size(); ++s) {
    const Site& site = recording.sites[s];
    const std::vector<SourcePlace> places = places_of.of(site.ptx_line);
    const auto own = std::ranges::find(places, SourcePlace{site.file, site.line});
    if (own == places.end()) continue;
    calls[s].assign(own + 1, places.end());
    std::erase_if(calls[s], [&](const SourcePlace& call) { return call.file >= recording.files.size(); });
  }
  return calls;
}

}  // namespace warplens::app
