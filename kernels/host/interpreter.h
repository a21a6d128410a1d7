// Interprets host code. Private to kernels/host.
//
// Three rules keep it short and true:
// - An unknown value stays unknown, with the expression of the source that it comes from.
// - Both branches of an unknown condition are executed, unless one ends the program; values in which they
//   differ are unknown afterwards.
// - A loop's first iterations are executed one by one, the remaining ones all at once, with the variables
// that
//   iterations change unknown.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernels/host/host_program.h"
#include "kernels/host/syntax.h"
#include "kernels/host/value.h"

namespace warplens::host {

/// What the source says, as far as one line shows it.
[[nodiscard]] std::string words_of(const Expression& expression);

class Interpreter {
 public:
  Interpreter(const Program& program, bool knows_arguments);

  /// Interprets a function; its parameters are not known, but for main's.
  void run(const Function& function);
  [[nodiscard]] HostProgram take_result();

  // For the functions of libraries (library.cpp)

  [[nodiscard]] Value evaluate(const ExpressionPtr& expression);
  /// Returns where an expression's value lies; nullopt: it is not a variable's.
  [[nodiscard]] std::optional<Lvalue> lvalue_of(const Expression& expression);
  [[nodiscard]] Value load(const Lvalue& place);
  void store(const Lvalue& place, Value value);
  /// What a pointer points at.
  [[nodiscard]] std::optional<Lvalue> pointed_at(const Value& pointer) const;
  [[nodiscard]] Object* object_of(const Value& pointer);
  /// New memory, with the name and the type of the variable whose address is at `pointer`, where it is
  /// stored.
  Object& allocate_at(const Value& pointer, FormulaPtr bytes, bool is_device);
  [[nodiscard]] Value new_memory(FormulaPtr bytes, std::int64_t element_bytes, const std::string& type,
                                 bool is_device);
  void copy_memory(const Value& to, const Value& from, const FormulaPtr& bytes);
  /// Its contents are not known any more.
  void set_unknown(Object& object);
  [[nodiscard]] std::int64_t size_of(const Type& type);
  [[nodiscard]] std::string name_of(const Type& type);
  [[nodiscard]] FormulaPtr number(const ExpressionPtr& expression);
  /// `configuration`: grid, block, shared memory, stream, cluster.
  static constexpr std::size_t kPlaceOfCluster = 4;
  void launch(const Value& kernel, const std::vector<Value>& configuration,
              const std::vector<Value>& arguments, std::uint32_t line);
  void end_program() { ends_program_ = true; }
  [[nodiscard]] bool knows_arguments() const { return knows_arguments_; }
  /// The variable, or the memory, that a name of the source means.
  [[nodiscard]] std::optional<Value> device_symbol(const ExpressionPtr& expression);

 private:
  enum class Flow : std::uint8_t { next, break_loop, continue_loop, return_function, end_program, jump };

  Flow execute(const StatementPtr& statement);
  Flow execute_block(const Statement& block);
  /// Returns where a goto leads in a block; its end: nowhere.
  [[nodiscard]] static std::size_t target_in(const Statement& block, const std::string& name);
  /// What the block's statements from `begin` to `end` assign to is unknown if `name` is among the targets
  /// that an unknown condition may have led to.
  void meet_jumps(const Statement& block, std::size_t target, std::size_t begin, std::size_t end);
  Flow execute_branch(const Statement& branch);
  Flow execute_loop(const Statement& loop);
  Flow execute_range_loop(const Statement& loop);
  Flow execute_selection(const Statement& selection);
  void execute_remaining_iterations(const Statement& loop, std::int64_t limit);
  /// Executes the body once for several iterations, of which `prepare` sets what each has of its own.
  template <class Prepare>
  void execute_at_once(const Statement& loop, Prepare prepare);
  Flow execute_both(const StatementPtr& one, const StatementPtr& other);
  /// Makes variables unknown that are numbers or structures.
  void forget(const std::set<std::string>& names);
  /// What may also be `other` keeps what both have in common.
  void merge(Object& now, const Object& other);
  void forget_changes(const std::map<std::size_t, Object>& changes);
  /// Starts to keep what objects were before they are changed, until close_journal() returns it.
  void open_journal();
  [[nodiscard]] std::map<std::size_t, Object> close_journal();
  [[nodiscard]] std::optional<bool> truth(const ExpressionPtr& condition);

  void declare(const Declarator& declarator, bool is_global = false);
  [[nodiscard]] Value initial_value(const Declarator& declarator);
  [[nodiscard]] Value default_value(const Type& type, int depth = 0);
  [[nodiscard]] Value array_value(const Declarator& declarator);
  void fill_array(const Value& array, const ExpressionPtr& list);
  [[nodiscard]] Value container_value(const Type& type, const std::vector<ExpressionPtr>& arguments,
                                      bool is_list = false);
  [[nodiscard]] Value constructed(const Type& type, const std::vector<ExpressionPtr>& arguments,
                                  bool is_list = false);
  [[nodiscard]] Value converted(Value value, const Type& type);
  [[nodiscard]] Type resolved(const Type& type);
  [[nodiscard]] const Struct* struct_of(const Type& type);
  Lvalue declare_variable(const std::string& name, const Type& type, Value value);
  [[nodiscard]] const Binding* find(const std::string& name) const;

  [[nodiscard]] Value evaluate_here(const Expression& expression);
  [[nodiscard]] Value named_value(const Expression& expression);
  [[nodiscard]] Value unary(const Expression& expression);
  [[nodiscard]] Value binary(const Expression& expression);
  [[nodiscard]] Value assign(const Expression& expression);
  [[nodiscard]] Value cast(const Expression& expression);
  [[nodiscard]] Value allocate(const Expression& expression);
  [[nodiscard]] Value indexed(const Expression& expression);
  [[nodiscard]] Value size_of_value(const ExpressionPtr& expression);
  [[nodiscard]] Value launched(const Expression& expression);
  [[nodiscard]] Value called(const Expression& expression);
  [[nodiscard]] Value called_by_pointer(const Value& function, const Expression& expression,
                                        const std::vector<ExpressionPtr>& arguments);
  [[nodiscard]] Value called_member(const Expression& expression, const Expression& member);
  [[nodiscard]] std::optional<Value> called_container(const Value& container, const std::string& method,
                                                      const Expression& call);
  [[nodiscard]] Value called_unknown(const Expression& call, std::size_t first_argument);
  /// What it may do to variables that it takes references to.
  void changed_by_reference(const Expression& call);
  /// Reads from a stream, as `file >> n` does.
  [[nodiscard]] bool reads_stream(const Expression& expression) const;
  /// The arguments with packs expanded: `arguments...` becomes several.
  [[nodiscard]] std::vector<ExpressionPtr> expanded(const std::vector<ExpressionPtr>& arguments,
                                                    std::size_t first = 0) const;
  /// A structure that has an `operator T*`, as a pointer.
  [[nodiscard]] Value as_pointer(Value value);
  /// Functions by name. The one whose parameters fit is called; null: none has as many.
  using Functions = std::multimap<std::string, std::shared_ptr<const Function>>;
  [[nodiscard]] const Function* fitting(const Functions& functions, const std::string& name,
                                        const std::vector<ExpressionPtr>& arguments);
  Value call(const Function& function, const std::vector<ExpressionPtr>& arguments,
             const std::vector<TemplateArgument>& template_arguments, const std::shared_ptr<Scope>& scope);
  void bind_template(const Function& function, const std::vector<ExpressionPtr>& arguments,
                     const std::vector<TemplateArgument>& template_arguments, Scope& into);
  [[nodiscard]] std::vector<std::string> texts_of(const std::vector<TemplateArgument>& arguments);
  [[nodiscard]] std::shared_ptr<Scope> scope_of_fields(const Lvalue& structure, const Struct& type);

  [[nodiscard]] Argument argument_of(const Value& value);
  [[nodiscard]] Contents contents_of(const Object& object);
  [[nodiscard]] Contents contents_of_addresses(const Object& object, std::int64_t count);
  [[nodiscard]] Contents contents_of_structures(const Object& object, std::int64_t count);
  /// The bytes of a value as memory has them; nullopt: some are not known.
  [[nodiscard]] std::optional<std::vector<double>> bytes_of(const Value& value, const Type& type);
  [[nodiscard]] std::int64_t alignment_of(const Type& type);
  [[nodiscard]] bool is_same(const Launch& one, const Launch& other) const;
  std::size_t add_object(Object object);
  /// An object that is about to be changed: the journal keeps what it was.
  [[nodiscard]] Object& changeable(std::size_t object);
  std::size_t allocation_of(std::size_t object);
  void changed_by_kernel(const Value& argument);

  /// What a way through an unknown branch changes, so that the other way starts from the same.
  struct Journal {
    std::size_t objects = 0;  ///< That were there
    std::map<std::size_t, Object> before;
  };

  const Program& program_;
  std::deque<Object> objects_;
  std::vector<Journal> journals_;  ///< Of unknown branches within each other
  std::shared_ptr<Scope> globals_, scope_;
  std::map<std::string, Value> constants_;          ///< Macros and enumerators that were evaluated
  std::map<std::size_t, std::size_t> allocations_;  ///< By object: the index in the result
  std::vector<std::size_t> symbols_;                ///< Objects of the device's variables
  std::set<const void*> launched_here_;             ///< Launches of the source that were recorded
  HostProgram result_;
  Value returned_;
  std::int64_t steps_ = 0;
  int calls_ = 0, loops_ = 0, unknown_conditions_ = 0;
  int remaining_iterations_ = 0;  ///< More than 0: statements are executed for several iterations at once
  std::string jumps_to_;          ///< With Flow::jump
  std::set<std::string> may_jump_to_;  ///< Targets that unknown conditions lead to, and that were not met yet
  bool ends_program_ = false, knows_arguments_ = false;
};

/// A function of the CUDA runtime or of the C or C++ library; nullopt: it is not known.
[[nodiscard]] std::optional<Value> call_library(Interpreter& interpreter, const std::string& name,
                                                const Expression& call);
/// `RAND_MAX`, `cudaSuccess`; nullopt: it is not known.
[[nodiscard]] std::optional<Value> library_constant(const std::string& name);

}  // namespace warplens::host
