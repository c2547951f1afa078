// The memory that making coil maps takes.
#pragma once

#include <functional>

#include "whorl/calib/coil_maps.hpp"

namespace whorl::detail {

/// Where the maps and eigenvalues of ESPIRiT go.
enum class MapPlace {
  device,  ///< the context's device reaches them
  host,    ///< the host: the device has those of one slice at a time
};

/// espirit, with maps [coil, (z,) y, x] in given memory. Those that go to the host differ by rounding.
template <class Real>
CoilMaps<Real> espirit_into(const Context& ctx, ArrayRef<const std::complex<Real>> calibration,
                            const Shape& image_shape, const EspiritOptions& options, MapPlace place,
                            const std::function<Array<std::complex<Real>>(const Shape&)>& make_maps);

/// Bytes of ESPIRiT on the context's device, including what it has of maps and eigenvalues, but not the calibration data,
/// which have these extents [coil, (kz,) ky, kx].
template <class Real>
Index espirit_memory(const Context& ctx, const Shape& calibration, const Shape& image_shape,
                     const EspiritOptions& options, MapPlace place);

/// Bytes of Walsh's method on the context's device beside the coils' images, including the maps.
template <class Real>
Index walsh_memory(const Context& ctx, Index coils, const Shape& image_shape);

}  // namespace whorl::detail
