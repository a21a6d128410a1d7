// The X11 selection CLIPBOARD, as the Inter-Client Communication Conventions Manual describes it (2.1
// to 2.7).
#if __has_include(<xcb/xcb.h>)

#include "app/shell/platform/clipboard_image.h"

#include <dlfcn.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <xcb/xcb.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

struct Free {
  void operator()(void* made) const { std::free(made); }
};
template <class T>
using Freed = std::unique_ptr<T, Free>;

/// The functions of libxcb that are used here. It is loaded when a picture is copied: the command line runs
/// on machines without it.
struct Xcb {
  void* const library = dlopen("libxcb.so.1", RTLD_NOW | RTLD_LOCAL);
  template <class Function>
  Function* find(const char* name) const {
    return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
  }
#define WARPLENS_XCB(name) decltype(xcb_##name)* const name = find<decltype(xcb_##name)>("xcb_" #name)
  WARPLENS_XCB(connect);
  WARPLENS_XCB(disconnect);
  WARPLENS_XCB(connection_has_error);
  WARPLENS_XCB(get_file_descriptor);
  WARPLENS_XCB(get_maximum_request_length);
  WARPLENS_XCB(get_setup);
  WARPLENS_XCB(setup_roots_iterator);
  WARPLENS_XCB(generate_id);
  WARPLENS_XCB(flush);
  WARPLENS_XCB(poll_for_event);
  WARPLENS_XCB(create_window);
  WARPLENS_XCB(intern_atom);
  WARPLENS_XCB(intern_atom_reply);
  WARPLENS_XCB(set_selection_owner);
  WARPLENS_XCB(get_selection_owner);
  WARPLENS_XCB(get_selection_owner_reply);
  WARPLENS_XCB(change_property);
  WARPLENS_XCB(send_event);
#undef WARPLENS_XCB

  [[nodiscard]] bool complete() const {
    return connect != nullptr && disconnect != nullptr && connection_has_error != nullptr &&
           get_file_descriptor != nullptr && get_maximum_request_length != nullptr && get_setup != nullptr &&
           setup_roots_iterator != nullptr && generate_id != nullptr && flush != nullptr &&
           poll_for_event != nullptr && create_window != nullptr && intern_atom != nullptr &&
           intern_atom_reply != nullptr && set_selection_owner != nullptr && get_selection_owner != nullptr &&
           get_selection_owner_reply != nullptr && change_property != nullptr && send_event != nullptr;
  }
};

const Xcb& xcb() {
  static const Xcb loaded;
  return loaded;
}

Error cannot_copy(std::string what) {
  return {std::move(what), tr("clipboard"), tr("Export the picture to a file instead.")};
}

}  // namespace

/// A connection to the X server with an invisible window that owns the selection.
class ClipboardImage::Owner {
 public:
  explicit Owner(std::string png) : png_(std::move(png)) {}
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() {
    if (thread_.joinable()) {
      static_cast<void>(eventfd_write(stop_, 1));
      thread_.join();
    }
    if (stop_ >= 0) close(stop_);
    if (connection_ != nullptr) xcb().disconnect(connection_);
  }

  Result<Done> start() {
    if (!xcb().complete()) return cannot_copy(tr("libxcb.so.1, which pictures are copied with, is missing"));
    connection_ = xcb().connect(nullptr, nullptr);
    if (xcb().connection_has_error(connection_) != 0)
      return cannot_copy(tr("there is no X server to copy a picture to"));
    constexpr std::uint64_t kWordBytes = 4, kHeaderBytes = 64;
    const std::uint64_t max_bytes = xcb().get_maximum_request_length(connection_) * kWordBytes - kHeaderBytes;
    if (png_.size() > max_bytes) {
      return cannot_copy(tr("the picture has {bytes} bytes, and the X server takes {max} at once",
                            "bytes"_a = png_.size(), "max"_a = max_bytes));
    }
    clipboard_ = atom("CLIPBOARD");
    targets_ = atom("TARGETS");
    image_ = atom("image/png");
    window_ = xcb().generate_id(connection_);
    const xcb_window_t root = xcb().setup_roots_iterator(xcb().get_setup(connection_)).data->root;
    xcb().create_window(connection_, XCB_COPY_FROM_PARENT, window_, root, 0, 0, 1, 1, 0,
                        XCB_WINDOW_CLASS_INPUT_ONLY, XCB_COPY_FROM_PARENT, 0, nullptr);
    xcb().set_selection_owner(connection_, window_, clipboard_, XCB_CURRENT_TIME);
    const Freed<xcb_get_selection_owner_reply_t> owner(xcb().get_selection_owner_reply(
        connection_, xcb().get_selection_owner(connection_, clipboard_), nullptr));
    stop_ = eventfd(0, EFD_CLOEXEC);
    if (owner == nullptr || owner->owner != window_ || stop_ < 0)
      return cannot_copy(tr("another program keeps the clipboard"));
    thread_ = std::thread([this] { serve(); });
    return Done{};
  }

 private:
  xcb_atom_t atom(std::string_view name) {
    const Freed<xcb_intern_atom_reply_t> reply(xcb().intern_atom_reply(
        connection_, xcb().intern_atom(connection_, 0, static_cast<std::uint16_t>(name.size()), name.data()),
        nullptr));
    return reply == nullptr ? static_cast<xcb_atom_t>(XCB_ATOM_NONE) : reply->atom;
  }

  /// Until the picture is no longer wanted: another program has taken the clipboard, or `stop_` is written.
  void serve() {
    std::array<pollfd, 2> waits{{{xcb().get_file_descriptor(connection_), POLLIN, 0}, {stop_, POLLIN, 0}}};
    while (xcb().connection_has_error(connection_) == 0) {
      while (const Freed<xcb_generic_event_t> event{xcb().poll_for_event(connection_)}) {
        const int type = event->response_type & 0x7f;
        if (type == XCB_SELECTION_CLEAR) return;
        if (type == XCB_SELECTION_REQUEST)
          answer(*reinterpret_cast<const xcb_selection_request_event_t*>(event.get()));
      }
      if (poll(waits.data(), waits.size(), -1) > 0 && waits[1].revents != 0) return;
    }
  }

  /// Writes what is asked for into the requestor's property, then tells it.
  void answer(const xcb_selection_request_event_t& request) {
    const xcb_atom_t property = request.property == XCB_ATOM_NONE ? request.target : request.property;
    xcb_selection_notify_event_t told{};
    told.response_type = XCB_SELECTION_NOTIFY;
    told.time = request.time;
    told.requestor = request.requestor;
    told.selection = request.selection;
    told.target = request.target;
    told.property = property;
    if (request.target == targets_) {
      const std::array<xcb_atom_t, 2> offered{targets_, image_};
      xcb().change_property(connection_, XCB_PROP_MODE_REPLACE, request.requestor, property, XCB_ATOM_ATOM,
                            32, offered.size(), offered.data());
    } else if (request.target == image_) {
      xcb().change_property(connection_, XCB_PROP_MODE_REPLACE, request.requestor, property, image_, 8,
                            static_cast<std::uint32_t>(png_.size()), png_.data());
    } else {
      told.property = XCB_ATOM_NONE;
    }
    // An event is 32 bytes long, more than this one has.
    std::array<char, 32> event{};
    static_assert(sizeof told <= event.size());
    std::memcpy(event.data(), &told, sizeof told);
    xcb().send_event(connection_, 0, request.requestor, XCB_EVENT_MASK_NO_EVENT, event.data());
    xcb().flush(connection_);
  }

  std::string png_;
  xcb_connection_t* connection_ = nullptr;
  xcb_window_t window_ = 0;
  xcb_atom_t clipboard_ = 0, targets_ = 0, image_ = 0;
  int stop_ = -1;
  std::thread thread_;
};

ClipboardImage::ClipboardImage() = default;
ClipboardImage::~ClipboardImage() = default;

Result<Done> ClipboardImage::offer(std::string png) {
  auto owner = std::make_unique<Owner>(std::move(png));
  if (auto started = owner->start(); !started) return started;
  owner_ = std::move(owner);
  return Done{};
}

}  // namespace warplens::app

#endif
