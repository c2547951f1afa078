// The memory of density compensation.
#pragma once

#include <complex>
#include <functional>

#include "whorl/density/density_weights.hpp"

namespace whorl::detail {

/// Makes the grid of Pipe and Menon's iteration, in memory that the context's device reaches.
template <class Real>
using MakeGrid = std::function<Array<std::complex<Real>>(const Shape&)>;

/// density_weights, with a grid in given memory.
template <class Real>
DensityWeights<Real> density_weights_with(const Context& ctx, const Trajectory& trajectory, const Shape& image_shape,
                                          const Array<Real>* from_file, DensityMethod method,
                                          const DensityOptions& options, const MakeGrid<Real>& make_grid);

/// pipe_menon_density, with a grid in given memory.
template <class Real>
PipeMenonResult<Real> pipe_menon_with(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape,
                                      const PipeMenonOptions& options, const MakeGrid<Real>& make_grid);

/// Bytes of Pipe and Menon's iteration on the context's device, including its weights and, unless it is elsewhere, its grid;
/// points are on the host.
template <class Real>
Index pipe_menon_memory(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape,
                        bool grid_elsewhere = false);

/// Bytes of that grid, in float.
Index pipe_menon_grid_bytes(const Shape& image_shape);

/// Bytes of the impulse response on the context's device, without points and weights; points are on the host.
template <class Real>
Index impulse_response_memory(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape);

}  // namespace whorl::detail
