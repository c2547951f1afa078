// Kernel family: the repetition of recorded work.
#pragma once

#include <functional>

#include "kernels/registry.hpp"

namespace whorl::kernels {

/// A function that does `work` at each call. If a device can record queued work and repeat the record at less cost,
/// that happens after the first call. `work` must queue the same work on the context's device each time, and must
/// neither wait for it nor read its results.
inline CoreKernel<std::function<void()>(const Context&, std::function<void()> work)> make_repeatable{"repeat"};

}  // namespace whorl::kernels
