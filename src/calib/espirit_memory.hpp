// The memory of ESPIRiT.
#pragma once

#include "whorl/calib/coil_maps.hpp"

namespace whorl::detail {

/// Bytes on the context's device, including maps and eigenvalues, but not the calibration data, which have these
/// extents [coil, (kz,) ky, kx].
template <class Real>
Index espirit_memory(const Context& ctx, const Shape& calibration, const Shape& image_shape,
                     const EspiritOptions& options);

}  // namespace whorl::detail
