// Checks of the positions of samples on a GPU.
#pragma once

#include "whorl/core/array.hpp"

namespace whorl::backend::cuda {

bool all_at_most(const Context& ctx, ArrayRef<const double> values, double limit);

}  // namespace whorl::backend::cuda
