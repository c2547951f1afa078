// What a fork leaves of a process. The child has one thread: the one that forked. OpenMP (libgomp) still counts on the
// team that this thread had, and waits for it forever. A GPU's driver refuses to work.
#pragma once

#include "core/internal.hpp"

namespace whorl::kernels {

/// Watches the forks of this process from now on. Any number of calls count as one.
void watch_forks();

/// Whether loops may start teams of threads: not in the child of a process that had several threads when it forked.
bool may_start_threads();

/// Number of forks between the process that was watched first and this one. What belongs to a process, such as a
/// queue of a GPU, notes it and compares.
WHORL_INTERNAL int forks_before();

}  // namespace whorl::kernels
