// The memory of least squares with regularizers.
#pragma once

#include "recon/least_squares_recon.hpp"

namespace whorl::recon {

/// Bytes at the peak, beside data, maps, transforms, penalties and images.
struct RegularizedMemory {
  Index bytes = 0;
  Index encoding = 0;  ///< what the encoding takes, beside what it works on
  Index arrays = 0;    ///< all without that, at their own peak
};

/// For so many frames. So many replicas or probes of error bars are solved together.
RegularizedMemory regularized_memory(const LeastSquaresSizes& sizes, Index frames, Index replicas,
                                     const ReconOptions& options);

}  // namespace whorl::recon
