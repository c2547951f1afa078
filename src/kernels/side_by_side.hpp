// Kernel family: independent pieces of work, several at a time.
#pragma once

#include <functional>

#include "kernels/registry.hpp"

namespace whorl::kernels {

/// Does work(c, i) for each i from 0 to count - 1. Small pieces run side by side, each with a context c of its own: on a
/// GPU in a stream, on a CPU in a thread, if there is a piece for each. The others run with ctx, one after another. What
/// the caller queues next runs after all pieces.
///
/// `elements` is the size of a piece, in elements of its result: pieces that fill the device run one after another. The
/// pieces must not write to the same memory, must not wait for the device and must not read results. They may throw on
/// a CPU: later pieces may be left out, and the exception of the first piece that threw leaves this call.
inline CoreKernel<void(const Context&, Index count, Index elements,
                       const std::function<void(const Context&, Index)>& work)>
    side_by_side{"side_by_side"};

/// How many pieces run at a time. Each has its own scratch, on a CPU that of one thread.
inline CoreKernel<Index(const Context&, Index count, Index elements)> pieces_at_once{"pieces_at_once"};

}  // namespace whorl::kernels
