#include "op/nufft_memory.hpp"

#include <algorithm>
#include <array>
#include <complex>

#include "op/nufft_plan.hpp"
#include "whorl/core/on_device.hpp"

namespace whorl {

namespace {

// A plan on another device copies the points there, as long as it is made.
Index copied_points(const Context& ctx, const kernels::PlacedSamples& samples) {
  return ctx.device().kind == DeviceKind::cpu ? 0 : samples.points.size() * static_cast<Index>(sizeof(double));
}

}  // namespace

template <class Real>
NufftMemory placed_nufft_memory(const Context& ctx, const kernels::PlacedSamples& samples, const Shape& image_shape,
                                Index coils, const NufftOptions& options) {
  constexpr auto real_bytes = static_cast<Index>(sizeof(Real));
  constexpr Index complex_bytes = 2 * real_bytes;
  const Index count = samples.count();
  const NufftDesign design = design_nufft(ctx, image_shape, count, options, unit_roundoff<Real>);
  const std::array<Index, 3> extents = padded_to_3d(design.grid);
  const kernels::GridLayout grid =
      image_shape.rank() == 1 ? kernels::dense_layout(extents) : kernels::padded_layout(ctx, extents, real_bytes);
  const Index at_once = std::min(most_coils_at_once<Real>(ctx, grid.size()), coils);
  const kernels::GriddingMemory gridding =
      kernels::gridding_memory(ctx, samples, grid, design.window.width(), real_bytes, at_once);
  NufftMemory memory{.plan = gridding.plan,
                     .forward = at_once * grid.size() * complex_bytes + gridding.interpolate,
                     .adjoint = at_once * grid.size() * complex_bytes + gridding.spread,
                     .planning = copied_points(ctx, samples) + gridding.planning};
  if (wants_toeplitz(ctx, design, image_shape, count, options)) {
    const NufftMemory toeplitz = toeplitz_memory<Real>(ctx, samples, image_shape, coils, options);
    memory.plan += toeplitz.plan;
    memory.normal = toeplitz.normal;
    memory.planning = std::max(memory.planning, copied_points(ctx, samples) + toeplitz.planning);
  } else {
    memory.normal = std::max(memory.forward, memory.adjoint) + at_once * count * complex_bytes;
  }
  // Sums over coils keep a half of them apart (SenseNufft).
  if (ctx.device().kind != DeviceKind::cpu && coils > 1) {
    for (Index* const work : {&memory.forward, &memory.adjoint, &memory.normal}) {
      *work += image_shape.size() * complex_bytes;
    }
  }
  return memory;
}

template <class Real>
NufftMemory toeplitz_memory(const Context& ctx, const kernels::PlacedSamples& samples, const Shape& image, Index coils,
                            const NufftOptions& options) {
  const Shape grid = normal_grid(image);
  const std::array<Index, 3> extent = padded_to_3d(grid);
  constexpr auto real_bytes = static_cast<Index>(sizeof(Real));
  constexpr Index complex_bytes = 2 * real_bytes;
  const NufftMemory nufft =
      placed_nufft_memory<Real>(ctx, samples, grid, 1, impulse_options<Real>(ctx, grid, samples.count(), options));
  // The impulse, beside it first the ones along the trajectory and their transform, then the spectrum before it is
  // real.
  const Index alone = std::max(samples.count() * complex_bytes + nufft.plan +
                                   std::max(nufft.adjoint, nufft.planning - copied_points(ctx, samples)),
                               kernels::padded_layout(ctx, extent, real_bytes).size() * complex_bytes);
  const Index transforming = grid.size() * complex_bytes + alone;
  return {.plan = grid.size() * real_bytes,
          .normal = kernels::convolution_memory(ctx, {padded_to_3d(image), extent}, real_bytes, coils),
          .planning = transforming};
}

template <class Real>
NufftMemory nufft_memory(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape, Index coils,
                         const NufftOptions& options) {
  if (points.device().kind == DeviceKind::cpu) {
    return placed_nufft_memory<Real>(ctx, {points}, image_shape, coils, options);
  }
  const Array<double> on_host = to_host(ctx, points);
  return placed_nufft_memory<Real>(ctx, {on_host}, image_shape, coils, options);
}

#define WHORL_INSTANTIATE(Real)                                                                                      \
  template NufftMemory placed_nufft_memory<Real>(const Context&, const kernels::PlacedSamples&, const Shape&, Index, \
                                                 const NufftOptions&);                                               \
  template NufftMemory toeplitz_memory<Real>(const Context&, const kernels::PlacedSamples&, const Shape&, Index,     \
                                             const NufftOptions&);                                                   \
  template NufftMemory nufft_memory<Real>(const Context&, ArrayRef<const double>, const Shape&, Index,               \
                                          const NufftOptions&)
WHORL_INSTANTIATE(float);
WHORL_INSTANTIATE(double);
#undef WHORL_INSTANTIATE

}  // namespace whorl
