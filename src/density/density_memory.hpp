// What density compensation takes.
#pragma once

#include "whorl/core/context.hpp"
#include "whorl/core/shape.hpp"

namespace whorl::detail {

/// Bytes on the context's device that Pipe and Menon's iteration takes, with its weights.
template <class Real>
Index pipe_menon_memory(const Context& ctx, Index samples, const Shape& image_shape);

/// The same of the impulse response, beside points and weights.
template <class Real>
Index impulse_response_memory(const Context& ctx, Index samples, const Shape& image_shape);

}  // namespace whorl::detail
