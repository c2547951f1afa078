// The memory of density compensation.
#pragma once

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"

namespace whorl::detail {

/// Bytes of Pipe and Menon's iteration on the context's device, including its weights; points are on the host.
template <class Real>
Index pipe_menon_memory(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape);

/// Bytes of the impulse response on the context's device, without points and weights; points are on the host.
template <class Real>
Index impulse_response_memory(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape);

}  // namespace whorl::detail
