#include "app/launch/guesses.h"

#include <algorithm>
#include <iterator>

namespace warplens::app {
namespace {

bool is_buffer(const FormField& field) {
  return field.text.find_first_of(":[&") != std::string::npos || field.text == "null";
}

bool is_whole_number(const LaunchForm& form, const FormField& field) {
  const std::vector<NamedValue> values = values_of(form);
  return std::ranges::find(values, field.name, &NamedValue::name) != values.end();
}

}  // namespace

Guesses guesses_of(const LaunchRequest& request) {
  Guesses guesses;
  if (!request.form) return guesses;
  for (const FormField* const field : {&request.form->grid, &request.form->block, &request.form->shared}) {
    if (!field->guessed || field->text.empty()) continue;
    (field == &request.form->grid ? guesses.grid : guesses.block) = true;
    guesses.fields.push_back(field->name);
  }
  for (const FormField& field : request.form->fields) {
    guesses.contents |= field.has_guessed_contents;
    if (field.has_guessed_contents) guesses.fields.push_back(field.name);
    if (!field.guessed) continue;
    const bool buffer = is_buffer(field), size = !buffer && is_whole_number(*request.form, field);
    guesses.buffers |= buffer;
    guesses.sizes |= size;
    if (buffer || size) guesses.fields.push_back(field.name);
  }
  return guesses;
}

std::vector<Finding> take_doubtful(std::vector<Finding>& findings, const Guesses& guesses) {
  const auto is_fact = [&](const Finding& finding) {
    if (finding.kind == FindingKind::out_of_bounds) return !guesses.of_bounds();
    if (finding.kind == FindingKind::misaligned && guesses.contents) return false;  // They may be addresses
    if (finding.is_global_race() && guesses.contents) return false;                 // They may be indices
    if (finding.kind == FindingKind::block_race || finding.kind == FindingKind::deadlock)
      return !guesses.shape();
    return !guesses.block || finding.kind == FindingKind::failed_assertion;
  };
  const auto doubtful = std::stable_partition(findings.begin(), findings.end(), is_fact);
  std::vector<Finding> taken(std::make_move_iterator(doubtful), std::make_move_iterator(findings.end()));
  findings.erase(doubtful, findings.end());
  return taken;
}

}  // namespace warplens::app
