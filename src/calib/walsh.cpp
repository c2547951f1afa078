#include <algorithm>
#include <array>
#include <functional>

#include "calib/channels.hpp"
#include "calib/coil_map_memory.hpp"
#include "calib/reference_coil.hpp"
#include "kernels/coil_maps.hpp"
#include "whorl/calib/coil_maps.hpp"
#include "whorl/calib/option_tables.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/on_device.hpp"
#include "whorl/core/progress.hpp"

namespace whorl {

namespace {

std::array<Index, 3> zyx_of(const Shape& image) { return {image.rank() == 3 ? image[0] : 1, image[-2], image[-1]}; }

// An image in slabs of slices, or of rows where it has one slice: along its slowest axis, so that the slab of a coil is one
// piece of memory. A slab of all coils takes as much as one image of the whole, or else it is one slice or row.
struct Slabs {
  Slabs(const std::array<Index, 3>& zyx, Index coils, Index block)
      : image(zyx),
        axis(zyx[0] > 1 ? 0 : 1),
        extent(zyx[axis]),
        step(std::max<Index>(extent / coils, 1)),
        reach(block / 2) {}

  std::array<Index, 3> part(Index count) const {
    std::array<Index, 3> some = image;
    some[axis] = count;
    return some;
  }
  Index inner() const { return image[0] * image[1] * image[2] / extent; }
  // With what the blocks reach.
  Index most_near() const { return std::min(extent, step + 2 * reach); }

  std::array<Index, 3> image;
  std::size_t axis;
  Index extent;
  Index step;
  Index reach;
};

// Maps on the host from images there.
template <class Real>
Index maps_by_slabs(const Context& ctx, ArrayRef<const std::complex<Real>> images, Index block,
                    const kernels::MapTarget<Real>& target, ArrayRef<std::complex<Real>> maps) {
  using Complex = std::complex<Real>;
  const Index coils = images.extent(0);
  const Slabs slabs(target.image, coils, block);
  const Index inner = slabs.inner();
  const auto from = images.reshape({coils, slabs.extent, inner});
  const auto to = maps.reshape({coils, slabs.extent, inner});
  Array<Complex> near(ctx, {coils * slabs.most_near() * inner});
  Array<Complex> made(ctx, {coils * slabs.step * inner});
  ProgressStage stage(ctx, "Walsh: maps", slabs.extent);
  const Context silent = ctx.with(std::shared_ptr<ProgressSink>());
  Index support = 0;
  for (Index first = 0; first < slabs.extent; first += slabs.step) {
    const Index end = std::min(first + slabs.step, slabs.extent);
    const Index near_first = std::max<Index>(first - slabs.reach, 0);
    const Index near_end = std::min(end + slabs.reach, slabs.extent);
    const ArrayRef<Complex> read(near.data(), {coils, near_end - near_first, inner}, ctx.device());
    const ArrayRef<Complex> written(made.data(), {coils, end - first, inner}, ctx.device());
    for (Index c = 0; c < coils; ++c) copy<Complex>(ctx, from.slice(c).range(near_first, near_end), read.slice(c));
    kernels::WalshImages<Real> source{.data = read.data(), .extent = slabs.part(near_end - near_first)};
    source.first[slabs.axis] = first - near_first;
    support += kernels::walsh_maps<Real>(
        silent, source, block,
        {.image = slabs.part(end - first), .reference = target.reference, .maps = written.data()});
    for (Index c = 0; c < coils; ++c) copy<Complex>(ctx, written.slice(c), to.slice(c).range(first, end));
    stage.advance(end - first);
  }
  return support;
}

}  // namespace

template <class Real>
CoilMaps<Real> walsh(const Context& ctx, ArrayRef<const std::complex<Real>> images, const WalshOptions& options) {
  const OnDevice<std::complex<Real>> here(ctx, images);
  return detail::walsh_into<Real>(ctx, here.get(), options, detail::MapPlace::device,
                                  [&](const Shape& maps) { return Array<std::complex<Real>>(ctx, maps); });
}

template <class Real>
CoilMaps<Real> detail::walsh_into(const Context& ctx, ArrayRef<const std::complex<Real>> images,
                                  const WalshOptions& options, MapPlace place,
                                  const std::function<Array<std::complex<Real>>(const Shape&)>& make_maps) {
  const Context there = place == MapPlace::host ? ctx.host() : ctx;
  detail::check_channels<Real>(there, "Walsh's method", images, 3, 4);
  check_options(options);
  CoilMaps<Real> result{make_maps(images.shape()), Array<Real>(), 0};
  const kernels::MapTarget<Real> target{
      .image = zyx_of(images.shape().tail()),
      .reference = detail::reference_coil<Real>(detail::gram_of_channels<Real>(there, images)),
      .maps = result.maps.data()};
  result.voxels_in_support =
      place == MapPlace::host
          ? maps_by_slabs<Real>(ctx, images, options.block, target, result.maps.ref())
          : kernels::walsh_maps<Real>(ctx, {.data = images.data(), .extent = target.image}, options.block, target);
  return result;
}

template <class Real>
Index detail::walsh_memory(const Context& ctx, Index coils, const Shape& image_shape, const WalshOptions& options,
                           MapPlace place) {
  const std::array<Index, 3> image = zyx_of(image_shape);
  const auto real_bytes = static_cast<Index>(sizeof(Real));
  if (place == MapPlace::device) {
    return kernels::walsh_memory(ctx, coils, image, options.block, real_bytes) +
           2 * coils * image_shape.size() * real_bytes;
  }
  const Slabs slabs(image, coils, options.block);
  return kernels::walsh_memory(ctx, coils, slabs.part(slabs.step), options.block, real_bytes) +
         2 * coils * (slabs.most_near() + slabs.step) * slabs.inner() * real_bytes;
}

#define WHORL_INSTANTIATE(Real)                                                                                        \
  template CoilMaps<Real> walsh(const Context&, ArrayRef<const std::complex<Real>>, const WalshOptions&);              \
  template CoilMaps<Real> detail::walsh_into(const Context&, ArrayRef<const std::complex<Real>>, const WalshOptions&,  \
                                             MapPlace, const std::function<Array<std::complex<Real>>(const Shape&)>&); \
  template Index detail::walsh_memory<Real>(const Context&, Index, const Shape&, const WalshOptions&, MapPlace)
WHORL_INSTANTIATE(float);
WHORL_INSTANTIATE(double);
#undef WHORL_INSTANTIATE

}  // namespace whorl
