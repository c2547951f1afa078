// How a NUFFT works, and how long that takes by the model that chooses its grid.
#pragma once

#include "whorl/op/nufft.hpp"

namespace whorl {

struct NufftWorkload {
  Index coils_at_once = 0;
  bool convolution = false;    ///< the normal operator is one
  double normal_seconds = 0;   ///< of the normal operator, for all coils
  double adjoint_seconds = 0;  ///< of a transform of all coils
};

/// Work of a Nufft with these options on the context's device, with the context's threads.
template <class Real>
NufftWorkload nufft_workload(const Context& ctx, const Shape& image, Index samples, Index coils,
                             const NufftOptions& options);

/// Seconds of the normal operator of a subspace by its spectra, for all coils.
double subspace_seconds(const Context& ctx, const Shape& image, Index components, Index coils);

}  // namespace whorl
