#include "viz/picture/pipeline.h"

#include <fmt/format.h>

#include "kernels/base/texts.h"
#include "viz/views/pipeline_trace.h"
#include "viz/views/view.h"

namespace warplens::viz {
namespace {

std::shared_ptr<const analysis::Pipeline> pipeline_of(const Subject& subject) {
  return subject.results->facts->pipelines->at(subject.recording(), subject.moment.event_block);
}

picture::Picture make_pipeline(const Subject& subject, picture::Size size, const picture::Style& style) {
  return picture::make_pipeline(subject.moment, *pipeline_of(subject), subject.results->facts->phase_kinds,
                                size, style);
}

/// One row a filling of a stage.
std::string table_of_pipeline(const Subject& subject) {
  std::string table = "stage,place,bytes,filling,copy,issued,completed,first_read,last_read\n";
  const auto pipeline = pipeline_of(subject);
  const auto number = [](const std::optional<std::uint32_t>& phase) {
    return phase ? std::to_string(*phase) : std::string();
  };
  for (std::size_t k = 0; k < pipeline->stages.size(); ++k) {
    const analysis::Stage& stage = pipeline->stages[k];
    for (const analysis::Filling& filling : stage.fillings) {
      table += fmt::format("{},{},{},{},{},{},{},{},{}\n", k,
                           cell(picture::shared_place_name(subject.recording(), stage.offset)), stage.bytes,
                           filling.number, filling.is_copy ? 1 : 0, filling.issued, number(filling.landed),
                           number(filling.first_read), number(filling.last_read));
    }
  }
  return table;
}

std::string trace_of_pipeline(const Subject& subject) {
  return pipeline_trace(subject.moment, *pipeline_of(subject));
}

const RegisterView kPipeline{
    {.id = "pipeline",
     .title = marked("Pipeline"),
     .shows = marked(
         "Parts of shared memory over the phases of a block: copies in flight, complete and read; and what "
         "each warp does"),
     .place = Place::middle_top,
     .rank = 12,
     .make = make_pipeline,
     .table = table_of_pipeline,
     .trace = trace_of_pipeline}};

}  // namespace
}  // namespace warplens::viz
