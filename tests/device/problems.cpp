#include "device/problems.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "kernels/catalog/workload.h"

namespace warplens::gpu {
namespace {

struct Shape3 {
  std::uint64_t m, p, n;
};
constexpr Shape3 kShapes[] = {{33, 65, 17}, {1, 1, 1}, {70, 31, 50}};

constexpr int kWords = 2048;
const std::string kTouch = "ld.global.u32 %r4, [%rd1];\nadd.u32 %r4, %r4, 1;\nst.global.u32 [%rd1], %r4;\n";

/// `begin` puts into %rd3 where an inner loop begins, %r2 counts the outer loop; the inner loop does `body`
/// so often as %r5 says, or once.
std::string nested(const std::string& begin, const std::string& body, int outer = 5) {
  return "OUTER:\nmov.u32 %r3, 0;\n" + begin + "INNER:\n" + body +
         "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, %r5;\n@%p1 bra INNER;\nadd.u32 %r2, %r2, "
         "1;\nsetp.lt.u32 %p1, %r2, " +
         std::to_string(outer) + ";\n@%p1 bra OUTER;\n";
}
const std::string kFour = "mov.u32 %r5, 4;\n", kHere = "mov.u64 %rd3, %rd1;\n";
const std::string kLoad = "ld.global.u32 %r4, [%rd3];\nadd.s64 %rd3, %rd3, 36;\n";
const std::string kFurther = "mul.wide.u32 %rd2, %r2, 100;\nadd.s64 %rd3, %rd1, %rd2;\n";

std::string read_ptx_of(const std::string& source, const std::string& target) {
  std::ifstream file(WARPLENS_TEST_DATA "/ptx/" + source + "." + target + ".ptx", std::ios::binary);
  EXPECT_TRUE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Two blocks of 70 threads, or as many as said.
class CallingKernel {
 public:
  CallingKernel(const std::string& text, const std::string& entry, Dim3 block = {70, 1, 1})
      : run_{.name = entry,
             .ptx = text,
             .entry = entry,
             .launch = {.grid = {2, 1, 1}, .block = block, .dynamic_shared_bytes = 0, .arguments = {}},
             .memory = {}} {}

  CallingKernel& buffer(std::size_t words, int most) {
    std::vector<std::byte> bytes(words * sizeof(int));
    for (std::size_t i = 0; i < words && most != 0; ++i) {
      const int value = static_cast<int>((i * 7919 + i / 3) % static_cast<std::size_t>(most));
      std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
    }
    Buffer description;
    description.name = "buffer" + std::to_string(run_.memory.buffers().size());
    description.columns = description.pitch = words;
    run_.launch.arguments.emplace_back(
        replay::BufferArgument{run_.memory.add(description, std::move(bytes))});
    return *this;
  }
  CallingKernel& scalar(int value) {
    std::vector<std::byte> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    run_.launch.arguments.emplace_back(replay::ScalarArgument{std::move(bytes)});
    return *this;
  }
  CallingKernel& floats(std::size_t count) {
    std::vector<std::byte> bytes(count * sizeof(float));
    for (std::size_t i = 0; i < count; ++i) {
      const float value = static_cast<float>(i * 37 % 101) / 8;
      std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
    }
    Buffer description;
    description.name = "floats";
    description.type = ElementType::f32;
    description.columns = description.pitch = count;
    run_.launch.arguments.emplace_back(
        replay::BufferArgument{run_.memory.add(description, std::move(bytes))});
    return *this;
  }
  /// Texels of floats are small numbers, others any.
  CallingKernel& texture(Texture texture) {
    constexpr std::uint64_t kPitchAlignment = 32;
    const std::uint64_t row = std::uint64_t{texture.width} * texture.texel_bytes();
    texture.pitch_bytes = texture.in_memory && texture.dimensions() == 2
                              ? (row + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment
                              : row;
    const bool floats = texture.type == TexelType::f32;
    floats_or_words(texture.bytes(), floats);
    run_.launch.arguments.back() = replay::TextureArgument{
        std::get<replay::BufferArgument>(run_.launch.arguments.back()).buffer, texture};
    return *this;
  }
  CallingKernel& number(float value) {
    std::vector<std::byte> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    run_.launch.arguments.emplace_back(replay::ScalarArgument{std::move(bytes)});
    return *this;
  }
  CallingKernel& grid(std::uint32_t blocks) {
    run_.launch.grid.x = blocks;
    return *this;
  }
  CallingKernel& shared(std::uint32_t bytes) {
    run_.launch.dynamic_shared_bytes = bytes;
    return *this;
  }
  ProblemToRun run() { return std::move(run_); }

 private:
  void floats_or_words(std::uint64_t bytes, bool are_floats) {
    const std::size_t words = (bytes + sizeof(int) - 1) / sizeof(int);
    are_floats ? floats(words) : buffer(words, 1 << 30);
  }

  ProblemToRun run_;
};

}  // namespace

ProblemToRun problem_of(const KernelDescriptor& kernel, std::uint64_t m, std::uint64_t p, std::uint64_t n) {
  const auto extent = [&](char name, std::uint64_t value) {
    return kernel.has_extent(name) ? std::optional(value) : std::nullopt;
  };
  const Result<Problem> problem =
      make_problem(kernel, extent('m', m), extent('p', p), extent('n', n), {}, kernel.value_types.front());
  EXPECT_TRUE(problem.ok()) << problem.error().message();
  const LaunchPlan plan = kernel.plan(*problem);
  Workload workload = make_workload(kernel, *problem, plan);
  ProblemToRun run{.name = kernel.id + " " + std::to_string(m),
                   .ptx = std::string(ladder_ptx(kernel.source_file)),
                   .entry = plan.entry,
                   .launch = {.grid = plan.grid,
                              .block = plan.block,
                              .dynamic_shared_bytes = plan.dynamic_shared_bytes,
                              .arguments = {}},
                   .memory = {}};
  for (std::uint32_t k = 0; k < workload.arguments.size(); ++k) {
    if (const auto* const buffer = std::get_if<std::uint32_t>(&workload.arguments[k])) {
      run.launch.arguments.emplace_back(replay::BufferArgument{*buffer});
    } else {
      run.launch.arguments.emplace_back(
          replay::ScalarArgument{.bytes = std::get<std::vector<std::byte>>(workload.arguments[k]),
                                 .addresses = workload.scalar_addresses[k]});
    }
  }
  for (std::size_t i = 0; i < workload.buffers.size(); ++i)
    run.memory.add(workload.buffers[i], std::move(workload.contents[i]));
  return run;
}

std::vector<ProblemToRun> odd_problems(const KernelDescriptor& kernel) {
  std::vector<ProblemToRun> problems;
  for (const Shape3& shape : kShapes) problems.push_back(problem_of(kernel, shape.m, shape.p, shape.n));
  return problems;
}

bool polls_mbarriers(const std::string& ptx) {
  return ptx.find("mbarrier.try_wait") != std::string::npos ||
         ptx.find("mbarrier.test_wait") != std::string::npos;
}

void forget_polls(const std::string& ptx, const Recording& replayed, Recording& recorded) {
  if (!polls_mbarriers(ptx)) return;
  recorded.warp_instructions = replayed.warp_instructions;
  recorded.thread_instructions = replayed.thread_instructions;
}

std::vector<std::string> recordable_kernels() {
  std::vector<std::string> ids;
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    if (!kernel.fault) ids.push_back(kernel.id);
  }
  return ids;
}

const std::vector<ShortCode>& divergent_codes() {
  static const std::vector<ShortCode> kCodes{
      {"if and else", "and.b32 %r5, %r1, 3;\nsetp.eq.u32 %p1, %r5, 1;\n@%p1 bra ELSE;\n" + kTouch +
                          "bra.uni END;\nELSE:\n" + kTouch + kTouch + "END:\n" + kTouch},
      {"loops of different lengths",
       "and.b32 %r5, %r1, 7;\nLOOP:\n" + kTouch +
           "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, %r5;\n@%p1 bra LOOP;\n" + kTouch},
      {"a branch in a loop of different lengths in a branch",
       "setp.gt.u32 %p1, %r1, 40;\n@!%p1 bra END;\nand.b32 %r5, %r1, 7;\nLOOP:\n" + kTouch +
           "xor.b32 %r6, %r1, %r2;\nand.b32 %r6, %r6, 1;\nsetp.eq.u32 %p2, %r6, 0;\n@%p2 bra NEXT;\n" +
           kTouch + "NEXT:\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, %r5;\n@%p1 bra LOOP;\n" + kTouch +
           "END:\n" + kTouch},
      {"some leave a loop, and the kernel", "and.b32 %r5, %r1, 7;\nLOOP:\n" + kTouch +
                                                "setp.eq.u32 %p2, %r2, %r5;\n@%p2 exit;\nadd.u32 %r2, %r2, "
                                                "1;\nsetp.lt.u32 %p1, %r2, 5;\n@%p1 bra LOOP;\n" +
                                                kTouch},
      {"all that do not take a branch leave before the others would meet them",
       "and.b32 %r5, %r1, 3;\nsetp.eq.u32 %p1, %r5, 1;\n@%p1 bra TAKEN;\n" + kTouch +
           "setp.lt.u32 %p2, %r1, 40;\n@%p2 exit;\n" + kTouch + "bra.uni END;\nTAKEN:\n" + kTouch + "END:\n" +
           kTouch + kTouch},
      {"some return at once", "setp.lt.u32 %p1, %r1, 20;\n@%p1 ret;\n" + kTouch},
      {"some break out of two loops",
       "and.b32 %r5, %r1, 7;\nOUTER:\nmov.u32 %r3, 0;\nINNER:\n" + kTouch +
           "add.u32 %r6, %r2, %r3;\nsetp.gt.u32 %p2, %r6, %r5;\n@%p2 bra DONE;\nadd.u32 %r3, %r3, "
           "1;\nsetp.lt.u32 %p1, %r3, 3;\n@%p1 bra INNER;\n" +
           kTouch + "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 3;\n@%p1 bra OUTER;\nDONE:\n" + kTouch},
      {"many targets",
       "and.b32 %r5, %r1, 3;\nTARGETS: .branchtargets A, B, C, END;\nbrx.idx %r5, TARGETS;\nA:\n" + kTouch +
           "bra.uni END;\nB:\n" + kTouch + kTouch + "bra.uni END;\nC:\n" + kTouch + "END:\n" + kTouch},
      {"a branch on a carry",
       "add.cc.u32 %r5, %r1, 0xffffffe0;\naddc.u32 %r6, 0, 0;\nsetp.ne.u32 %p1, %r6, 0;\nshr.u32 %r5, %r1, "
       "1;\nadd.cc.u32 %r5, %r5, "
       "0xfffffff0;\naddc.u32 %r6, 0, 0;\nsetp.ne.u32 %p2, %r6, 0;\n@%p2 bra END;\n" +
           kTouch + "END:\n" + kTouch},
      {"an address off what lies behind the buffer",
       "add.s64 %rd2, %rd1, 4;\nld.global.u32 %r4, [%rd2+-4];\nadd.u32 %r4, %r4, 1;\nst.global.u32 "
       "[%rd2+-4], %r4;\n"},
      {"warps meet at barriers of their own",
       "setp.gt.u32 %p1, %r1, 31;\n@%p1 bra OTHERS;\nFIRST: st.shared.u32 [tile], %r2;\nbar.sync 0;\n" +
           kTouch +
           "bar.sync 0;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, 3;\n@%p2 bra FIRST;\nbra.uni "
           "END;\nOTHERS:\n" +
           kTouch +
           "bar.sync 0;\nld.shared.u32 %r4, [tile];\nbar.sync 0;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, "
           "%r2, 3;\n@%p2 bra OTHERS;\nEND:\n" +
           kTouch},
      {"a guarded access",
       "and.b32 %r5, %r1, 3;\nsetp.eq.u32 %p1, %r5, 1;\n@%p1 st.global.u32 [%rd1], %r5;\n" + kTouch},
  };
  return kCodes;
}

const std::vector<ShortCode>& nested_loops() {
  static const std::vector<ShortCode> kCodes{
      {"the same each time", kFour + nested(kHere, kLoad)},
      {"further on each time", kFour + nested(kFurther, kLoad)},
      {"further on by another way each time",
       kFour + nested("mul.lo.u32 %r6, %r2, %r2;\nmul.wide.u32 %rd2, %r6, 4;\nadd.s64 %rd3, %rd1, %rd2;\n",
                      kLoad)},
      {"backwards", "mov.u32 %r5, 6;\n" + nested(kFurther + "add.s64 %rd3, %rd3, 800;\n",
                                                 "ld.global.u32 %r4, [%rd3];\nadd.s64 %rd3, %rd3, -36;\n")},
      {"longer each time", nested("add.u32 %r5, %r2, 1;\n" + kFurther, kLoad, 6)},
      {"longer the last time",
       kFour + nested("setp.eq.u32 %p2, %r2, 4;\n@%p2 mov.u32 %r5, 7;\n" + kFurther, kLoad)},
      {"shorter the last time",
       kFour + nested("setp.eq.u32 %p2, %r2, 4;\n@%p2 mov.u32 %r5, 1;\n" + kFurther, kLoad)},
      {"once each time", "mov.u32 %r5, 1;\n" + nested(kFurther, kLoad)},
      {"once each time but one",
       "mov.u32 %r5, 1;\n" +
           nested("setp.eq.u32 %p2, %r2, 2;\nselp.u32 %r5, 3, 1, %p2;\n" + kFurther, kLoad)},
      {"by other steps from the middle on",
       kFour + nested("setp.lt.u32 %p2, %r2, 3;\nselp.b64 %rd2, 4, 20, %p2;\n" + kHere,
                      "ld.global.u32 %r4, [%rd3];\nadd.s64 %rd3, %rd3, %rd2;\n", 7)},
      {"two addresses that keep their distance within the loop alone",
       kFour + nested("mul.lo.u32 %r6, %r2, %r2;\nmul.wide.u32 %rd2, %r6, 4;\n" + kHere,
                      "add.s64 %rd0, %rd3, %rd2;\nld.global.u32 %r4, [%rd3];\nld.global.u32 %r6, "
                      "[%rd0];\nadd.s64 %rd3, %rd3, 36;\n")},
      {"under a guard, the same each time",
       kFour + nested(kFurther,
                      "and.b32 %r6, %r1, 3;\nsetp.eq.u32 %p3, %r6, 1;\n@%p3 ld.global.u32 %r4, "
                      "[%rd3];\nadd.s64 %rd3, %rd3, 36;\n")},
      {"under a guard, another each time",
       kFour + nested(kFurther,
                      "add.u32 %r6, %r1, %r2;\nand.b32 %r6, %r6, 3;\nsetp.ne.u32 %p3, %r6, 1;\n@%p3 "
                      "ld.global.u32 %r4, [%rd3];\n"
                      "@%p3 add.u32 %r7, %r7, 1;\nadd.s64 %rd3, %rd3, 36;\n")},
      {"of other lengths in other lanes", "and.b32 %r5, %r1, 3;\n" + nested(kFurther, kLoad)},
      {"of other lengths in other lanes each time",
       nested("add.u32 %r5, %r1, %r2;\nand.b32 %r5, %r5, 3;\n" + kFurther, kLoad)},
      {"left by some lanes sooner",
       kFour + nested(kFurther, kLoad + "setp.eq.u32 %p2, %r1, %r2;\n@%p2 ret;\n")},
      {"continued from its middle",
       kFour + nested(kFurther, kLoad +
                                    "add.u32 %r6, %r3, %r1;\nand.b32 %r6, %r6, 1;\nsetp.eq.u32 %p2, %r6, "
                                    "0;\n@%p2 bra NEXT;\n" +
                                    kTouch + "NEXT:\n")},
      {"with two ways back",
       kFour +
           nested(
               kFurther,
               kLoad +
                   "add.u32 %r3, %r3, 1;\nand.b32 %r6, %r3, 1;\nsetp.eq.u32 %p2, %r6, 1;\n@%p2 bra INNER;\n" +
                   kTouch)},
      {"gone round by some lanes, then by the others",
       "and.b32 %r5, %r1, 3;\nsetp.eq.u32 %p2, %r5, 0;\nmov.u32 %r2, 0;\n@%p2 bra "
       "SECOND;\nFIRST:\nmul.wide.u32 %rd2, %r2, 8;\n"
       "add.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r4, [%rd3];\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, "
       "%r5;\n@%p1 bra FIRST;\n"
       "SECOND:\nsetp.ne.u32 %p2, %r5, 0;\n@%p2 bra LAST;\nmov.u32 %r2, 0;\nROUND:\nmul.wide.u32 %rd2, %r2, "
       "4;\n"
       "add.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r4, [%rd3];\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, "
       "4;\n@%p1 bra ROUND;\nLAST:\n"
       "ld.global.u32 %r4, [%rd1];\n"},
      {"in three loops", kFour + "mov.u32 %r7, 0;\nOUTERMOST:\nmov.u32 %r2, 0;\n" + nested(kFurther, kLoad) +
                             "add.u32 %r7, %r7, 1;\nsetp.lt.u32 %p1, %r7, 3;\n@%p1 bra OUTERMOST;\n"},
      {"shared memory, by turns in two halves",
       kFour + nested("mov.u32 %r6, tile;\nmad.lo.u32 %r6, %r2, 4, %r6;\n",
                      "st.shared.u32 [%r6], %r5;\nxor.b32 %r6, %r6, 256;\n")},
      {"shared memory, a phase each time",
       kFour + nested("bar.sync 0;\nmov.u32 %r6, tile;\nmad.lo.u32 %r6, %r2, 4, %r6;\n",
                      "st.shared.u32 [%r6], %r3;\nadd.u32 %r6, %r6, 12;\n")},
  };
  return kCodes;
}

const std::vector<ShortCode>& codes_of_other_forms() {
  static const std::vector<ShortCode> kCodes{
      {"registers of a scope hide others",
       "mov.u64 %rd3, %rd1;\n{\n.reg .b64 %rd<3>, t;\nmov.u64 t, %rd3;\nadd.s64 %rd1, t, 8;\nld.global.u32 "
       "%r4, [%rd1];\n"
       "ld.global.u32 %r4, [t+4];\n}\n" +
           kTouch},
      {"a loop in a scope, by registers of its own",
       "mov.u64 %rd3, %rd1;\n{\n.reg .b64 at, by;\n.reg .pred %p1;\n.reg .b32 %r2;\nmov.u64 by, 36;\nmov.u64 "
       "at, %rd3;\nmov.u32 %r2, 0;\nLOOP:\n"
       "ld.global.u32 %r4, [at];\nld.global.u32 %r4, [at+8];\nadd.s64 at, at, by;\nadd.u32 %r2, %r2, "
       "1;\nsetp.lt.u32 %p1, %r2, 6;\n@%p1 bra "
       "LOOP;\n}\n" +
           kTouch},
      {"labels of one name",
       "{\nLOOP:\n" + kTouch +
           "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 3;\n@%p1 bra LOOP;\n}\n{\nLOOP:\n" + kTouch +
           "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 7;\n@!%p1 bra END;\nbra LOOP;\n}\nEND:\n" + kTouch},
      {"variables declared where they are used",
       "mul.lo.u32 %r5, %r1, 4;\nmov.u32 %r6, tile;\nadd.u32 %r6, %r6, %r5;\nst.shared.u32 [%r6], "
       "%r1;\n.shared .align 4 .b8 late[400];\n"
       "mov.u32 %r6, late;\nadd.u32 %r6, %r6, %r5;\nst.shared.u32 [%r6], %r1;\n.local .align 4 .b8 "
       "own[16];\nst.local.u32 [own+4], %r1;\n"
       "ld.local.u32 %r4, [own+4];\n.reg .b32 later;\nmov.u32 later, outside;\nadd.u32 later, later, "
       "%r5;\nst.shared.u32 [later], %r1;\n"
       ".shared .align 4 .b8 last[400];\nst.shared.u32 [last+8], %r2;\n"},
      {"variables of one name",
       "mul.lo.u32 %r5, %r1, 4;\n{\n.shared .align 4 .b8 x[400];\nmov.u32 %r6, x;\nadd.u32 %r6, %r6, "
       "%r5;\nst.shared.u32 [%r6], %r1;\n}\n"
       "bar.sync 0;\n{\n.shared .align 4 .b8 x[800];\nmov.u32 %r6, x;\nmad.lo.u32 %r6, %r1, 8, "
       "%r6;\nst.shared.u32 [%r6], %r1;\n}\n"},
      {"a vector in a scope",
       "{\n.reg .b32 lo, hi;\nmov.b64 {lo, hi}, %rd1;\nmov.b64 %rd3, {lo, hi};\n}\nld.global.u32 %r4, "
       "[%rd3];\n"},
      {"a loop back to the first instruction",
       "mov.u32 %r5, %ctaid.x;\nmul.wide.u32 %rd2, %r5, 1024;\nadd.s64 %rd1, %rd1, %rd2;\n" + kTouch +
           "setp.lt.u32 %p1, %r4, 4;\n@%p1 bra FIRST;\n",
       "FIRST:\n"},
      {"lanes exchange what they have, in the old way",
       "{\n.reg .b32 %r<5>;\nmov.u32 %r3, %tid.x;\nshfl.idx.b32 %r4, %r3, 0, 31;\nmul.wide.u32 %rd2, %r4, "
       "4;\n}\nadd.s64 %rd3, %rd0, %rd2;\n"
       "ld.global.u32 %r4, [%rd3];\n",
       "ld.param.u64 %rd0, [k_out];\n", "sm_60"},
      {"for an architecture whose lanes share a schedule",
       "and.b32 %r5, %r1, 3;\nsetp.eq.u32 %p1, %r5, 1;\n@%p1 bra ELSE;\n" + kTouch + "bra.uni END;\nELSE:\n" +
           kTouch + kTouch + "END:\n" + kTouch,
       "", "sm_52"},
  };
  return kCodes;
}

const std::vector<ShortCode>& codes_of_copies() {
  // %r6: the thread's word of `pad`; %r7: the thread's row of 16 bytes there
  const std::string begin =
      ".shared .align 16 .b8 pad[2048];\nmul.lo.u32 %r5, %r1, 4;\nmov.u32 %r6, pad;\nand.b32 %r7, %r1, "
      "31;\nmad.lo.u32 %r7, %r7, 16, %r6;\nadd.u32 %r6, %r6, %r5;\nshr.u32 %r5, %r1, 5;\nmad.lo.u32 %r7, "
      "%r5, "
      "512, %r7;\n";
  const std::string land = "cp.async.commit_group;\ncp.async.wait_group 0;\n";
  const std::string result = "bar.sync 0;\nld.shared.u32 %r4, [%r6];\nst.global.u32 [%rd1], %r4;\n";
  std::string fill;
  for (int at = 0; at < 1848; at += 77 * 4) fill += "st.shared.u32 [%r6+" + std::to_string(at) + "], %r1;\n";
  fill += "bar.sync 0;\n";
  const auto of = [&](const char* what, const std::string& body, const char* target = "sm_80",
                      const char* version = "7.8") {
    return ShortCode{what, begin + body, "", target, version};
  };
  static const std::vector<ShortCode> kCodes{
      of("copies by all lanes", "cp.async.ca.shared.global [%r6], [%rd1], 4;\n" + land + result),
      of("copies of which some read nothing",
         "and.b32 %r5, %r1, 4;\ncp.async.ca.shared.global [%r6], [%rd1], 4, %r5;\n" + land + result),
      of("copies that read nothing", "cp.async.ca.shared.global [%r6], [%rd1], 4, 0;\n" + land + result),
      of("guarded copies",
         "and.b32 %r5, %r1, 6;\nsetp.ne.u32 %p1, %r5, 4;\nst.shared.u32 [%r6], %r1;\n@%p1 "
         "cp.async.ca.shared.global "
         "[%r6], [%rd1], 4;\n@!%p1 cp.async.ca.shared.global [%r6], [%rd1+8], 4, %r5;\n" +
             land + result),
      of("copies beside loads and stores of the same addresses",
         "ld.global.u32 %r4, [%rd1];\nst.shared.u32 [%r6], %r4;\ncp.async.ca.shared.global [%r6], [%rd1], "
         "4;\ncp.async.ca.shared.global [%r6+1024], [%rd1+16], 4;\n" +
             land + "ld.shared.u32 %r4, [%r6+1024];\n" + result),
      of("a loop of copies, some of them of lanes that part",
         "LOOP:\nadd.u32 %r5, %r1, %r2;\nand.b32 %r5, %r5, 3;\nsetp.eq.u32 %p1, %r5, 0;\n@%p1 bra "
         "SKIP;\ncp.async.ca.shared.global [%r6], [%rd1], 4;\n" +
             land +
             "SKIP:\nadd.s64 %rd1, %rd1, 4;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, 9;\n@%p2 bra "
             "LOOP;\n"),
      of("matrices that are loaded",
         fill + "LOOP:\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, "
                "[%r7];\nldmatrix.sync.aligned.m8n8.x2.trans."
                "shared.b16 {%r4, %r5}, [%r7+16];\nldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r3, %r4, %r5, "
                "%r8}, "
                "[%r7];\nadd.u32 %r7, %r7, 16;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, 5;\n@%p2 bra "
                "LOOP;\nst.global.u32 [%rd1], %r4;\n"),
      of("matrices by generic addresses",
         fill +
             "cvt.u64.u32 %rd3, %r7;\ncvta.shared.u64 %rd3, %rd3;\nldmatrix.sync.aligned.m8n8.x2.b16 {%r4, "
             "%r5}, [%rd3];\nst.global.u32 [%rd1], %r4;\n"),
      of("matrices that are stored",
         fill +
             "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r7], {%r1, %r2};\nbar.sync "
             "0;\nstmatrix.sync.aligned."
             "m8n8.x4.trans.shared.b16 [%r7], {%r1, %r1, %r1, %r1};\n" +
             result,
         "sm_90")};
  return kCodes;
}

const std::vector<ShortCode>& codes_of_fragments() {
  // %r6: the block's `pad`, which is all written; %rd0: the first byte of the buffer
  const std::string begin =
      ".shared .align 32 .b8 pad[2048];\n.reg .b32 %h<9>;\n.reg .f32 %f<9>;\n.reg .f64 %d<3>;\n"
      "ld.param.u64 %rd0, [k_out];\nmov.u32 %r6, pad;\nmad.lo.u32 %r7, %r1, 4, %r6;\n";
  std::string fill;
  for (int at = 0; at < 1848; at += 77 * 4) fill += "st.shared.u32 [%r7+" + std::to_string(at) + "], %r1;\n";
  fill += "bar.sync 0;\n";
  const std::string a = "{%h1, %h2, %h3, %h4, %h5, %h6, %h7, %h8}",
                    c = "{%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}";
  const auto of = [&](const char* what, const std::string& body) {
    return ShortCode{what, begin + fill + body + "st.global.u32 [%rd1], %h1;\n", "", "sm_80", "7.8"};
  };
  const std::string whole_warps = "shr.u32 %r5, %r1, 5;\nsetp.lt.u32 %p1, %r5, 2;\n@!%p1 bra END;\n";
  const std::string first_warp = "setp.lt.u32 %p1, %r1, 32;\n@!%p1 bra END;\n";
  static const std::vector<ShortCode> kCodes{
      of("matrices by rows and columns",
         whole_warps + "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 " + a +
             ", [pad], 24;\nwmma.load.b.sync.aligned.col.m16n16k16.shared.f16 " + a +
             ", [pad+32], 16;\nwmma.load.a.sync.aligned.col.m16n16k16.shared.f16 " + a + ", [pad];\nEND:\n"),
      of("strides in registers", whole_warps +
                                     "and.b32 %r8, %r3, 0;\nadd.u32 %r8, %r8, "
                                     "16;\nwmma.load.a.sync.aligned.row.m32n8k16.shared.f16 " +
                                     a + ", [%r6], %r8;\nwmma.load.b.sync.aligned.row.m8n32k16.shared.f16 " +
                                     a + ", [%r6+16], %r8;\nEND:\n"),
      of("matrices in global memory", whole_warps + "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 " + c +
                                          ", [%rd0], 16;\nwmma.load.c.sync.aligned.col.m16n16k16.f32 " + c +
                                          ", [%rd0+64], 16;\nEND:\n"),
      of("a loop of matrices that are loaded and stored",
         "LOOP:\n" + first_warp + "wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 " + c +
             ", [%r6], 16;\nbar.warp.sync -1;\nwmma.store.d.sync.aligned.col.m16n16k16.shared.f32 "
             "[%r6+512], " +
             c +
             ", 16;\nbar.warp.sync -1;\nEND:\nadd.u32 %r6, %r6, 64;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, "
             "%r2, 7;\n@%p2 bra "
             "LOOP;\n"),
      of("matrices of narrow and of wide elements",
         whole_warps + "wmma.load.a.sync.aligned.row.m16n16k16.shared.u8 {%h1, %h2}, [%r6], 32;\n"
                       "wmma.load.b.sync.aligned.col.m8n8k32.shared.s4 {%h1}, [%r6], 64;\n"
                       "wmma.load.a.sync.aligned.row.m8n8k4.shared.f64 {%d1}, [%r6], 8;\n"
                       "wmma.load.c.sync.aligned.col.m8n8k4.shared.f64 {%d1, %d2}, [%r6], 8;\nEND:\n"),
      of("guarded matrices",
         "setp.lt.u32 %p1, %r1, 32;\n@%p1 wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 " + a +
             ", [%r6], 16;\n@%p1 wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 " + a + ", [%r6], 24;\n"),
      of("a matrix by a generic address", whole_warps +
                                              "cvt.u64.u32 %rd3, %r6;\ncvta.shared.u64 %rd3, "
                                              "%rd3;\nwmma.load.a.sync.aligned.row.m16n16k16.f16 " +
                                              a + ", [%rd3], 16;\nEND:\n")};
  return kCodes;
}

ProblemToRun problem_of(const ShortCode& code) {
  ProblemToRun run{
      .name = code.what,
      .ptx = ".version " + code.version + "\n.target " + code.target +
             "\n.address_size 64\n.shared .align 4 .b8 outside[400];\n.visible .entry k(.param .u64 "
             "k_out)\n{\n.reg .pred %p<9>;\n.reg .b32 %r<9>;\n"
             ".reg .b64 %rd<4>;\n.shared .align 4 .b8 tile[512];\n" +
             code.begin +
             "ld.param.u64 %rd1, [k_out];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, "
             "%r1, 4;\nadd.s64 %rd1, %rd1, %rd2;\n"
             "mov.u32 %r2, 0;\nmov.u32 %r3, 0;\n" +
             code.body + "\nret;\n}\n",
      .entry = "k",
      .launch = {.grid = {2, 1, 1}, .block = {77, 1, 1}, .dynamic_shared_bytes = 0, .arguments = {}},
      .memory = {}};
  Buffer out;
  out.name = "out";
  out.columns = out.pitch = kWords;
  run.launch.arguments.emplace_back(
      replay::BufferArgument{run.memory.add(out, std::vector<std::byte>(kWords * 4))});
  return run;
}

std::vector<ProblemToRun> kernels_that_call(const std::string& target, std::uint32_t blocks) {
  const std::string text = read_ptx_of("calls", target);
  const std::size_t n = std::size_t{70} * blocks, tiles = std::size_t{64} * blocks;
  std::vector<ProblemToRun> problems;
  problems.push_back(
      CallingKernel(text, "weigh_rows").grid(blocks).buffer(n + 256, 50).buffer(n, 0).scalar(6).run());
  problems.push_back(
      CallingKernel(text, "walk_tree").grid(blocks).buffer(21, 50).buffer(n, 0).scalar(21).run());
  problems.push_back(CallingKernel(text, "take_steps").grid(blocks).buffer(2 * n, 9).scalar(7).run());
  problems.push_back(
      CallingKernel(text, "find_some").grid(blocks).buffer(64, 20).buffer(n, 0).scalar(60).run());
  problems.push_back(
      CallingKernel(text, "end_early").grid(blocks).buffer(64, 60).buffer(n, 0).scalar(9).run());
  problems.push_back(CallingKernel(text, "turn_tiles", {64, 1, 1})
                         .grid(blocks)
                         .buffer(tiles, 50)
                         .buffer(tiles, 0)
                         .scalar(5)
                         .shared(256)
                         .run());
  problems.push_back(
      CallingKernel(text, "keep_list").grid(blocks).buffer(n, 64).buffer(n, 0).scalar(6).run());
  return problems;
}

ProblemToRun kernel_that_calls(const std::string& name, const std::string& target, std::uint32_t blocks) {
  std::vector<ProblemToRun> problems = kernels_that_call(target, blocks);
  return std::move(*std::find_if(problems.begin(), problems.end(),
                                 [&](const ProblemToRun& problem) { return problem.name == name; }));
}

ProblemToRun kernel_that_allocates(const std::string& target) {
  return CallingKernel(read_ptx_of("calls", target), "keep_array")
      .buffer(200, 0)
      .buffer(400, 0)
      .scalar(12)
      .run();
}

std::vector<ProblemToRun> kernels_that_wait_for_the_grid(const std::string& target, std::uint32_t blocks) {
  const std::string text = read_ptx_of("grid_sync", target);
  const auto threads = static_cast<std::size_t>(blocks) * 64;
  std::vector<ProblemToRun> problems;
  problems.push_back(CallingKernel(text, "reduce", {64, 1, 1})
                         .grid(blocks)
                         .buffer(1000, 50)
                         .buffer(blocks, 0)
                         .buffer(1, 0)
                         .scalar(1000)
                         .run());
  problems.push_back(CallingKernel(text, "diffuse", {64, 1, 1})
                         .grid(blocks)
                         .buffer(threads, 50)
                         .buffer(threads, 0)
                         .scalar(5)
                         .run());
  return problems;
}

std::vector<ProblemToRun> kernels_with_textures(const std::string& target) {
  using S = TextureShape;
  using T = TexelType;
  const std::string text = read_ptx_of("textures", target);
  std::vector<ProblemToRun> problems;
  const auto add = [&](CallingKernel kernel, const std::string& what) {
    problems.push_back(kernel.run());
    problems.back().name += ", " + what;
  };
  for (const AddressMode mode :
       {AddressMode::wrap, AddressMode::clamp, AddressMode::mirror, AddressMode::border}) {
    const std::string what = "mode " + std::to_string(static_cast<int>(mode));
    const bool linear = mode == AddressMode::clamp || mode == AddressMode::mirror;
    const Texture picture{.width = 100, .height = 2, .linear_filter = linear, .address_mode = mode};
    add(CallingKernel(text, "blur").texture(picture).floats(3 * 140).scalar(2), what);
    const Texture volume{.shape = S::three,
                         .width = 11,
                         .height = 3,
                         .depth = 2,
                         .normalized_coordinates = !linear,
                         .linear_filter = !linear,
                         .address_mode = mode};
    const Texture colours{.shape = S::one,
                          .type = T::u8,
                          .channels = 4,
                          .width = 16,
                          .normalized_coordinates = true,
                          .linear_filter = true,
                          .normalized_values = true,
                          .address_mode = mode};
    add(CallingKernel(text, "march").texture(volume).texture(colours).floats(140).number(0.375f), what);
  }
  const Texture pitched{.width = 50, .height = 5, .in_memory = true, .linear_filter = true};
  add(CallingKernel(text, "blur").texture(pitched).floats(3 * 140).scalar(3), "pitched");
  add(CallingKernel(text, "weighed").texture(pitched).floats(4).floats(140), "pitched");
  add(CallingKernel(text, "gather")
          .texture({.shape = S::one, .type = T::i32, .width = 300, .in_memory = true})
          .texture({.shape = S::layered_two,
                    .type = T::u8,
                    .channels = 4,
                    .width = 8,
                    .height = 3,
                    .depth = 4,
                    .address_mode = AddressMode::border})
          .texture({.shape = S::layered_one, .type = T::i16, .width = 19, .depth = 3})
          .buffer(140, 0)
          .scalar(12),
      "points");
  add(CallingKernel(text, "corners")
          .texture({.channels = 2, .width = 40, .height = 12, .address_mode = AddressMode::border})
          .floats(140),
      "points");
  for (const bool linear : {false, true}) {
    const Texture sky{.shape = S::cube,
                      .width = 12,
                      .height = 12,
                      .depth = 6,
                      .normalized_coordinates = true,
                      .linear_filter = linear};
    const Texture skies{.shape = S::layered_cube,
                        .type = T::u16,
                        .channels = 2,
                        .width = 5,
                        .height = 5,
                        .depth = 18,
                        .normalized_coordinates = true,
                        .linear_filter = linear,
                        .normalized_values = true,
                        .address_mode = AddressMode::border};
    add(CallingKernel(text, "look_around").texture(sky).texture(skies).floats(140).scalar(6),
        linear ? "linear" : "points");
  }
  for (const int shift : {0, -3, 5}) {
    add(CallingKernel(text, "stamp", {32, 1, 1})
            .texture({.type = T::i32, .width = 16, .height = 4, .is_surface = true})
            .texture({.shape = S::three,
                      .type = T::i16,
                      .channels = 2,
                      .width = 8,
                      .height = 4,
                      .depth = 4,
                      .is_surface = true})
            .texture({.shape = S::layered_one, .type = T::u8, .width = 16, .depth = 2, .is_surface = true})
            .scalar(shift),
        "shift " + std::to_string(shift));
  }
  return problems;
}

std::vector<ProblemToRun> calls_of_other_forms() {
  const std::string functions =
      ".func (.param .b32 result) twice(.param .b32 twice_0, .param .b64 twice_1)\n{\n.reg .pred p;\n.reg "
      ".b32 t, value;\n.reg .b64 at;\n"
      "ld.param.b32 value, [twice_0];\nld.param.b64 at, [twice_1];\nst.param.b32 [result], "
      "value;\nld.global.b32 t, [at];\n"
      "setp.gt.u32 p, value, 40;\n@p ret;\nadd.u32 value, value, t;\nst.global.b32 [at+4], "
      "value;\nst.param.b32 [result], value;\n"
      "and.b32 t, value, 1;\nsetp.eq.u32 p, t, 1;\n@p bra ODD;\nld.global.b32 t, [at+8];\nsetp.gt.u32 p, "
      "value, 30;\n@p ret;\n"
      "ODD:\nst.global.b32 [at+12], value;\n}\n"
      ".func store(.param .b64 store_0)\n{\n.reg .b64 at;\n.reg .b32 t;\nld.param.b64 at, "
      "[store_0];\nmov.u32 t, %tid.x;\n"
      "st.global.b32 [at+8], t;\nret;\n}\n";
  const std::string guarded =
      "and.b32 %r5, %r1, 3;\nsetp.eq.u32 %p1, %r5, 1;\n{\n.param .b64 a;\nst.param.b64 [a], %rd1;\n@%p1 call "
      "store, (a);\n}\n"
      "ld.global.u32 %r4, [%rd1];\n{\n.param .b64 a;\nst.param.b64 [a], %rd1;\n@!%p1 call store, (a);\n}\n" +
      kTouch;
  const std::string guarded_by_address =
      "and.b32 %r5, %r1, 3;\nsetp.ne.u32 %p1, %r5, 1;\nmov.u64 %rd2, store;\nsetp.eq.u32 %p2, %r5, "
      "2;\nmov.u64 %rd3, load;\n"
      "selp.b64 %rd2, %rd2, %rd3, %p2;\n{\n.param .b64 a;\nst.param.b64 [a], %rd1;\nform: .callprototype _ "
      "(.param .b64 _);\n"
      "@%p1 call %rd2, (a), form;\n}\n" +
      kTouch;
  const std::string load =
      ".func load(.param .b64 load_0)\n{\n.reg .b64 at;\n.reg .b32 t;\nld.param.b64 at, "
      "[load_0];\nld.global.b32 t, [at+12];\nret;\n}\n";
  const std::string ending =
      "LOOP:\nst.global.u32 [%rd1], %r2;\n{\n.param .b32 a;\nst.param.b32 [a], %r2;\ncall end_some, "
      "(a);\n}\nadd.u32 %r2, %r2, 1;\n"
      "setp.lt.u32 %p1, %r2, 5;\n@%p1 bra LOOP;\n" +
      kTouch;
  const std::string end_some =
      ".func end_some(.param .b32 some_0)\n{\n.reg .pred p, q;\n.reg .b32 turn, t;\nld.param.b32 turn, "
      "[some_0];\nmov.u32 t, %tid.x;\n"
      "setp.lt.u32 q, t, 32;\nsetp.eq.and.u32 p, turn, 3, q;\n@p exit;\nand.b32 t, t, 3;\nsetp.eq.u32 p, t, "
      "turn;\n@p exit;\nret;\n}\n";
  std::vector<ProblemToRun> problems;
  const auto add = [&](const ShortCode& code, const std::string& before) {
    ProblemToRun& problem = problems.emplace_back(problem_of(code));
    problem.ptx.insert(problem.ptx.find(".shared"), before);
  };
  const std::string returning =
      "mov.u32 %r5, %ctaid.x;\nmad.lo.u32 %r5, %r5, 77, %r1;\nmul.wide.u32 %rd2, %r5, 24;\nld.param.u64 "
      "%rd1, [k_out];\n"
      "add.s64 %rd1, %rd1, %rd2;\nLOOP:\n{\n.param .b32 v, r;\n.param .b64 a;\nst.param.b32 [v], "
      "%r1;\nst.param.b64 [a], %rd1;\ncall (r), twice, (v, "
      "a);\n"
      "ld.param.b32 %r4, [r];\n}\nst.global.u32 [%rd1+16], %r4;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, "
      "3;\n@%p1 bra LOOP;\n" +
      kTouch;
  add({"a call from which some return at once", returning}, functions);
  add({"a guarded call", guarded}, functions);
  add({"a guarded call by address", guarded_by_address}, functions + load);
  add({"a call in which some end, and of one warp all", ending}, end_some);
  return problems;
}

}  // namespace warplens::gpu
