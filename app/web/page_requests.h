// What a page in a browser asks of Warplens, and the answers: JSON both. The functions behind them are those
// of the window and of the command line.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace warplens::app::web {

struct PageState;

/// A page's requests, one after another. docs/browser.md says what they are.
class PageRequests {
 public:
  PageRequests();
  ~PageRequests();
  PageRequests(const PageRequests&) = delete;
  PageRequests& operator=(const PageRequests&) = delete;

  /// Answers {"do": "..."}: an object, or {"error": {"what", "where", "hint"}}. Blocking.
  [[nodiscard]] std::string answer(std::string_view request);

 private:
  std::unique_ptr<PageState> state_;
};

}  // namespace warplens::app::web
