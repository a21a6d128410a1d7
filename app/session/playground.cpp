#include "app/session/playground.h"

#include <array>
#include <utility>

#include "app/launch_form/expression.h"

namespace warplens::app {

Result<analysis::TriedAccess> tried(const Playground& playground) {
  analysis::TriedAccess access{.space = playground.space,
                               .op = playground.op,
                               .bytes = playground.bytes,
                               .mask = playground.mask,
                               .row_items = playground.row_items,
                               .padding = playground.padding,
                               .swizzle_bits = playground.swizzle_bits};
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if ((playground.mask >> lane & 1) == 0) continue;
    const std::array<NamedValue, 3> values{NamedValue{"lane", lane}, NamedValue{"s", playground.stride},
                                           NamedValue{"o", playground.offset}};
    const Result<std::int64_t> item = evaluate(playground.items, values);
    if (!item.ok()) return item.error();
    access.items[static_cast<std::size_t>(lane)] = *item;
  }
  return access;
}

Result<std::shared_ptr<const Loaded>> played(const Playground& playground) {
  const Result<analysis::TriedAccess> wanted = tried(playground);
  if (!wanted.ok()) return wanted.error();
  const Result<analysis::WarpAccess> access = analysis::access_of(*wanted, playground.cc);
  if (!access.ok()) return access.error();
  auto recording = std::make_shared<const Recording>(analysis::recording_of(*wanted, *access, playground.cc));
  auto facts = std::make_shared<analysis::Facts>();  // Without the counts of elements, which a long stride
                                                     // would make large, and nothing here draws
  facts->phase_kinds = analysis::phase_kinds(*recording);
  auto loaded = std::make_shared<Loaded>();
  static_cast<analysis::Results&>(*loaded) =
      analysis::results_of(*recording, std::move(facts), playground.cc);
  loaded->recording = std::move(recording);
  loaded->cc = playground.cc;
  return std::shared_ptr<const Loaded>(std::move(loaded));
}

}  // namespace warplens::app
