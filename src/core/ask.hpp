// Private: a question that long loops in one thread put now and then.
#pragma once

#include <string_view>

#include "whorl/core/context.hpp"
#include "whorl/core/view.hpp"

namespace whorl::detail {

/// At every 65536th `i`: throws Cancelled, which names the operation, if the work is asked to stop.
inline void ask_at(const Context& ctx, Index i, std::string_view operation) {
  constexpr Index between = 1 << 16;  // elements of a loop, a few milliseconds at most
  if (i % between == 0) ctx.check_cancel(operation);
}

}  // namespace whorl::detail
