// NLINV of more coils than fit into memory at a time, or of some voxels.
#pragma once

#include <complex>
#include <functional>
#include <memory>

#include "calib/smooth_maps.hpp"
#include "whorl/calib/nlinv.hpp"

namespace whorl::detail {

inline SmoothMapOptions map_options(const NlinvOptions& options) {
  return {.smoothness = options.smoothness, .order = options.order, .period = options.period};
}

/// How an Nlinv takes its voxels and its coils: all together, or some at a time. The maps of these are made again from their few coefficients
/// in every application of the normal operator, and arrays of all coils that last (P^H y, the maps in the end) lie in given
/// memory on the host. Then the transform must be a Nufft, and the data of a frame may lie on the host.
///
/// Accuracy of the images and maps: those of all coils together, to the last bit if the transform takes as many at a time, or
/// a part of as many
template <class Real>
struct NlinvTiles {
  Index coils_at_once = 0;                                        ///< 0: all
  std::function<Array<std::complex<Real>>(const Shape&)> make{};  ///< memory on the host; none: the device's
  std::shared_ptr<const Array<Real>> support{};  ///< 0 where the images are held at 0, else 1, on the device; none: 1

  /// The solver of a series of frames.
  Nlinv<Real> solver(const Context& ctx, const Shape& image, Index coils, const NlinvOptions& options) const;
};

/// nlinv_memory with so many coils at a time, for which the transform's bytes are too. `samples`: those of a frame whose data
/// lie on the host of a GPU, else 0.
template <class Real>
Index tiled_nlinv_memory(const Context& ctx, const Shape& image, Index coils, const NlinvOptions& options,
                         const NufftMemory& transform, Index coils_at_once, Index samples);

}  // namespace whorl::detail
