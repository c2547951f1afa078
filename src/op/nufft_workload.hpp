// How a NUFFT works, and how long that takes by the model that chooses its grid.
#pragma once

#include "whorl/op/nufft.hpp"

namespace whorl {

struct NufftWorkload {
  Index coils_at_once = 0;
  bool convolution = false;  ///< the normal operator is one
};

/// Work of a Nufft with these options on the context's device, with the context's threads.
template <class Real>
NufftWorkload nufft_workload(const Context& ctx, const Shape& image, Index samples, Index coils,
                             const NufftOptions& options);

}  // namespace whorl
