// PTX for tests: a body in a function that declares what it needs.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "kernels/ptx/parser.h"

namespace warplens::ptx {

inline constexpr int kLinesBeforeBody = 11;

inline std::string module_with_body(const std::string& body) {
  return R"(.version 9.0
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 kernel_param_0, .param .u32 kernel_param_1)
{
.reg .pred %p<9>;
.reg .b16 %rs<9>;
.reg .b32 %r<99>;
.reg .f32 %f<9>;
.reg .f64 %fd<9>;
.reg .b64 %rd<9>;
)" + body +
         "\n}\n";
}

inline Module parse_or_fail(const std::string& text) {
  Result<Module> module = parse(text, "test.ptx");
  if (!module) {
    ADD_FAILURE() << module.error().message() << "\n" << text;
    return {};
  }
  return std::move(*module);
}

/// The first function of a module with that body; `ret` is added where the body does not end in one.
inline Function parse_body(const std::string& body) {
  Module module = parse_or_fail(module_with_body(body));
  return module.functions.empty() ? Function{} : std::move(module.functions[0]);
}

/// The first instruction of a body.
inline Instruction parse_instruction(const std::string& statement) {
  const Function function = parse_body(statement);
  return function.instructions.empty() ? Instruction{} : function.instructions[0];
}

inline std::string message_of(const std::string& text) {
  const Result<Module> module = parse(text, "test.ptx");
  return module ? "parsed" : module.error().message();
}

inline std::string read_test_data(const std::string& path) {
  std::ifstream file(std::string(WARPLENS_TEST_DATA "/") + path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace warplens::ptx
