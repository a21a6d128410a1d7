#include "app/web/page_requests.h"

#include <algorithm>
#include <array>
#include <new>
#include <stdexcept>

#include "app/web/page_state.h"
#include "kernels/base/texts.h"

namespace warplens::app::web {
namespace {

struct NamedHandler {
  std::string_view name;
  Handler answer;
};
constexpr std::array kHandlers{NamedHandler{"start", answer_start},
                               NamedHandler{"open", answer_open},
                               NamedHandler{"place", answer_place},
                               NamedHandler{"picture", answer_picture},
                               NamedHandler{"table", answer_table},
                               NamedHandler{"report", answer_report},
                               NamedHandler{"save", answer_save},
                               NamedHandler{"pattern", answer_pattern},
                               NamedHandler{"playground", answer_playground},
                               NamedHandler{"lesson", answer_lesson},
                               NamedHandler{"scene", answer_scene},
                               NamedHandler{"scene_picture", answer_scene_picture}};

Json json_of(const Error& error) {
  return {{"error", {{"what", error.what}, {"where", error.where}, {"hint", error.hint}}}};
}

Error page_out_of_memory() {
  return {tr("not enough memory for this"), "",
          tr("Choose smaller matrices or buffers: a browser gives a page 4 GB at most.")};
}

Answer answer_one(PageState& state, std::string_view text) {
  const Json request = Json::parse(text);
  const auto name = request.at("do").get<std::string>();
  const auto* const handler = std::ranges::find(kHandlers, name, &NamedHandler::name);
  if (handler == kHandlers.end()) return Error{"there is no request `" + name + "`", "", ""};
  return handler->answer(state, request);
}

}  // namespace

PageRequests::PageRequests() : state_(std::make_unique<PageState>()) {}
PageRequests::~PageRequests() = default;

std::string PageRequests::answer(std::string_view request) {
  Json document;
  try {
    const Answer answer = answer_one(*state_, request);
    document = answer.ok() ? *answer : json_of(answer.error());
  } catch (const std::bad_alloc&) {
    document = json_of(page_out_of_memory());
  } catch (const std::length_error&) {  // Of a container that is asked for more than there are addresses
    document = json_of(page_out_of_memory());
  } catch (const std::exception& unforeseen) {
    document = json_of({unforeseen.what(), "", ""});
  }
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Error nothing_open() {
  return {tr("nothing is open"), "", tr("Choose a kernel, and run it.")};
}

}  // namespace warplens::app::web
