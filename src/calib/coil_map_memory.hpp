// The memory that making coil maps takes.
#pragma once

#include <functional>

#include "whorl/calib/coil_maps.hpp"

namespace whorl::detail {

/// Where maps go, with ESPIRiT's eigenvalues and the images from which Walsh's method makes them.
enum class MapPlace {
  device,  ///< the context's device reaches them
  host,    ///< the host: the device has a part at a time, of ESPIRiT one slice
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

/// walsh, with images and maps [coil, (z,) y, x] in the place given. On the host the device has a slab of slices at a time (of
/// rows, where there is one slice), and those that its blocks reach. The maps are the same.
template <class Real>
CoilMaps<Real> walsh_into(const Context& ctx, ArrayRef<const std::complex<Real>> images, const WalshOptions& options,
                          MapPlace place, const std::function<Array<std::complex<Real>>(const Shape&)>& make_maps);

/// Bytes of Walsh's method on the context's device, including what it has of the maps, and of the images where they lie on
/// the host.
template <class Real>
Index walsh_memory(const Context& ctx, Index coils, const Shape& image_shape, const WalshOptions& options,
                   MapPlace place);

}  // namespace whorl::detail
