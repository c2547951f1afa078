// Work recorded as a CUDA graph.
#pragma once

#include <functional>

#include "whorl/core/context.hpp"

namespace whorl::backend::cuda {

std::function<void()> make_repeatable(const Context& ctx, std::function<void()> work);

}  // namespace whorl::backend::cuda
