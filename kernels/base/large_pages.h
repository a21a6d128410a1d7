#pragma once

#include <cstddef>

namespace warplens {

/// Asks for large pages (2 MiB) for memory that is about to be filled. Does nothing where the system has none
/// to give.
void ask_for_large_pages(void* memory, std::size_t bytes);

}  // namespace warplens
