// How many threads a team may have: OpenMP's runtime ends the process where it cannot start one.
#pragma once

#include "core/internal.hpp"

namespace whorl::detail {

/// How many processors this process may use: std::thread counts all of the machine. A Context has so many threads unless told
/// otherwise.
WHORL_INTERNAL int processors();

/// Number of threads, 1 to `wanted`, that a parallel loop of the calling thread can have: all, unless limits of memory or of
/// processes allow fewer. A thread finds out once, before its first loop, and keeps the answer.
int startable_threads(int wanted);

}  // namespace whorl::detail
