// What ESPIRiT takes.
#pragma once

#include "whorl/calib/coil_maps.hpp"

namespace whorl::detail {

/// Bytes on the context's device with its maps and eigenvalues, beside the calibration data of these extents
/// [coil, (kz,) ky, kx].
template <class Real>
Index espirit_memory(const Context& ctx, const Shape& calibration, const Shape& image_shape,
                     const EspiritOptions& options);

}  // namespace whorl::detail
