#include "kernels/gpu/bench.h"

#include <new>

#include "kernels/base/texts.h"

namespace warplens::gpu {
namespace {

constexpr int kWarmUps = 3;

/// A kernel of a file as if it were one of the catalogue: of no size and with nothing to compare it with, or
/// a product.
const KernelDescriptor& descriptor_of(const FileLaunch& launch) {
  static const KernelDescriptor kAny{.id = "", .extents = {}}, kProduct{.id = ""};
  return launch.product ? kProduct : kAny;
}

Result<Problem> problem_of(const KernelDescriptor& kernel, const RunRequest& request) {
  if (request.of_file != nullptr) return request.of_file->product.value_or(Problem{});
  return make_problem(kernel, request.m, request.p, request.n, request.parameters, request.value_type);
}

bool is_product(const KernelDescriptor& kernel) {
  return kernel.has_extent('m') && kernel.has_extent('p') && kernel.has_extent('n');
}

Result<const KernelDescriptor*> descriptor_of(const RunRequest& request) {
  if (request.of_file != nullptr) return &descriptor_of(*request.of_file);
  return find_launchable(request.kernel);
}

Result<Subject> make_subject(const ContextPointer& context, const RunRequest& request,
                             const KernelDescriptor& kernel, const Problem& problem) {
  if (request.of_file != nullptr) return Subject::of_file(context, *request.of_file);
  return kernel.id == kCublasId ? Subject::cublas(context, problem)
                                : Subject::kernel(context, kernel, problem);
}

std::uint64_t bytes_of(const RunRequest& request, const KernelDescriptor& kernel, const Problem& problem) {
  if (request.of_file != nullptr) {
    std::uint64_t bytes = 0;
    for (const std::vector<std::byte>& contents : request.of_file->workload.contents)
      bytes += contents.size();
    return bytes;
  }
  return padded_matrix_bytes(kernel.plan(problem), problem.value_type);
}

Result<Done> check_memory(const Context& context, std::uint64_t bytes) {
  const Result<Context::Memory> memory = context.memory();
  if (!memory.ok()) return memory.error();
  if (bytes <= memory->free) return Done{};
  return Error{tr("its buffers need {needed:.1f} GiB, more than the {free:.1f} GiB that are free on the GPU",
                  "needed"_a = static_cast<double>(bytes) / 0x1p30,
                  "free"_a = static_cast<double>(memory->free) / 0x1p30),
               "", tr("Choose smaller ones, or end other programs that use the GPU: nvidia-smi lists them.")};
}

// The first launches load code and wake the GPU up. Each is waited for, so that one that hangs can be
// cancelled.
Result<Done> warm_up(const Subject& subject, const Stream& stream, Progress& progress) {
  if (auto uploaded = subject.upload_inputs(stream); !uploaded.ok()) return uploaded;
  if (auto poisoned = subject.poison_output(stream); !poisoned.ok()) return poisoned;
  for (int i = 0; i < kWarmUps; ++i) {
    if (auto launched = subject.launch(stream); !launched.ok()) return launched;
    if (auto done = stream.wait(progress.watch()); !done.ok()) return done;
    ++progress.launches_done;
  }
  return Done{};
}

Result<std::unique_ptr<Bench>> prepare_with_memory(const RunRequest& request, Progress& progress) {
  const Result<const KernelDescriptor*> kernel = descriptor_of(request);
  if (!kernel.ok()) return kernel.error();
  const Result<Problem> problem = problem_of(**kernel, request);
  if (!problem.ok()) return problem.error();
  const Result<ContextPointer> context = Context::open(request.device);
  if (!context.ok()) return context.error();
  if (auto fits = check_memory(**context, bytes_of(request, **kernel, *problem)); !fits.ok())
    return fits.error();
  Result<Stream> stream = Stream::create(*context);
  if (!stream.ok()) return stream.error();
  Result<Subject> subject = make_subject(*context, request, **kernel, *problem);
  if (!subject.ok()) return subject.error();

  const SmClock clock((*context)->gpu().pci_bus_id);
  std::unique_ptr<Bench> bench(new Bench{request, *kernel, *problem, *context, std::move(*stream), clock,
                                         std::move(*subject), std::nullopt, ""});
  if (auto warm = warm_up(bench->subject, bench->stream, progress); !warm.ok()) return warm.error();
  if (!request.with_cublas || request.kernel == kCublasId) return bench;
  if (!is_product(**kernel)) {
    bench->cublas_missing =
        tr("{kernel} is not a product: cuBLAS has nothing to compare it with", "kernel"_a = request.kernel);
    return bench;
  }

  Result<Subject> cublas = Subject::cublas(*context, *problem);
  if (!cublas.ok()) {
    bench->cublas_missing = cublas.error().message();
    return bench;
  }
  bench->cublas.emplace(std::move(*cublas));
  if (auto warm = warm_up(*bench->cublas, bench->stream, progress); !warm.ok()) return warm.error();
  return bench;
}

}  // namespace

const KernelDescriptor& cublas_descriptor() {
  static const KernelDescriptor kCublas{
      .id = kCublasId,
      .shows = marked("The library's own product: timed, never replayed"),
      .value_types = Cublas::value_types(),
      .plan = [](const Problem& problem) { return padded_plan(problem, 1, 1, 1); }};
  return kCublas;
}

Result<const KernelDescriptor*> find_launchable(const std::string& id) {
  if (id == kCublasId) return &cublas_descriptor();
  if (const KernelDescriptor* const kernel = catalog().find(id)) return kernel;
  return Error{tr("there is no kernel `{kernel}`", "kernel"_a = id), "", tr("`warplens list` names them.")};
}

Result<Problem> check_request(const RunRequest& request) {
  const Result<const KernelDescriptor*> kernel = descriptor_of(request);
  if (!kernel.ok()) return kernel.error();
  if ((*kernel)->fault == FindingKind::barrier_divergence) {
    return Error{tr("{kernel} may never end on a GPU", "kernel"_a = request.kernel), "",
                 tr("`warplens report` replays it, and says which lanes are missing.")};
  }
  if (request.launches == 0) return Error{tr("0 launches measure nothing"), "", tr("Launch at least once.")};
  return problem_of(**kernel, request);
}

Result<std::unique_ptr<Bench>> Bench::prepare(const RunRequest& request, Progress& progress) {
  try {
    return prepare_with_memory(request, progress);
  } catch (const std::bad_alloc&) {
    return Error{tr("out of memory"), "", tr("Choose smaller matrices.")};
  }
}

Result<bool> Bench::verify(Subject& which, Progress& progress) const {
  if (auto poisoned = which.poison_output(stream); !poisoned.ok()) return poisoned.error();
  if (auto launched = which.launch(stream); !launched.ok()) return launched.error();
  if (auto done = stream.wait(progress.watch()); !done.ok()) return done.error();
  if (auto downloaded = which.download(stream); !downloaded.ok()) return downloaded.error();
  if (auto done = stream.wait(progress.watch()); !done.ok()) return done.error();
  return which.is_right();
}

std::vector<Enqueue> Bench::turns() const {
  std::vector<Enqueue> turns{subject.enqueue()};
  if (cublas) turns.push_back(cublas->enqueue());
  return turns;
}

double Bench::gflops(double milliseconds) const {
  if (!is_product(*kernel)) return 0;
  return 2.0 * static_cast<double>(problem.m) * static_cast<double>(problem.p) *
         static_cast<double>(problem.n) / (milliseconds * 1e6);
}

double Bench::gbps(double milliseconds) const {
  return static_cast<double>(subject.useful_bytes()) / (milliseconds * 1e6);
}

}  // namespace warplens::gpu
