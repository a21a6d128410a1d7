// What the commands share. Each command lies in its own file, and adds itself to the program by one function
// named here.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "app/cli/cli.h"
#include "app/cli/command_line.h"
#include "app/report/document.h"
#include "kernels/base/result.h"
#include "viz/analysis/memory_rules.h"

namespace warplens::app {

struct Context {
  std::ostream& out;
  std::ostream& err;
  int status = kDone;  ///< Set by the command that ran

  /// Say what went wrong, on `err`, and set the status.
  void fail(const Error& error);
  void misuse(const Error& error);
};

void add_list(Program& program, Context& context);
void add_record(Program& program, Context& context);
void add_report(Program& program, Context& context);
void add_replay(Program& program, Context& context);
void add_check(Program& program, Context& context);
void add_run(Program& program, Context& context);
void add_pattern(Program& program, Context& context);
void add_compare(Program& program, Context& context);
void add_export(Program& program, Context& context);
void add_lesson(Program& program, Context& context);
void add_doctor(Program& program, Context& context);
void add_describe(Program& program, Context& context);
void add_worker(Program& program, Context& context);

/// What a command says where memory has run out.
[[nodiscard]] Error out_of_memory();

}  // namespace warplens::app
