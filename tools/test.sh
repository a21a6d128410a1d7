#!/usr/bin/env bash
# Runs all tests, installing first what is missing. Stops at the first failure. What takes longer is in tools/check-all.sh.
#   tools/test.sh             everything
#   tools/test.sh --quick     the release build and its tests alone
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh test
source tools/checks.sh
readonly kFuzzSeconds=10 kMonkeySeconds=30
# They take minutes there; others like them are run.
readonly kNotSanitized='*EqualsTheReferenceAtEveryShape/register_tile:*EqualsTheReferenceAtEveryShape/bank_stride:*EqualsTheReferenceAtEveryShape/tiled_*:'\
'*InAnyLanguage*:*IsFollowed/register_tile:*/Follow.*_*:*/LadderCounts.*:*/CountedEqualsFormula.*:*AreAssembledLikeTheRung*:SharedRoof.*:'\
'*/CountGrid.*:Levels.HoldTheCounters*:*/Recorder.*:OccupancySubject.CountsTheLocalAccesses*:RecordingFile.ManyEvents*:*EverySize.*:*Corpus.*:HardwareFigures.EveryInstruction*:'\
'Instrument.IsTaken*:Instrument.LeavesTheKernel*:Module.ManyBodies*:Liveness.HasALimit*:EquivalentBlocks.EndsHowever*:'\
'RecordingFile.AMillion*:RecordingFile.WhatAFileMayCost*:RecordingFile.WithoutChecksums*:LessonFields.OfWhatWas*:LessonFields.AllAnswer*:Handout.KeepsItsSize:'\
'*/ShippedLesson.*/ladder*:LessonFields.EachHas*:Hostile.CheckTakesTime*:Found.IsSoundAtEvery*:H200Arithmetic.*:'\
'*FollowedValuesOf.*:*MakesAHandoutOfOneFile*:GridCounts.OfUneven*:Recordings.AreTheSame*:Cli.EveryPair*:Hostile.ResultsThatCannot*:'\
'KernelTrial.ReplaysTheBlock*:OccupancySubject.OfEvery*:OccupancySubject.ShowsWhere*:Png.DecodesToThePicture*:'\
'*RungCopies.CountLikeTheRung/*_*:*EveryRungAgain.*_*:*WhereCutShort/sm_86:*WhereCutShort/sm_90:LadderCosts.HoldUnderAllRules:*/Follow.*/tiled:*/Follow.*/volkov:'\
'GridCounts.OfTheLargest*:Waits.ALoopThatGetsOn*:Waits.APlainEndless*:Playground.IsJudged*:Cli.BothAreDrawn*:Cli.ALimitEnds*:Cli.DoctorAdvises:*EveryPicture.*at15:*EveryPicture.*at30:Cli.ControlC*:'\
'ExtrapolateGenerated.*Skipped:Cli.ExportWrites*:PhaseFollower.FindsWhatAll*:MemoryRules.AreTheLiteral*:Client.WhatTakesLong*:ProductWorkload.Projection*:'\
'EveryPicture.IsTheSame*:AsCompiled.IsWhatAnH200*:RecordLoaded.LeavesForLaterWhat*:Unfolding.ServesEvery*'

section "Format, and the template of translations"
check_format
check_texts

section "Release build, with g++"
configure release -DWARPLENS_TESTS=ON -DWARPLENS_BENCHMARKS=ON "${strict[@]}"
build release

section "Tests of the release build"
run_tests release
[[ "${1:-}" == --quick ]] && exit

section "clang-tidy of what has changed"
check_tidy_changed

section "Sanitizer build, with clang++"
configure sanitize "${strict[@]}"
build sanitize

section "Fuzzing, $kFuzzSeconds s a target"
fuzz "$kFuzzSeconds"

section "Tests and the monkey under the address and undefined-behaviour sanitizers"
run_sanitized "-$kNotSanitized" "$kMonkeySeconds"
section "All passed"
