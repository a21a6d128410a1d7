#include "kernels/gpu/module.h"

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "device/device.h"
#include "kernels/gpu/ladder_code.h"

namespace warplens::gpu {
namespace {

constexpr const char* kStoreIndex = R"(
.version 7.0
.target sm_75
.address_size 64
.global .u32 scale = 3;
.visible .entry store_index(.param .u64 out) {
  .reg .u32 %r<4>;
  .reg .u64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  ld.global.u32 %r2, [scale];
  mul.lo.u32 %r3, %r1, %r2;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r3;
  ret;
}
)";

constexpr const char* kCallsOther = R"(
.version 7.0
.target sm_75
.address_size 64
.extern .func (.param .u32 result) twice(.param .u32 value);
.visible .entry store_twice(.param .u64 out) {
  .reg .u32 %r<3>;
  .reg .u64 %rd<2>;
  .param .u32 value;
  .param .u32 result;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, 21;
  st.param.u32 [value], %r1;
  call (result), twice, (value);
  ld.param.u32 %r2, [result];
  st.global.u32 [%rd1], %r2;
  ret;
}
)";

constexpr const char* kOther = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .func (.param .u32 result) twice(.param .u32 value) {
  .reg .u32 %r<3>;
  ld.param.u32 %r1, [value];
  add.u32 %r2, %r1, %r1;
  st.param.u32 [result], %r2;
  ret;
}
)";

// Ends when another thread's word is no longer 0: never, for these tests.
constexpr const char* kSpin = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry spin(.param .u64 word) {
  .reg .u32 %r<2>;
  .reg .u64 %rd<3>;
  .reg .pred %p<2>;
  ld.param.u64 %rd1, [word];
again:
  ld.volatile.global.u32 %r1, [%rd1];
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra again;
  ret;
}
)";

class ModuleOnGpu : public OnGpu {
 protected:
  void SetUp() override {
    OnGpu::SetUp();
    if (IsSkipped()) return;
    const Result<ContextPointer> context = Context::open();
    ASSERT_TRUE(context.ok()) << context.error().message();
    context_ = *context;
    Result<Stream> stream = Stream::create(context_);
    ASSERT_TRUE(stream.ok()) << stream.error().message();
    stream_.emplace(std::move(*stream));
  }

  /// What one block of a kernel with one argument, a buffer of words, leaves there.
  [[nodiscard]] std::vector<std::uint32_t> words_after(const Module& module, const std::string& entry,
                                                       std::uint32_t threads) const {
    std::vector<std::uint32_t> words(threads);
    const Result<Function> function = module.function(entry);
    const Result<DeviceBuffer> buffer =
        DeviceBuffer::allocate(context_, words.size() * sizeof(std::uint32_t));
    if (!function.ok() || !buffer.ok()) return {};
    Arguments arguments;
    arguments.add(buffer->address());
    const bool launched =
        buffer->fill(0, *stream_).ok() &&
        function->launch({.grid = {}, .block = {threads, 1, 1}}, *stream_, arguments).ok() &&
        stream_->wait({}).ok() && buffer->download(std::as_writable_bytes(std::span(words)), *stream_).ok() &&
        stream_->wait({}).ok();
    return launched ? words : std::vector<std::uint32_t>();
  }

  ContextPointer context_;
  std::optional<Stream> stream_;
};

TEST_F(ModuleOnGpu, RunsPtxCompiledByTheDriver) {
  const Result<Module> module = Module::load(context_, kStoreIndex);
  ASSERT_TRUE(module.ok()) << module.error().message();
  EXPECT_EQ(words_after(*module, "store_index", 4), (std::vector<std::uint32_t>{0, 3, 6, 9}));
}

TEST_F(ModuleOnGpu, FindsGlobals) {
  const Result<Module> module = Module::load(context_, kStoreIndex);
  ASSERT_TRUE(module.ok()) << module.error().message();
  const Result<Module::Global> scale = module->global("scale");
  ASSERT_TRUE(scale.ok()) << scale.error().message();
  EXPECT_EQ(scale->bytes, 4u);
  EXPECT_NE(scale->address, 0u);
  EXPECT_FALSE(module->global("scales").ok());
}

TEST_F(ModuleOnGpu, SaysWhichFunctionIsMissing) {
  const Result<Module> module = Module::load(context_, kStoreIndex);
  ASSERT_TRUE(module.ok()) << module.error().message();
  const Result<Function> function = module->function("store_indices");
  ASSERT_FALSE(function.ok());
  EXPECT_EQ(function.error().where, "store_indices");
  EXPECT_NE(function.error().what.find("CUDA error 500"), std::string::npos) << function.error().message();
}

TEST_F(ModuleOnGpu, BadPtxComesWithTheCompilersLog) {
  std::string text = kStoreIndex;
  text.replace(text.find("mul.lo.u32"), 10, "mul.up.u32");
  const Result<Module> module = Module::load(context_, text);
  ASSERT_FALSE(module.ok());
  EXPECT_NE(module.error().what.find("line 12"), std::string::npos) << module.error().message();
  const Result<Module> linked = Module::link(context_, std::array{PtxText{"bad.ptx", text}});
  ASSERT_FALSE(linked.ok());
  EXPECT_EQ(linked.error().where, "bad.ptx");
  EXPECT_NE(linked.error().what.find("line 12"), std::string::npos) << linked.error().message();
}

TEST_F(ModuleOnGpu, LinksSeveralTexts) {
  const Result<Module> module =
      Module::link(context_, std::array{PtxText{"caller.ptx", kCallsOther}, PtxText{"other.ptx", kOther}});
  ASSERT_TRUE(module.ok()) << module.error().message();
  EXPECT_EQ(words_after(*module, "store_twice", 1), (std::vector<std::uint32_t>{42}));
  const Result<Module> alone = Module::link(context_, std::array{PtxText{"caller.ptx", kCallsOther}});
  ASSERT_FALSE(alone.ok());
  EXPECT_NE(alone.error().what.find("twice"), std::string::npos) << alone.error().message();
}

TEST_F(ModuleOnGpu, KeepsToTheRegistersItMayHave) {
  const KernelDescriptor* const kernel = catalog().find("volkov_padded");
  ASSERT_NE(kernel, nullptr);
  const Result<std::string> name = mangled_entry(*kernel, "volkov_padded");
  ASSERT_TRUE(name.ok()) << name.error().message();
  const auto registers = [&](int limit) {
    const Result<Module> module =
        Module::load(context_, ladder_ptx(kernel->source_file), {.max_registers = limit});
    if (!module.ok()) return -1;
    const Result<Function> function = module->function(*name);
    const Result<FunctionAttributes> attributes =
        function.ok() ? function->attributes() : Result<FunctionAttributes>(function.error());
    return attributes.ok() ? attributes->registers : -1;
  };
  EXPECT_GT(registers(0), 32);
  EXPECT_LE(registers(32), 32);
  EXPECT_GT(registers(32), 0);
}

TEST_F(ModuleOnGpu, RefusesMoreSharedMemoryThanThereIs) {
  const Result<Module> module = Module::load(context_, kStoreIndex);
  ASSERT_TRUE(module.ok()) << module.error().message();
  const Result<Function> function = module->function("store_index");
  ASSERT_TRUE(function.ok());
  EXPECT_TRUE(
      function->allow_dynamic_shared(static_cast<std::uint32_t>(context_->gpu().shared_bytes_per_block))
          .ok());
  const Result<Done> refused = function->allow_dynamic_shared(1 << 24);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().hint.find("16777216"), std::string::npos) << refused.error().message();
}

TEST_F(ModuleOnGpu, TooLargeABlockIsAnError) {
  const Result<Module> module = Module::load(context_, kStoreIndex);
  ASSERT_TRUE(module.ok()) << module.error().message();
  const Result<Function> function = module->function("store_index");
  ASSERT_TRUE(function.ok());
  Arguments arguments;
  arguments.add(CuDevicePointer{0});
  EXPECT_FALSE(function->launch({.grid = {}, .block = {2048, 1, 1}}, *stream_, arguments).ok());
}

// What hangs or faults spoils the process's context for good: each in a process of its own, which ends with
// it.
using ModuleOnGpuDeathTest = ModuleOnGpu;

// In the child: 0 if all is as expected.
int cancel_a_kernel_that_hangs() {
  const Result<ContextPointer> context = Context::open();
  if (!context.ok()) return 1;
  const Result<Stream> stream = Stream::create(*context);
  const Result<Module> module = Module::load(*context, kSpin);
  const Result<DeviceBuffer> word = DeviceBuffer::allocate(*context, sizeof(std::uint32_t));
  if (!stream.ok() || !module.ok() || !word.ok() || !word->fill(0, *stream).ok()) return 2;
  Arguments arguments;
  arguments.add(word->address());
  if (!module->function("spin")->launch({}, *stream, arguments).ok()) return 3;
  std::atomic<bool> cancel{false};
  std::jthread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    cancel = true;
  });
  const Result<Done> waited = stream->wait({.cancel = &cancel});
  if (waited.ok() || waited.error().what != "cancelled") return 4;
  return (*context)->abandoned() ? 0 : 5;
}

int fault() {
  const Result<ContextPointer> context = Context::open();
  if (!context.ok()) return 1;
  const Result<Stream> stream = Stream::create(*context);
  const Result<Module> module = Module::load(*context, kStoreIndex);
  if (!stream.ok() || !module.ok()) return 2;
  Arguments arguments;
  arguments.add(CuDevicePointer{16});
  if (!module->function("store_index")->launch({}, *stream, arguments).ok()) return 3;
  const Result<Done> waited = stream->wait({});
  if (waited.ok() || waited.error().what.find("CUDA error 700") == std::string::npos) return 4;
  return (*context)->memory().ok() ? 5 : 0;
}

TEST_F(ModuleOnGpuDeathTest, ACancelledHangAbandonsItsContext) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::_Exit(cancel_a_kernel_that_hangs()), testing::ExitedWithCode(0), "");
}

TEST_F(ModuleOnGpuDeathTest, AFaultIsNamedAndSpoilsTheContext) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::_Exit(fault()), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace warplens::gpu
