// What the module gives to JavaScript (app/web/page/module.js): a request goes in as a text, and its answer
// stays where it is until the next one.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "app/web/page_requests.h"

namespace {

std::string& last_answer() {
  static std::string answer;
  return answer;
}

}  // namespace

extern "C" {

__attribute__((export_name("warplens_allocate"))) void* warplens_allocate(std::uint32_t bytes) {
  return std::malloc(bytes);
}

/// Returns the answer's address. Frees the request, which warplens_allocate gave.
__attribute__((export_name("warplens_answer"))) const char* warplens_answer(char* request,
                                                                            std::uint32_t bytes) {
  static warplens::app::web::PageRequests requests;
  last_answer() = requests.answer({request, bytes});
  std::free(request);
  return last_answer().data();
}

__attribute__((export_name("warplens_answer_bytes"))) std::uint32_t warplens_answer_bytes() {
  return static_cast<std::uint32_t>(last_answer().size());
}

}  // extern "C"
