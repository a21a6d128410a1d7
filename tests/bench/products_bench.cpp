// The replay's rate in products of matrices: one warp repeats an mma on ordinary values. 262,144 of m16n8k16
// are a product of 1024 x 1024 x 1024.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "kernels/ptx/parser.h"
#include "kernels/replay/replay.h"

namespace warplens {
namespace {

constexpr int kRepetitions = 16384;

std::string kernel_that_repeats(const std::string& mma) {
  return ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .pred %p; .reg .b32 "
         "%r<16>; .reg "
         ".f32 %f<4>; .reg .f64 %fd<4>;\n"
         "mov.u32 %r0, %tid.x; mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, "
         "%f0;\n"
         "mad.lo.u32 %r1, %r0, 66049, 1006648320; mov.b32 %r2, %r1; mov.b32 %r3, %r1; mov.b32 %r4, %r1;\n"
         "mov.f64 %fd0, 0d3ff0000000000000; mov.f64 %fd1, %fd0; mov.f64 %fd2, %fd0;\n"
         "mov.u32 %r5, 0; mov.u32 %r6, 0; mov.u32 %r7, 0; mov.u32 %r8, 0; mov.u32 %r9, 0;\nLOOP:\n" +
         mma + ";\nadd.u32 %r5, %r5, 1; setp.lt.u32 %p, %r5, " + std::to_string(kRepetitions) +
         "; @%p bra LOOP;\nret;\n}\n";
}

void repeat_mma(benchmark::State& state, const std::string& mma, const std::string& cc) {
  const auto module = ptx::parse(kernel_that_repeats(mma), "products.ptx");
  if (!module) return state.SkipWithError(module.error().message().c_str());
  const auto program = replay::Program::decode(*module, "k");
  if (!program) return state.SkipWithError(program.error().message().c_str());
  for (auto _ : state) {
    replay::Memory memory;
    const replay::Launch launch{.grid = {1}, .block = {32}, .dynamic_shared_bytes = 0, .arguments = {}};
    const auto recording = replay::run(*program, launch, memory, {.unkept_cc = cc, .threads = 1});
    if (!recording) return state.SkipWithError(recording.error().message().c_str());
  }
  state.counters["products_per_second"] =
      benchmark::Counter(static_cast<double>(kRepetitions), benchmark::Counter::kIsIterationInvariantRate);
  state.SetLabel(replay::instruction_set());
}

void register_products() {
  const std::string floats = " {%f0, %f1, %f2, %f3}, {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%f0, %f1, %f2, %f3}",
                    words = " {%r6, %r7, %r8, %r9}, {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%r6, %r7, %r8, %r9}";
  const struct {
    const char* name;
    std::string mma, cc = "9.0";
  } cases[] = {
      {"f16_f32", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" + floats},
      {"f16_f32_of_8.0", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" + floats, "8.0"},
      {"tf32", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32" + floats},
      {"e4m3", "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32" + floats},
      {"s8", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32" + words},
      {"f64", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd0, %fd1}, {%fd2}, {%fd2}, {%fd0, %fd1}"},
  };
  for (const auto& c : cases) {
    benchmark::RegisterBenchmark(("products/" + std::string(c.name)).c_str(), [mma = c.mma, cc = c.cc](
                                                                                  benchmark::State& state) {
      repeat_mma(state, mma, cc);
    })->Unit(benchmark::kMillisecond);
  }
}

const int kProductsRegistered = (register_products(), 0);

}  // namespace
}  // namespace warplens
