// Detection of forks. The child of a fork has only the thread that forked. There OpenMP (libgomp) would wait forever
// for the team that this thread had, and a GPU's driver refuses to work.
#pragma once

#include "core/internal.hpp"

namespace whorl::kernels {

/// Watches the forks of this process from now on. Further calls have no effect.
void watch_forks();

/// Whether loops may start teams of threads: not in the child of a process that had several threads when it forked.
bool may_start_threads();

/// Number of forks between the process that was watched first and this one. An object that belongs to one process, such
/// as a queue of a GPU, stores this number and compares it later.
WHORL_INTERNAL int forks_before();

}  // namespace whorl::kernels
