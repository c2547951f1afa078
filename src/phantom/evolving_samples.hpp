// The samples of a phantom whose signal evolves during the readout.
#pragma once

#include "whorl/phantom/coils.hpp"

namespace whorl::detail {

/// Sums over points^dim points in each voxel of the object as the coils receive it, with the evolution by the phantom's
/// R2* and field between time 0 and the times of the samples; scaled as phantom_samples. `coils` are those of the matrix.
///
/// Shapes  points [sample, dim]; times [sample] in seconds; result [coil, sample]
Array<std::complex<float>> evolving_samples(const Context& ctx, const Phantom& phantom, const PhantomCoils& coils,
                                            ArrayRef<const double> points, ArrayRef<const double> times, int per_voxel);

}  // namespace whorl::detail
