#include "op/nufft_workload.hpp"

#include <algorithm>

#include "op/nufft_plan.hpp"

namespace whorl {

template <class Real>
NufftWorkload nufft_workload(const Context& ctx, const Shape& image, Index samples, Index coils,
                             const NufftOptions& options) {
  const NufftDesign design = design_nufft(ctx, image, samples, options, unit_roundoff<Real>);
  NufftWorkload work;
  work.convolution = wants_toeplitz(ctx, design, image, samples, options);
  work.coils_at_once = std::min(coils, most_coils_at_once<Real>(ctx, design.grid.size()));
  return work;
}

template NufftWorkload nufft_workload<float>(const Context&, const Shape&, Index, Index, const NufftOptions&);

}  // namespace whorl
