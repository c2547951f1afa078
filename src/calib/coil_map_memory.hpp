// The memory that making coil maps takes.
#pragma once

#include <functional>

#include "whorl/calib/coil_maps.hpp"

namespace whorl::detail {

/// espirit, with maps [coil, (z,) y, x] in given memory that the context's device reaches.
template <class Real>
CoilMaps<Real> espirit_into(const Context& ctx, ArrayRef<const std::complex<Real>> calibration,
                            const Shape& image_shape, const EspiritOptions& options,
                            const std::function<Array<std::complex<Real>>(const Shape&)>& make_maps);

/// Bytes of ESPIRiT on the context's device, including maps and eigenvalues, but not the calibration data, which have these
/// extents [coil, (kz,) ky, kx].
template <class Real>
Index espirit_memory(const Context& ctx, const Shape& calibration, const Shape& image_shape,
                     const EspiritOptions& options);

/// Bytes of Walsh's method on the context's device beside the coils' images, including the maps.
template <class Real>
Index walsh_memory(const Context& ctx, Index coils, const Shape& image_shape);

}  // namespace whorl::detail
