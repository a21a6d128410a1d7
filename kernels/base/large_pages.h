#pragma once

#include <cstddef>

namespace warplens {

/// Of memory that is about to be filled. Where the system has no large pages (2 MiB) to give, nothing is
/// lost.
void ask_for_large_pages(void* memory, std::size_t bytes);

}  // namespace warplens
