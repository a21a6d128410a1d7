// The English sentences of findings, which files keep (Finding::text). Written by the replay with these
// words, so that the window can read the figures back and say the same in another language.
#pragma once

#include "kernels/base/texts.h"

namespace warplens::finding_texts {

// The access: which memory it is of, and what it does there.
inline constexpr const char* kToGlobal = "{op} of {bytes} bytes to {address}";
inline constexpr const char* kAtGlobal = "{op} of {bytes} bytes at {address}";
inline constexpr const char* kToShared = "{op} of {bytes} bytes to shared address {address}";
inline constexpr const char* kAtShared = "{op} of {bytes} bytes at shared address {address}";
inline constexpr const char* kToLocal = "{op} of {bytes} bytes to local address {address}";
inline constexpr const char* kAtLocal = "{op} of {bytes} bytes at local address {address}";
inline constexpr const char* kToConstant = "{op} of {bytes} bytes to constant or parameter address {address}";
inline constexpr const char* kAtConstant = "{op} of {bytes} bytes at constant or parameter address {address}";

// What is wrong with it.
inline constexpr const char* kMisaligned = marked("{access}, which is not a multiple of {bytes}");
inline constexpr const char* kUnwritten = marked("{access}, which nothing in the block has written");
inline constexpr const char* kOverwritten = marked(
    "{access} with different values by several lanes of one instruction: which one remains is undefined");
inline constexpr const char* kReserved = marked(
    "{access}, in the first {bytes} bytes, which are the system's on compute capability 8.0 and later");
inline constexpr const char* kPastShared =
    marked("{access}, {distance} bytes past the end of the block's shared memory ({bytes} bytes)");
inline constexpr const char* kPastLocal =
    marked("{access}, {distance} bytes past the end of the thread's local memory ({bytes} bytes)");
inline constexpr const char* kPast =
    marked("{access}, {distance} bytes past the end of {buffer} ({bytes} bytes)");
inline constexpr const char* kAcrossEnd =
    marked("{access}, which reaches past the end of {buffer} ({bytes} bytes)");
inline constexpr const char* kBefore = marked("{access}, {distance} bytes before {buffer} ({bytes} bytes)");
inline constexpr const char* kNowhere = marked("{access}, which lies in no buffer");
inline constexpr const char* kOutside = marked("{access}, outside that memory");
inline constexpr const char* kInHeap =
    marked("{access}, in the heap, where nothing is allocated, or no longer");
inline constexpr const char* kFreesNothing =
    marked("free of {address}, where nothing is allocated, or no longer");

inline constexpr const char* kRace = marked(
    "{op} of {bytes} bytes at shared address {address} by warp {warp} and {other_op} of line {line} by warp "
    "{other_warp}, lane {lane}, with no "
    "barrier between them");
inline constexpr const char* kCopyRace = marked(
    "{op} of {bytes} bytes at shared address {address} by warp {warp} and {other_op} of line {line} by warp "
    "{other_warp}, lane {lane}: what was copied is there for other warps behind the wait for the copy and a "
    "barrier");
inline constexpr const char* kInFlight = marked(
    "{op} of {bytes} bytes at shared address {address} by lane {lane} of warp {warp}, while the asynchronous "
    "copy of line {line} to it is in flight: nothing has waited for it");
inline constexpr const char* kSecondCopy = marked(
    "asynchronous copy of {bytes} bytes to shared address {address} by lane {lane} of warp {warp}, while "
    "that "
    "of line {line} by warp {other_warp} to the same place is in flight: which one remains is undefined");
inline constexpr const char* kChangedSource = marked(
    "asynchronous copy of {bytes} bytes by lane {lane} of warp {warp}, whose source in global memory has "
    "changed before line {line} waited for it: which value was copied is undefined");
inline constexpr const char* kNoTensorMap = marked(
    "bulk copy by lane {lane} of warp {warp}: there is no tensor map of so many dimensions and of its mode "
    "where it reads one");
inline constexpr const char* kNoMapToChange = marked(
    "tensormap instruction by lane {lane} of warp {warp}: where it changes a tensor map there is none, or "
    "the "
    "field cannot have that value");
inline constexpr const char* kIm2colStart = marked(
    "bulk copy by lane {lane} of warp {warp}: the filter's base lies outside the bounding box, the innermost "
    "coordinate is not a multiple of 16 bytes, or it stores outside the tensor, which a GPU reports as an "
    "illegal instruction");
inline constexpr const char* kTensorReduction = marked(
    "bulk copy by lane {lane} of warp {warp}: there is no such reduction of elements of the tensor map's "
    "type, which a GPU reports as an illegal instruction");
inline constexpr const char* kTensorCoordinates = marked(
    "bulk copy by lane {lane} of warp {warp}: the innermost coordinate is not a multiple of 16 bytes, or one "
    "of a "
    "store is negative, which a GPU reports as an illegal instruction");
inline constexpr const char* kBulkAlignment = marked(
    "bulk copy by lane {lane} of warp {warp}: its size or an address is not a multiple of 16 bytes, or it is "
    "too "
    "large");
inline constexpr const char* kBulkOverwritten = marked(
    "bulk copy by lane {lane} of warp {warp}, whose destination in shared memory was written to while it was "
    "in "
    "flight: which value remains is undefined");
inline constexpr const char* kBulkSourceChanged = marked(
    "bulk copy by lane {lane} of warp {warp}, whose source in shared memory was changed before its thread "
    "waited "
    "for it: which value was copied is undefined");
inline constexpr const char* kUnorderedWarps = marked(
    "{op} of {bytes} bytes at shared address {address} by warp {warp} and {other_op} of line {line} by warp "
    "{other_warp}, lane {lane}: no barrier and no mbarrier orders the two");
inline constexpr const char* kOverwrittenEarly = marked(
    "{op} of {bytes} bytes at shared address {address} by warp {warp}, which {other_op} of line {line} by "
    "warp {other_warp} may still read: it is not ordered after a wait for the group of that operation");
inline constexpr const char* kUnfenced = marked(
    "bulk copy or wgmma by lane {lane} of warp {warp}, which reads shared address {address}: warp "
    "{other_warp} has "
    "stored there without a fence.proxy.async behind it, so the async proxy may read what was there before");
inline constexpr const char* kBulkInFlight =
    marked("{access} while a bulk copy to it is in flight: nothing has waited for its mbarrier");
inline constexpr const char* kMbarrierMisaligned = marked(
    "mbarrier at the address {address} by lane {lane} of warp {warp}: it is not a multiple of 8 in the "
    "block's shared memory");
inline constexpr const char* kMbarrierUnused = marked(
    "operation on an mbarrier at shared address {address} by lane {lane} of warp {warp}: no mbarrier.init "
    "has "
    "made one there");
inline constexpr const char* kMbarrierMadeTwice = marked(
    "mbarrier.init at shared address {address} by lane {lane} of warp {warp}: that of line {line} has made "
    "one "
    "there, and no mbarrier.inval has ended it");
inline constexpr const char* kMbarrierCount = marked(
    "mbarrier.init with the count {count} at shared address {address} by lane {lane} of warp {warp}: a count "
    "is 1 to 1048575");
inline constexpr const char* kMbarrierArrivals = marked(
    "arrival with the count {count} at the mbarrier at shared address {address} by lane {lane} of warp "
    "{warp}: "
    "its phase expects {pending} more");
inline constexpr const char* kMbarrierCompletes = marked(
    "arrival with .noComplete at the mbarrier at shared address {address} by lane {lane} of warp {warp}: it "
    "would end the phase");
inline constexpr const char* kMbarrierOverwritten = marked(
    "operation on the mbarrier at shared address {address} by lane {lane} of warp {warp}: a store has "
    "changed "
    "the object since line {line} made it");
inline constexpr const char* kResultInFlight = marked(
    "{op} by warp {warp} reads register {register}, the result of the wgmma of line {line}, before a "
    "wgmma.wait_group has waited for it: its value is undefined");
inline constexpr const char* kRegisterInFlight = marked(
    "{op} by warp {warp} writes to register {register}, which the wgmma of line {line} uses, before a "
    "wgmma.wait_group has waited for it: the result is undefined");
inline constexpr const char* kOtherShape = marked(
    "wgmma by warp {warp} accumulates in register {register} before a wgmma.wait_group has waited for the "
    "wgmma of line {line}, which has another shape: the result is undefined");
inline constexpr const char* kNeverFenced = marked(
    "first wgmma of warp {warp}, with no wgmma.fence before it: what it reads from registers is undefined");
inline constexpr const char* kNotFenced = marked(
    "wgmma by warp {warp} uses register {register}, which line {line} has written since the last "
    "wgmma.fence: its value is undefined");
inline constexpr const char* kLaneRace = marked(
    "{op} of {bytes} bytes at shared address {address} by lane {lane} of warp {warp} and {other_op} of line "
    "{line} by lane {other_lane}, with no "
    "__syncwarp between them: since compute capability 7.0 lanes of a warp run in any order");
inline constexpr const char* kBlockRace = marked(
    "{op} of {bytes} bytes at {element} by block {block}, thread {thread}, and {other_op} of line {line} by "
    "block {other_block}, thread "
    "{other_thread}: nothing orders the two blocks");
inline constexpr const char* kGlobalRace = marked(
    "{op} of {bytes} bytes at {element} by thread {thread} and {other_op} of line {line} by thread "
    "{other_thread}, of another warp of the block: nothing orders the two warps");
inline constexpr const char* kUpdateLost = marked(
    "{op} of {bytes} bytes at {element} by block {block}, thread {thread}, of a value that was computed from "
    "an earlier load of it: the {other_op} of line {line} by block {other_block}, thread {other_thread}, is "
    "lost if it comes between the two");
inline constexpr const char* kMayBeLost = marked(
    "{op} of {bytes} bytes at {element} by block {block}, thread {thread}: it is lost if it comes between "
    "the "
    "{other_op} of line {line} by block {other_block}, thread {other_thread}, and the earlier load that the "
    "stored value was computed from");
inline constexpr const char* kPartOfWarp =
    marked("barrier reached by lanes {lanes} of warp {warp} only: lanes {missing} are missing");
inline constexpr const char* kWaitsForOthers =
    marked("warp {warp} waits forever at barrier {barrier}: the warps that it waits for do not arrive");
inline constexpr const char* kWaitForMore =
    marked("warps wait forever at barrier {barrier}: fewer arrive than its thread count");

inline constexpr const char* kWaitsForLanes = marked(
    "lanes {lanes} of warp {warp} loop until memory changes, and lanes {others}, whose way on may change it, "
    "wait for them in line {line}: in "
    "lockstep for ever; GPUs that schedule lanes apart (compute capability 7.0 and later) may get out");
inline constexpr const char* kWaitsInBlock = marked(
    "lanes {lanes} of warp {warp} loop until shared memory changes, and nothing in the block changes it any "
    "more");
inline constexpr const char* kWaitsAtMbarrier = marked(
    "lanes {lanes} of warp {warp} wait at the mbarrier at shared address {address}, whose phase nothing in "
    "the "
    "block ends any more: {pending} of {expected} arrivals and {bytes} transaction bytes are missing");
inline constexpr const char* kWaitsForBlocks = marked(
    "lanes {lanes} of warp {warp} loop until memory changes, and no other block that is run changes it any "
    "more");
inline constexpr const char* kWaitsForLaterBlocks = marked(
    "lanes {lanes} of warp {warp} loop until memory changes: so many blocks wait like this one that a later "
    "block, which may change it, "
    "cannot begin");

inline constexpr const char* kOutsideMask =
    marked("{op} by lanes {lanes}, which their mask {mask} leaves out: what it gives is not defined");

inline constexpr const char* kAbsent = marked(
    "{op} with the mask {mask} by lanes {lanes} of warp {warp}: lanes {missing} are in the mask but do not "
    "arrive");
inline constexpr const char* kReadsAbsent = marked(
    "{op} by lanes {lanes} of warp {warp} reads from lanes {missing}, which do not take part: what it gives "
    "is not defined");

inline constexpr const char* kExitedBlock = marked(
    "{op} by lanes {lanes} of warp {warp} accesses shared memory of block {rank} of its cluster, which has "
    "exited: on a GPU another block may have that memory by then");

inline constexpr const char* kAssertion =
    marked("the assertion `{condition}` failed: on a GPU the launch ends with an error");

/// All sentences. Of two that a text may be read as, the first one is meant.
inline constexpr const char* kSentences[] = {kMisaligned,
                                             kUnwritten,
                                             kOverwritten,
                                             kReserved,
                                             kPastShared,
                                             kPastLocal,
                                             kPast,
                                             kAcrossEnd,
                                             kBefore,
                                             kNowhere,
                                             kOutside,
                                             kInHeap,
                                             kFreesNothing,
                                             kRace,
                                             kCopyRace,
                                             kInFlight,
                                             kSecondCopy,
                                             kChangedSource,
                                             kNoTensorMap,
                                             kNoMapToChange,
                                             kIm2colStart,
                                             kTensorReduction,
                                             kTensorCoordinates,
                                             kBulkAlignment,
                                             kBulkOverwritten,
                                             kBulkSourceChanged,
                                             kUnorderedWarps,
                                             kOverwrittenEarly,
                                             kUnfenced,
                                             kBulkInFlight,
                                             kMbarrierMisaligned,
                                             kMbarrierUnused,
                                             kMbarrierMadeTwice,
                                             kMbarrierCount,
                                             kMbarrierArrivals,
                                             kMbarrierCompletes,
                                             kMbarrierOverwritten,
                                             kResultInFlight,
                                             kRegisterInFlight,
                                             kOtherShape,
                                             kNeverFenced,
                                             kNotFenced,
                                             kLaneRace,
                                             kBlockRace,
                                             kGlobalRace,
                                             kUpdateLost,
                                             kMayBeLost,
                                             kPartOfWarp,
                                             kWaitsForOthers,
                                             kWaitForMore,
                                             kWaitsForLanes,
                                             kWaitsInBlock,
                                             kWaitsAtMbarrier,
                                             kWaitsForBlocks,
                                             kWaitsForLaterBlocks,
                                             kOutsideMask,
                                             kAbsent,
                                             kReadsAbsent,
                                             kExitedBlock,
                                             kAssertion};

}  // namespace warplens::finding_texts
