#include "kernels/recording/validate.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "recording/sample.h"

namespace warplens {
namespace {

struct Case {
  const char* name;
  std::function<void(Recording&)> spoil;
  const char* message;  ///< Beginning of the error's message
};

class Validate : public testing::TestWithParam<Case> {};

TEST(ValidRecording, AcceptsConsistentRecordings) {
  EXPECT_TRUE(validate(sample::make()).ok());
  EXPECT_TRUE(validate(sample::make({.tile = 6, .size = 12})).ok());
  EXPECT_TRUE(validate(Recording{}).ok());
}

TEST_P(Validate, RefusesInconsistentRecordings) {
  Recording recording = sample::make({.tile = 6, .size = 12});
  GetParam().spoil(recording);
  const auto result = validate(recording);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message().rfind(GetParam().message, 0), 0u) << result.error().message();
}

const Case kCases[] = {
    {"grid_zero", [](Recording& r) { r.grid.y = 0; }, "launch: its grid 2,0,1"},
    {"grid_large", [](Recording& r) { r.grid.z = 65536; }, "launch: its grid"},
    {"block_large", [](Recording& r) { r.block = {1024, 2, 1}; }, "launch: its block 1024,2,1"},
    {"shared_large", [](Recording& r) { r.shared_bytes = 0x7fffffff; }, "launch: its shared memory"},
    {"shared_base", [](Recording& r) { r.shared_base = 1000; },
     "launch: its shared memory cannot begin at address 1000"},
    {"seconds", [](Recording& r) { r.seconds = std::numeric_limits<double>::quiet_NaN(); },
     "launch: its duration"},
    {"column_short", [](Recording& r) { r.events.phase.pop_back(); }, "tables: the columns of events"},
    {"totals_short", [](Recording& r) { r.totals.pop_back(); },
     "tables: there are totals of 7 sites, and 8 sites"},
    {"buffer_wraps", [](Recording& r) { r.buffers[1].base = ~std::uint64_t{0}; },
     "buffer 1: it does not fit in the address space"},
    {"buffer_rows", [](Recording& r) { r.buffers[1].rows = 13; }, "buffer 1: its rows do not fit"},
    {"buffer_no_rows", [](Recording& r) { r.buffers[1].rows = 0; }, "buffer 1: it has no rows"},
    {"buffer_pitch", [](Recording& r) { r.buffers[1].pitch = 11; }, "buffer 1: its pitch"},
    {"buffer_one_row",
     [](Recording& r) { r.buffers[1] = {"B", ElementType::f32, sample::kBaseB, 64, 1, 16, 4000000000}; },
     "buffer 1: its pitch does not fit"},
    {"buffers_overlap", [](Recording& r) { r.buffers[1].base = r.buffers[0].base + 256; },
     "buffers: buffers 0 and 1 overlap"},
    {"buffers_many", [](Recording& r) { r.buffers.assign(4096, {}); }, "tables: its 4096 buffers"},
    {"file_name", [](Recording& r) { r.files[0].name.assign(2000, 'x'); },
     "names: the name of its source file has 2000 bytes, and can have 1024"},
    {"kernel_name", [](Recording& r) { r.kernel.assign(5000, 'x'); }, "names: the name of its kernel"},
    {"buffer_name", [](Recording& r) { r.buffers[2].name.assign(5000, 'x'); },
     "names: the name of its buffer"},
    {"blocks_replayed", [](Recording& r) { r.blocks_counted = 5; },
     "launch: 5 of 4 blocks cannot be replayed in a grid of 4"},
    {"blocks_total", [](Recording& r) { r.blocks_total = 5; }, "launch: 4 of 5 blocks"},
    {"requests", [](Recording& r) { ++r.totals[3].requests; }, "site 3: it has "},
    {"requests_wrap", [](Recording& r) { r.totals[3].patterns[0].count = ~std::uint64_t{0}; },
     "site 3: it has "},
    {"requests_unkept", [](Recording& r) { ++r.totals[3].unkept_requests; }, "site 3: it has "},
    {"thread_accesses", [](Recording& r) { --r.totals[3].thread_accesses; }, "site 3: its "},
    {"divergent_requests", [](Recording& r) { r.totals[3].divergent_requests = r.totals[3].requests + 1; },
     "site 3: its "},
    {"pattern_count",
     [](Recording& r) {
       r.totals[3].requests -= r.totals[3].patterns[0].count;
       r.totals[3].patterns[0].count = 0;
     },
     "site 3: a pattern has no request"},
    {"phase_requests", [](Recording& r) { ++r.phases[1].other; }, "phases: the requests of the phases"},
    {"phase_wraps", [](Recording& r) { r.phases[1].other = ~std::uint64_t{0}; },
     "phases: the requests of the phases"},
    {"phase_fills", [](Recording& r) { r.phases[0].fills = r.phases[0].shared_stores + 1; },
     "phases: a phase of "},
    {"phases_many", [](Recording& r) { r.phases.resize((1u << 20) + 1); }, "phases: 1048577 phases"},
    {"events_of_too_many_blocks", [](Recording& r) { r.blocks_counted = 1; },
     "events: it has events of 2 blocks, and 1 were replayed"},
    {"events_counted",
     [](Recording& r) {
       r.events.site[1] = r.events.site[0];
       r.blocks_counted = 2;
     },
     "events: site 0 has "},
    {"buffer_columns", [](Recording& r) { r.buffers[1].columns = 145; }, "buffer 1: its columns"},
    {"array_outside", [](Recording& r) { r.shared_arrays[1].offset += 4; },
     "shared array 1: it lies outside"},
    {"array_rows", [](Recording& r) { r.shared_arrays[1].rows = 7; }, "shared array 1: its rows do not fit"},
    {"array_element", [](Recording& r) { r.shared_arrays[0].element_bytes = 0; },
     "shared array 0: it has no elements"},
    {"site_file", [](Recording& r) { r.sites[2].file = 1; }, "site 2: it names file 1 of 1"},
    {"site_no_file", [](Recording& r) { r.files.clear(); }, "site 0: it names file 0 of 0"},
    {"site_bytes", [](Recording& r) { r.sites[2].bytes = 3; }, "site 2: its 3 bytes"},
    {"site_matrices", [](Recording& r) { r.sites[2].matrices = 3; }, "site 2: its 3 matrices"},
    {"site_value", [](Recording& r) { r.sites[2].value_from = 8; },
     "site 2: its value comes from site 8 of 8"},
    {"site_value_negative", [](Recording& r) { r.sites[2].value_from = -2; },
     "site 2: its value comes from site -2"},
    {"shape_offset", [](Recording& r) { r.shapes[1][3] = kMaxOffset + 1; }, "shape 1: its offset"},
    {"pattern_shape", [](Recording& r) { r.totals[3].patterns[0].shape = 99; },
     "site 3: a pattern names shape 99"},
    {"pattern_mask", [](Recording& r) { r.totals[3].patterns[0].mask = 0; },
     "site 3: a pattern has no active lane"},
    {"pattern_alignment", [](Recording& r) { r.totals[3].patterns[0].alignment = 256; },
     "site 3: a pattern's alignment"},
    {"pattern_order", [](Recording& r) { r.totals[3].patterns.push_back(r.totals[3].patterns[0]); },
     "site 3: its patterns are not sorted"},
    {"message_block", [](Recording& r) { r.messages = {{0, 1, {9, 9, 0}, 0, "x"}}; },
     "message 0: its block 9,9,0"},
    {"message_thread", [](Recording& r) { r.messages = {{0, 1, {0, 0, 0}, 100000, "x"}}; },
     "message 0: its thread 100000"},
    {"end_block", [](Recording& r) { r.ended = EarlyEnd{.block = {9, 9, 0}}; }, "early end: its block 9,9,0"},
    {"end_warp", [](Recording& r) { r.ended = EarlyEnd{.warp = 1000}; }, "early end: its warp 1000"},
    {"tensor_order", [](Recording& r) { r.tensor = {{.instruction = 4}, {.instruction = 4}}; },
     "tensor instruction 1: it stands behind tensor instruction 0, and should not"},
    {"waiting_loop_file", [](Recording& r) { r.waiting_loops = {{.file = 4}}; },
     "waiting loop 0: it names file 4"},
    {"end_file", [](Recording& r) { r.ended = EarlyEnd{.file = 4}; }, "early end: it names file 4"},
    {"finding_block", [](Recording& r) { r.findings[1].block = {0, 2, 0}; }, "finding 1: its block 0,2,0"},
    {"finding_warp", [](Recording& r) { r.findings[1].warp = 2; }, "finding 1: its warp 2"},
    {"finding_file", [](Recording& r) { r.findings[0].file = 4; }, "finding 0: it names file 4"},
    {"finding_addresses",
     [](Recording& r) { r.findings[1].access = FoundAccess{.bytes = 4, .addresses = {1, 2}}; },
     "finding 1: its access has 2 addresses"},
    {"finding_bytes", [](Recording& r) { r.findings[1].access = FoundAccess{.bytes = 3, .addresses = {1}}; },
     "finding 1: its 3 bytes"},
    {"finding_other_block", [](Recording& r) { r.findings[1].other = OtherAccess{.block = {0, 2, 0}}; },
     "finding 1: its block 0,2,0"},
    {"finding_other_warp", [](Recording& r) { r.findings[1].other = OtherAccess{.warp = 2}; },
     "finding 1: its warp 2"},
    {"finding_other_lane", [](Recording& r) { r.findings[1].other = OtherAccess{.lane = 32}; },
     "finding 1: its lane 32"},
    {"event_block_outside", [](Recording& r) { r.event_blocks[1] = {2, 0, 0}; },
     "event block 1: block 2,0,0 is not in the grid"},
    {"event_block_order", [](Recording& r) { r.event_blocks[1] = {0, 0, 0}; },
     "event block 1: block 0,0,0 is out of order"},
    {"event_site", [](Recording& r) { r.events.site[3] = 8; }, "event 3: it names site 8 of 8"},
    {"event_shape", [](Recording& r) { r.events.shape[3] = 99; }, "event 3: it names shape 99"},
    {"event_block", [](Recording& r) { r.events.block.back() = 2; }, "event "},
    {"event_phase", [](Recording& r) { r.events.phase[3] = 5; }, "event 3: it names phase 5 of 5"},
    {"event_phase_back", [](Recording& r) { r.events.phase[3] = 2; }, "event 4: its phase"},
    {"event_warp", [](Recording& r) { r.events.warp.back() = 2; }, "event "},
    {"event_warp_back", [](Recording& r) { r.events.warp[3] = 1, r.events.mask[3] = 1; },
     "event 3: its warp's first order is 3"},
    {"event_order", [](Recording& r) { r.events.order[3] = 4; }, "event 3: its order 4 does not follow 2"},
    {"event_mask", [](Recording& r) { r.events.mask[3] = 0; }, "event 3: it has no active lane"},
    {"event_lane", [](Recording& r) { r.events.mask.back() = 0x10; },
     "event 71: a lane is active that has no thread"},
};

INSTANTIATE_TEST_SUITE_P(Inconsistencies, Validate, testing::ValuesIn(kCases),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace warplens
