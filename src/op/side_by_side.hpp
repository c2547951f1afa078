// Independent pieces of work, several at a time, for what lies above the operators.
#pragma once

#include <functional>

#include "kernels/side_by_side.hpp"

namespace whorl {

/// work(c, i) for each i from 0 to count - 1, as kernels::side_by_side does it and with its conditions. BlockDiagonal::at_once
/// tells how many run at a time.
inline void side_by_side(const Context& ctx, Index count, Index elements,
                         const std::function<void(const Context&, Index)>& work) {
  kernels::side_by_side(ctx, count, elements, work);
}

}  // namespace whorl
