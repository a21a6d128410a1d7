// What functions of the CUDA runtime and of the C and C++ libraries do, as far as launches depend on it.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>

#include "kernels/base/tensor_map.h"
#include "kernels/host/interpreter.h"

namespace warplens::host {
namespace {

/// A call with its arguments.
class Call {
 public:
  Call(Interpreter& by, const Expression& expression) : interpreter(by), expression_(expression) {}

  [[nodiscard]] std::size_t count() const { return expression_.operands.size() - 1; }
  [[nodiscard]] ExpressionPtr expression(std::size_t i) const {
    return i < count() ? expression_.operands[i + 1] : nullptr;
  }
  [[nodiscard]] Value value(std::size_t i) const { return interpreter.evaluate(expression(i)); }
  [[nodiscard]] FormulaPtr number(std::size_t i) const { return interpreter.number(expression(i)); }
  [[nodiscard]] std::uint32_t line() const { return expression_.line; }
  [[nodiscard]] const Expression& callee() const { return *expression_.operands[0]; }
  /// Stores where argument `i` points.
  void store(std::size_t i, Value value) const {
    if (const auto place = interpreter.pointed_at(this->value(i)))
      interpreter.store(*place, std::move(value));
  }

  Interpreter& interpreter;

 private:
  const Expression& expression_;
};

Value success() {
  return integer_value(0);
}

// -- Memory

Value allocate_device(Call& call) {
  call.interpreter.allocate_at(call.value(0), call.number(1), true);
  return success();
}

Value allocate_host(Call& call) {  // cudaMallocHost, cudaHostAlloc: kernels can reach it
  return allocate_device(call);
}

/// Rows begin at multiples of 512 bytes: what cudaMallocPitch gave on every card from V100 to H100.
Value allocate_pitched(Call& call) {
  constexpr std::int64_t kPitch = 512;
  const FormulaPtr width = call.number(2), rows = call.number(3);
  const FormulaPtr pitch = applied("*", applied("ceil", width, formula_of(kPitch)), formula_of(kPitch));
  Object& memory = call.interpreter.allocate_at(call.value(0), applied("*", pitch, rows), true);
  memory.pitch = pitch;
  call.store(1, number_value(pitch));
  return success();
}

Value allocate_with_malloc(Call& call) {
  return call.interpreter.new_memory(call.number(call.count() - 1), 0, "", false);
}

Value allocate_cleared(Call& call) {  // calloc
  Value memory = call.interpreter.new_memory(applied("*", call.number(0), call.number(1)), 0, "", false);
  call.interpreter.object_of(memory)->is_zeroed = true;
  return memory;
}

Value copy(Call& call) {  // cudaMemcpy(to, from, bytes, ..), memcpy
  call.interpreter.copy_memory(call.value(0), call.value(1), call.number(2));
  return success();
}

Value copy_rows(Call& call) {  // cudaMemcpy2D(to, pitch, from, pitch, width, height, ..)
  call.interpreter.copy_memory(call.value(0), call.value(2), nullptr);
  return success();
}

Value copy_to_symbol(Call& call) {
  if (const auto symbol = call.interpreter.device_symbol(call.expression(0)))
    call.interpreter.copy_memory(*symbol, call.value(1), call.number(2));
  return success();
}

Value address_of_symbol(Call& call) {
  if (const auto symbol = call.interpreter.device_symbol(call.expression(1))) call.store(0, *symbol);
  return success();
}

Value device_pointer(Call& call) {  // cudaHostGetDevicePointer(&d, h, 0)
  call.store(0, call.value(1));
  return success();
}

/// Sets all elements: of zero bytes, or of a byte that all of them consist of.
Value set_bytes(Call& call) {  // cudaMemset, memset
  Object* const memory = call.interpreter.object_of(call.value(0));
  const FormulaPtr byte = call.number(1);
  if (memory == nullptr) return success();
  call.interpreter.set_unknown(*memory);
  if (!byte->integer) return success();
  memory->other_elements.reset();
  if (*byte->integer == 0) {
    memory->is_zeroed = true;
  } else if (memory->element_bytes == 1) {
    memory->other_elements = integer_value(*byte->integer & 0xFF);
  } else if ((*byte->integer & 0xFF) == 0xFF && memory->type != "float" && memory->type != "double") {
    memory->other_elements = integer_value(-1);
  } else {
    memory->other_elements = Value{};
  }
  return success();
}

Value fill(Call& call) {  // std::fill(begin, end, value), thrust::fill
  if (Object* const memory = call.interpreter.object_of(call.value(0))) {
    call.interpreter.set_unknown(*memory);
    memory->other_elements = call.value(2);
  }
  return {};
}

Value count_up(Call& call) {  // std::iota(begin, end, 0), thrust::sequence(begin, end)
  if (Object* const memory = call.interpreter.object_of(call.value(0))) {
    call.interpreter.set_unknown(*memory);
    const bool from_zero = call.count() < 3 || call.number(2)->real == std::optional(0.0);
    if (from_zero) memory->other_elements = number_value(index_formula());
  }
  return {};
}

Value generate(Call& call) {  // std::generate(begin, end, rand)
  if (Object* const memory = call.interpreter.object_of(call.value(0))) {
    call.interpreter.set_unknown(*memory);
    const bool is_rand = call.expression(2) != nullptr && call.expression(2)->text.ends_with("rand");
    if (is_rand) memory->other_elements = number_value(random_formula(std::int64_t{1} << 31));
  }
  return {};
}

Value copy_range(Call& call) {  // std::copy(begin, end, to), thrust::copy
  call.interpreter.copy_memory(call.value(2), call.value(0), nullptr);
  return {};
}

Value exchange(Call& call) {  // std::swap
  const ExpressionPtr one = call.expression(0), other = call.expression(1);
  if (one == nullptr || other == nullptr) return {};
  const auto to = call.interpreter.lvalue_of(*one), from = call.interpreter.lvalue_of(*other);
  if (to && from) {
    Value value = call.interpreter.load(*to);
    call.interpreter.store(*to, call.interpreter.load(*from));
    call.interpreter.store(*from, std::move(value));
  }
  return {};
}

Value same(Call& call) {  // raw_pointer_cast, std::move
  return call.value(0);
}

// -- Tensor maps

/// Returns the first `count` elements of the array that an argument points to.
Value elements_of(Call& call, std::size_t i, std::int64_t count) {
  Value elements{.kind = Value::Kind::structure};
  const std::optional<Lvalue> first = call.interpreter.pointed_at(call.value(i));
  for (std::int64_t k = 0; first && first->index != nullptr && k < count; ++k) {
    const Lvalue place{
        .object = first->object, .index = applied("+", first->index, formula_of(k)), .fields = first->fields};
    elements.fields.push_back({std::to_string(k), call.interpreter.load(place)});
  }
  return elements;
}

/// Makes a structure of the arguments. `parameters`: their names, those of arrays behind a star.
Value encode_tensor_map(Call& call, std::span<const std::string_view> parameters) {
  if (call.count() != parameters.size()) return success();
  const std::int64_t rank = std::clamp<std::int64_t>(call.number(2)->integer.value_or(0), 0, kMaxTensorRank);
  Value map{.kind = Value::Kind::structure, .text = kTensorMapType};
  for (std::size_t i = 1; i < parameters.size(); ++i) {
    std::string_view name = parameters[i];
    const bool is_array = name.starts_with('*');
    if (is_array) name.remove_prefix(1);
    map.fields.push_back({std::string(name), is_array ? elements_of(call, i, rank) : call.value(i)});
  }
  call.store(0, std::move(map));
  return success();
}

Value encode_tiled(Call& call) {  // cuTensorMapEncodeTiled
  constexpr std::string_view kParameters[] = {
      "tensorMap", "tensorDataType",  "tensorRank", "globalAddress", "*globalDim",  "*globalStrides",
      "*boxDim",   "*elementStrides", "interleave", "swizzle",       "l2Promotion", "oobFill"};
  return encode_tensor_map(call, kParameters);
}

Value encode_im2col(Call& call) {  // cuTensorMapEncodeIm2col
  constexpr std::string_view kParameters[] = {"tensorMap",
                                              "tensorDataType",
                                              "tensorRank",
                                              "globalAddress",
                                              "*globalDim",
                                              "*globalStrides",
                                              "*pixelBoxLowerCorner",
                                              "*pixelBoxUpperCorner",
                                              "channelsPerPixel",
                                              "pixelsPerColumn",
                                              "*elementStrides",
                                              "interleave",
                                              "swizzle",
                                              "l2Promotion",
                                              "oobFill"};
  return encode_tensor_map(call, kParameters);
}

/// cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, ..), cuGetProcAddress
Value find_driver_function(Call& call) {
  const Value name = call.value(0);
  if (name.kind == Value::Kind::text) call.store(1, {.kind = Value::Kind::function, .text = name.text});
  return success();
}

// -- Launches

constexpr std::int64_t kClusterDimension = 4;  // cudaLaunchAttributeID

/// The arguments of `void* arguments[] = {&a, &n}`.
std::vector<Value> arguments_at(Call& call, const Value& array) {
  std::vector<Value> arguments;
  const Object* const list = call.interpreter.object_of(array);
  if (list == nullptr) return arguments;
  for (const auto& [index, address] : list->elements) {
    const auto place = call.interpreter.pointed_at(address);
    arguments.push_back(place ? call.interpreter.load(*place) : Value{});
  }
  return arguments;
}

Value launch_kernel(Call& call) {  // cudaLaunchKernel(kernel, grid, block, arguments, bytes, stream)
  const std::vector<Value> arguments = arguments_at(call, call.value(3));
  call.interpreter.launch(call.value(0), {call.value(1), call.value(2), call.value(4)}, arguments,
                          call.line());
  return success();
}

/// Returns cudaLaunchAttributeClusterDimension of a launch's configuration as a dim3; unknown without one.
Value cluster_of(Call& call, Value& config) {
  const Value *const first = config.field("attrs"), *const count = config.field("numAttrs");
  const std::optional<Lvalue> place = first == nullptr ? std::nullopt : call.interpreter.pointed_at(*first);
  if (!place || count == nullptr || !count->is_number()) return {};
  const std::int64_t attributes = std::min<std::int64_t>(count->number->integer.value_or(0), 16);
  for (std::int64_t k = 0; k < attributes; ++k) {
    Lvalue one = *place;
    if (one.index != nullptr) one.index = applied("+", one.index, formula_of(k));
    Value attribute = call.interpreter.load(one);
    Value *const id = attribute.field("id"), *const value = attribute.field("val");
    const bool is_cluster = id != nullptr && id->is_number() &&
                            id->number->integer == std::optional<std::int64_t>(kClusterDimension);
    Value* const extent = is_cluster && value != nullptr ? value->field("clusterDim") : nullptr;
    if (extent != nullptr) {
      Value cluster{.kind = Value::Kind::structure, .text = "dim3"};
      for (const char* axis : {"x", "y", "z"}) {
        const Value* const given = extent->field(axis);
        cluster.fields.push_back({axis, given == nullptr ? integer_value(1) : *given});
      }
      return cluster;
    }
    if (one.index == nullptr) break;
  }
  return {};
}

Value launch_with_config(Call& call) {  // cudaLaunchKernelEx(&config, kernel, arguments..)
  std::vector<Value> configuration, arguments;
  if (const auto place = call.interpreter.pointed_at(call.value(0))) {
    Value config = call.interpreter.load(*place);
    for (const char* name : {"gridDim", "blockDim", "dynamicSmemBytes"}) {
      Value* const field = config.field(name);
      configuration.push_back(field == nullptr ? Value{} : *field);
    }
    configuration.push_back({});  // The stream
    configuration.push_back(cluster_of(call, config));
  }
  for (std::size_t i = 2; i < call.count(); ++i) arguments.push_back(call.value(i));
  call.interpreter.launch(call.value(1), configuration, arguments, call.line());
  return success();
}

// -- Numbers

Value rounded_up_value(Call& call) {
  return number_value(rounded_up(call.number(0)));
}

Value rounded_down(Call& call) {
  const FormulaPtr number = call.number(0);
  if (number->text == "real/") {  // floor(n / 16.0): of what is not negative as integers are divided
    const FormulaPtr up = rounded_up(number);
    if (up->text == "ceil") return number_value(applied("/", up->operands[0], up->operands[1]));
  }
  return number_value(number->real ? formula_of_real(std::floor(*number->real)) : number);
}

Value smaller(Call& call) {
  return number_value(applied("min", call.number(0), call.number(1)));
}
Value larger(Call& call) {
  return number_value(applied("max", call.number(0), call.number(1)));
}

Value absolute(Call& call) {
  const FormulaPtr number = call.number(0);
  if (number->integer) return integer_value(std::abs(*number->integer));
  return number->real ? number_value(formula_of_real(std::abs(*number->real))) : number_value(number);
}

template <double (*function)(double)>
Value of_real(Call& call) {
  const FormulaPtr number = call.number(0);
  if (number->kind == Formula::Kind::random) return number_value(random_formula(0));
  return number->real ? number_value(formula_of_real(function(*number->real)))
                      : unknown_value(call.callee().text);
}

Value power(Call& call) {
  const FormulaPtr base = call.number(0), exponent = call.number(1);
  return base->real && exponent->real ? number_value(formula_of_real(std::pow(*base->real, *exponent->real)))
                                      : unknown_value("pow");
}

Value random_integer(Call&) {
  return number_value(random_formula(std::int64_t{1} << 31));
}
Value random_real(Call&) {  // drand48
  return number_value(random_formula(0));
}

// -- The program

Value ended(Call& call) {
  call.interpreter.end_program();
  return {};
}

Value without_effect(Call& call) {  // Calls among the arguments are made
  for (std::size_t i = 0; i < call.count(); ++i) (void)call.value(i);
  return success();
}

Value one_device(Call& call) {  // cudaGetDeviceCount
  call.store(0, integer_value(1));
  return success();
}
Value first_device(Call& call) {  // cudaGetDevice
  call.store(0, integer_value(0));
  return success();
}

Value next_option(Call& call) {  // getopt
  return call.interpreter.knows_arguments() ? integer_value(-1) : unknown_value("getopt");
}

struct LibraryFunction {
  std::string_view name;
  Value (*call)(Call&);
};
constexpr LibraryFunction kFunctions[] = {
    {"cudaMalloc", allocate_device},
    {"cudaMallocManaged", allocate_device},
    {"cudaMallocAsync", allocate_device},
    {"cudaMallocHost", allocate_host},
    {"cudaHostAlloc", allocate_host},
    {"cudaMallocPitch", allocate_pitched},
    {"malloc", allocate_with_malloc},
    {"aligned_alloc", allocate_with_malloc},
    {"calloc", allocate_cleared},
    {"cudaMemcpy", copy},
    {"cudaMemcpyAsync", copy},
    {"memcpy", copy},
    {"memmove", copy},
    {"cudaMemcpy2D", copy_rows},
    {"cudaMemcpy2DAsync", copy_rows},
    {"cudaMemcpyToSymbol", copy_to_symbol},
    {"cudaMemcpyToSymbolAsync", copy_to_symbol},
    {"cudaGetSymbolAddress", address_of_symbol},
    {"cudaHostGetDevicePointer", device_pointer},
    {"cudaMemset", set_bytes},
    {"cudaMemsetAsync", set_bytes},
    {"memset", set_bytes},
    {"fill", fill},
    {"iota", count_up},
    {"sequence", count_up},
    {"generate", generate},
    {"copy", copy_range},
    {"swap", exchange},
    {"raw_pointer_cast", same},
    {"move", same},
    {"forward", same},
    {"cuTensorMapEncodeTiled", encode_tiled},
    {"cuTensorMapEncodeIm2col", encode_im2col},
    {"cudaGetDriverEntryPoint", find_driver_function},
    {"cudaGetDriverEntryPointByVersion", find_driver_function},
    {"cuGetProcAddress", find_driver_function},
    {"cudaLaunchKernel", launch_kernel},
    {"cudaLaunchCooperativeKernel", launch_kernel},
    {"cudaLaunchKernelEx", launch_with_config},
    {"ceil", rounded_up_value},
    {"ceilf", rounded_up_value},
    {"floor", rounded_down},
    {"floorf", rounded_down},
    {"min", smaller},
    {"fmin", smaller},
    {"fminf", smaller},
    {"max", larger},
    {"fmax", larger},
    {"fmaxf", larger},
    {"abs", absolute},
    {"fabs", absolute},
    {"sqrt", of_real<std::sqrt>},
    {"sqrtf", of_real<std::sqrt>},
    {"log2", of_real<std::log2>},
    {"log2f", of_real<std::log2>},
    {"log", of_real<std::log>},
    {"exp", of_real<std::exp>},
    {"sin", of_real<std::sin>},
    {"sinf", of_real<std::sin>},
    {"cos", of_real<std::cos>},
    {"cosf", of_real<std::cos>},
    {"pow", power},
    {"powf", power},
    {"rand", random_integer},
    {"random", random_integer},
    {"drand48", random_real},
    {"getopt", next_option},
    {"getopt_long", next_option},
    {"exit", ended},
    {"abort", ended},
    {"_exit", ended},
    {"cudaGetDeviceCount", one_device},
    {"cudaGetDevice", first_device},
    {"cudaMemcpyFromSymbol", without_effect},
    {"printf", without_effect},
    {"fprintf", without_effect},
    {"puts", without_effect},
    {"free", without_effect},
    {"cudaFree", without_effect},
    {"cudaFreeHost", without_effect},
    {"cudaFreeAsync", without_effect},
    {"srand", without_effect},
    {"srand48", without_effect},
    {"assert", without_effect},
    {"cudaDeviceSynchronize", without_effect},
    {"cudaStreamSynchronize", without_effect},
    {"cudaEventRecord", without_effect},
    {"cudaEventSynchronize", without_effect},
    {"cudaSetDevice", without_effect},
    {"cudaFuncSetAttribute", without_effect},
    {"cudaFuncSetCacheConfig", without_effect},
    {"cudaDeviceSetCacheConfig", without_effect},
    {"cudaMemPrefetchAsync", without_effect},
    {"cudaMemAdvise", without_effect},
    {"cudaGetLastError", without_effect},
    {"cudaPeekAtLastError", without_effect},
    {"cudaDeviceReset", without_effect},
};

}  // namespace

std::optional<Value> call_library(Interpreter& interpreter, const std::string& name, const Expression& call) {
  const auto* const found = std::ranges::find(kFunctions, std::string_view(name), &LibraryFunction::name);
  if (found == std::end(kFunctions)) return std::nullopt;
  Call arguments(interpreter, call);
  return found->call(arguments);
}

std::optional<Value> library_constant(const std::string& name) {
  struct Constant {
    std::string_view name;
    double value;
    bool is_real;
  };
  constexpr Constant kConstants[] = {{"RAND_MAX", 2147483647, false},
                                     {"INT_MAX", 2147483647, false},
                                     {"UINT_MAX", 4294967295, false},
                                     {"EXIT_SUCCESS", 0, false},
                                     {"EXIT_FAILURE", 1, false},
                                     {"cudaSuccess", 0, false},
                                     {"CUDA_SUCCESS", 0, false},
                                     {"cudaLaunchAttributeClusterDimension", kClusterDimension, false},
                                     {"cudaDriverEntryPointSuccess", 0, false},
                                     {"CU_TENSOR_MAP_DATA_TYPE_UINT8", 0, false},
                                     {"CU_TENSOR_MAP_DATA_TYPE_UINT16", 1, false},
                                     {"CU_TENSOR_MAP_DATA_TYPE_UINT32", 2, false},
                                     {"CU_TENSOR_MAP_DATA_TYPE_INT32", 3, false},
                                     {"CU_TENSOR_MAP_DATA_TYPE_UINT64", 4, false},
                                     {"CU_TENSOR_MAP_DATA_TYPE_INT64", 5, false},
                                     {"CU_TENSOR_MAP_DATA_TYPE_FLOAT16", 6, false},
                                     {"CU_TENSOR_MAP_DATA_TYPE_FLOAT32", 7, false},
                                     {"CU_TENSOR_MAP_DATA_TYPE_FLOAT64", 8, false},
                                     {"CU_TENSOR_MAP_DATA_TYPE_BFLOAT16", 9, false},
                                     {"CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ", 10, false},
                                     {"CU_TENSOR_MAP_DATA_TYPE_TFLOAT32", 11, false},
                                     {"CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ", 12, false},
                                     {"CU_TENSOR_MAP_INTERLEAVE_NONE", 0, false},
                                     {"CU_TENSOR_MAP_INTERLEAVE_16B", 1, false},
                                     {"CU_TENSOR_MAP_INTERLEAVE_32B", 2, false},
                                     {"CU_TENSOR_MAP_SWIZZLE_NONE", 0, false},
                                     {"CU_TENSOR_MAP_SWIZZLE_32B", 1, false},
                                     {"CU_TENSOR_MAP_SWIZZLE_64B", 2, false},
                                     {"CU_TENSOR_MAP_SWIZZLE_128B", 3, false},
                                     {"CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE", 0, false},
                                     {"CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA", 1, false},
                                     {"M_PI", 3.14159265358979323846, true},
                                     {"FLT_MAX", 3.402823466e+38, true},
                                     {"DBL_MAX", 1.7976931348623157e+308, true}};
  const auto* const found = std::ranges::find(kConstants, std::string_view(name), &Constant::name);
  if (found == std::end(kConstants)) return std::nullopt;
  return number_value(found->is_real ? formula_of_real(found->value)
                                     : formula_of(static_cast<std::int64_t>(found->value)));
}

}  // namespace warplens::host
