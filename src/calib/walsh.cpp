#include <array>

#include "calib/channels.hpp"
#include "calib/coil_map_memory.hpp"
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

template <class Real>
Index detail::walsh_memory(const Context& ctx, Index coils, const Shape& image_shape) {
  const std::array<Index, 3> image{image_shape.rank() == 3 ? image_shape[0] : 1, image_shape[-2], image_shape[-1]};
  const auto real_bytes = static_cast<Index>(sizeof(Real));
  return kernels::walsh_memory(ctx, coils, image, real_bytes) + 2 * coils * image_shape.size() * real_bytes;
}

template Index detail::walsh_memory<float>(const Context&, Index, const Shape&);
template Index detail::walsh_memory<double>(const Context&, Index, const Shape&);
template CoilMaps<float> walsh(const Context&, ArrayRef<const std::complex<float>>, const WalshOptions&);
template CoilMaps<double> walsh(const Context&, ArrayRef<const std::complex<double>>, const WalshOptions&);

}  // namespace whorl
