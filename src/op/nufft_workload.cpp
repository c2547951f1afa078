#include "op/nufft_workload.hpp"

#include <algorithm>

#include "op/nufft_plan.hpp"

namespace whorl {

namespace {

// Coils for each thread: the models of a CPU are those of one thread, in nanoseconds.
double seconds_share(const Context& ctx, Index coils) {
  const double threads = ctx.device().kind == DeviceKind::cpu ? ctx.threads() : 1;
  return 1e-9 * static_cast<double>(coils) / threads;
}

}  // namespace

template <class Real>
NufftWorkload nufft_workload(const Context& ctx, const Shape& image, Index samples, Index coils,
                             const NufftOptions& options) {
  const NufftDesign design = design_nufft(ctx, image, samples, options, unit_roundoff<Real>);
  const int dim = image.rank();
  const double transform = kernels::nufft_cost(ctx, {dim, design.window.width(), design.grid.size(), samples});
  NufftWorkload work;
  work.convolution = wants_toeplitz(ctx, design, image, samples, options);
  work.coils_at_once = std::min(coils, most_coils_at_once<Real>(ctx, design.grid.size()));
  const double share = seconds_share(ctx, coils);
  work.adjoint_seconds = share * transform;
  work.normal_seconds =
      share * (work.convolution ? kernels::convolution_cost(ctx, dim, normal_grid(image).size()) : 2 * transform);
  return work;
}

double subspace_seconds(const Context& ctx, const Shape& image, Index components, Index coils) {
  return seconds_share(ctx, coils) * kernels::mixing_cost(ctx, {image.rank(), normal_grid(image).size(), components});
}

template NufftWorkload nufft_workload<float>(const Context&, const Shape&, Index, Index, const NufftOptions&);

}  // namespace whorl
