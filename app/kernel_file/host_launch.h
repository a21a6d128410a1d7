// What host code says of a kernel's launch.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "app/kernel_file/kernel_file.h"
#include "app/launch_form/launch_form.h"
#include "kernels/host/host_program.h"

namespace warplens::app {

/// The program that a file's host code is, interpreted once; headers are read as its includes are. Any
/// thread.
[[nodiscard]] std::shared_ptr<const host::HostProgram> host_program_of(const KernelFile& file);

/// The launches that the program makes of a kernel, in its order.
[[nodiscard]] std::vector<const host::Launch*> launches_of(const host::HostProgram& program,
                                                           const FileEntry& entry);

/// The same in words.
[[nodiscard]] std::vector<FileLaunch> file_launches_of(const host::HostProgram& program,
                                                       const FileEntry& entry);

/// The kernel that `main` launches first; null: there is no main, or it launches none of the file's.
[[nodiscard]] const FileEntry* first_launched(const KernelFile& file);

/// Fills in what the form does not say yet, or only guesses, with what the host code says of the kernel's
/// launch of that index (0: the first): grid, block, shared memory, arguments, and how large buffers are and
/// what they hold. What only running the program tells is left out.
void read_host_launch(LaunchForm& form, const KernelFile& file, const FileEntry& entry,
                      std::size_t launch = 0);

}  // namespace warplens::app
