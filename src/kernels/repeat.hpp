// Kernel family: the repetition of recorded work.
#pragma once

#include <functional>

#include "kernels/registry.hpp"

namespace whorl::kernels {

/// `work` as something that may be called again and again: where a device can record what it was asked for and repeat
/// it at less cost, that happens after the first call. `work` asks the context's device for the same things each time,
/// and neither waits for it nor looks at its results.
inline CoreKernel<std::function<void()>(const Context&, std::function<void()> work)> make_repeatable{"repeat"};

}  // namespace whorl::kernels
