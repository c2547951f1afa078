#include "calib/channels.hpp"
#include "calib/reference_coil.hpp"
#include "kernels/coil_maps.hpp"
#include "whorl/calib/coil_maps.hpp"
#include "whorl/calib/option_tables.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/on_device.hpp"

namespace whorl {

template <class Real>
CoilMaps<Real> walsh(const Context& ctx, ArrayRef<const std::complex<Real>> images, const WalshOptions& options) {
  const OnDevice<std::complex<Real>> here(ctx, images);
  detail::check_channels<Real>(ctx, "Walsh's method", here.get(), 3, 4);
  check_options(options);
  CoilMaps<Real> result{Array<std::complex<Real>>(ctx, images.shape()), Array<Real>(), 0};
  const kernels::MapTarget<Real> target{
      .image = {images.rank() == 4 ? images.extent(1) : 1, images.extent(-2), images.extent(-1)},
      .reference = detail::reference_coil<Real>(detail::gram_of_channels<Real>(ctx, here.get())),
      .maps = result.maps.data()};
  result.voxels_in_support = kernels::walsh_maps<Real>(ctx, here.get().data(), options.block, target);
  return result;
}

template CoilMaps<float> walsh(const Context&, ArrayRef<const std::complex<float>>, const WalshOptions&);
template CoilMaps<double> walsh(const Context&, ArrayRef<const std::complex<double>>, const WalshOptions&);

}  // namespace whorl
