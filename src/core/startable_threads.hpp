// How many threads a team may have: OpenMP's runtime ends the process where it cannot start one.
#pragma once

namespace whorl::detail {

/// Number of threads, 1 to `wanted`, that a parallel loop of the calling thread can have: all, unless limits of memory or of
/// processes allow fewer. A thread finds out once, before its first loop, and keeps the answer.
int startable_threads(int wanted);

}  // namespace whorl::detail
