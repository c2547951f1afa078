#include "op/nufft_workload.hpp"

#include <algorithm>

#include "op/nufft_plan.hpp"

namespace whorl {

template <class Real>
NufftWorkload nufft_workload(const Context& ctx, const Shape& image, Index samples, Index coils,
                             const NufftOptions& options) {
  const NufftDesign design = design_nufft(ctx, image, samples, options, unit_roundoff<Real>);
  const int dim = image.rank();
  const double transform = kernels::nufft_cost(ctx, {dim, design.window.width(), design.grid.size(), samples});
  NufftWorkload work;
  work.convolution = wants_toeplitz(ctx, design, image, samples, options);
  work.coils_at_once = std::min(coils, most_coils_at_once<Real>(ctx, design.grid.size()));
  // The model of a CPU is that of one thread.
  const double threads = ctx.device().kind == DeviceKind::cpu ? ctx.threads() : 1;
  const double share = 1e-9 * static_cast<double>(coils) / threads;
  work.adjoint_seconds = share * transform;
  work.normal_seconds =
      share * (work.convolution ? kernels::convolution_cost(ctx, dim, normal_grid(image).size()) : 2 * transform);
  return work;
}

template NufftWorkload nufft_workload<float>(const Context&, const Shape&, Index, Index, const NufftOptions&);

}  // namespace whorl
