#include "kernels/host/host_program.h"

#include <set>

#include "kernels/host/interpreter.h"

namespace warplens::host {
namespace {

void find_called(const ExpressionPtr& expression, std::set<std::string>& names) {
  if (expression == nullptr) return;
  if (expression->kind == Expression::Kind::call && expression->operands[0]->kind == Expression::Kind::name)
    names.insert(expression->operands[0]->text);
  for (const ExpressionPtr& operand : expression->operands) find_called(operand, names);
}

void find_called(const StatementPtr& statement, std::set<std::string>& names) {
  if (statement == nullptr) return;
  find_called(statement->value, names);
  for (const Declarator& declarator : statement->declarators) {
    find_called(declarator.initial, names);
    for (const ExpressionPtr& argument : declarator.arguments) find_called(argument, names);
  }
  for (const StatementPtr& inner : statement->body) find_called(inner, names);
}

/// Functions that no other one calls, such as those that another program is to call.
std::vector<const Function*> outermost_functions(const Program& program) {
  std::set<std::string> called;
  for (const auto& [name, function] : program.functions) {
    std::set<std::string> names;
    find_called(function->body, names);
    names.erase(name);
    called.merge(names);
  }
  std::vector<const Function*> outermost;
  for (const auto& [name, function] : program.functions) {
    if (!called.contains(name)) outermost.push_back(function.get());
  }
  return outermost;
}

HostProgram interpreted(const Program& program, const std::vector<const Function*>& functions,
                        bool knows_arguments) {
  Interpreter interpreter(program, knows_arguments);
  for (const Function* function : functions) interpreter.run(*function);
  return interpreter.take_result();
}

}  // namespace

HostProgram interpret(std::string_view source, const HeaderReader& read_header, std::string_view prelude) {
  if (source.find("<<<") == std::string_view::npos && source.find("cudaLaunch") == std::string_view::npos &&
      !read_header)
    return {};
  const Program program = parse(preprocess(source, read_header, prelude));
  const auto main = program.functions.find("main");
  if (main == program.functions.end()) return interpreted(program, outermost_functions(program), false);
  HostProgram result = interpreted(program, {main->second.get()}, true);
  if (result.launches.empty()) result = interpreted(program, {main->second.get()}, false);
  result.has_main = true;
  return result;
}

}  // namespace warplens::host
