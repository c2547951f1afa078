#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "calib/channels.hpp"
#include "calib/coil_map_memory.hpp"
#include "calib/reference_coil.hpp"
#include "kernels/coil_maps.hpp"
#include "whorl/calib/coil_maps.hpp"
#include "whorl/calib/option_tables.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/on_device.hpp"

namespace whorl {
namespace {

// Extents z, y, x from the last axes of a shape, 1 for a missing axis.
std::array<Index, 3> last_three(const Shape& shape, bool volume) {
  return {volume ? shape[-3] : 1, shape[-2], shape[-1]};
}

// Along each axis the default kernel has at least as many places in the calibration region [coil, (kz,) ky, kx] as it has points.
// Patches of fewer places do not span the signals of all voxels: most of a volume of 8 slices was lost with 5 points.
std::array<Index, 3> kernel_extents(const EspiritOptions& options, const Shape& calibration) {
  const bool volume = calibration.rank() == 4;
  std::array<Index, 3> kernel = last_three(calibration, volume);
  for (Index& extent : kernel) {
    extent = options.kernel != 0 ? options.kernel : std::min<Index>(volume ? 5 : 6, (extent + 1) / 2);
  }
  if (!volume) kernel[0] = 1;
  return kernel;
}

// The outermost samples of a calibration region [coil, (kz,) ky, kx], root-mean-square.
template <class Real>
double level_of_border(const Context& ctx, ArrayRef<const std::complex<Real>> calibration) {
  const Array<std::complex<Real>> region = to_host(ctx, calibration);
  double energy = 0;
  Index count = 0;
  for (Index i = 0; i < region.size(); ++i) {
    bool on_border = false;
    Index rest = i;
    for (int axis = region.rank() - 1; axis > 0; --axis) {
      const Index n = region.extent(axis);
      on_border |= rest % n == 0 || rest % n == n - 1;
      rest /= n;
    }
    if (!on_border) continue;
    energy += std::norm(std::complex<double>(region.data()[i]));
    ++count;
  }
  return std::sqrt(energy / static_cast<double>(count));
}

// Singular values below this part of the largest count as noise. Noise, or detail that patches do not span, is at the border of
// the calibration region too: white noise of standard deviation s there has no singular value above s (sqrt(patches) + sqrt(rows)).
// Less than twice that is mostly noise: maps of signal spaces with such parts made images of SNR 20 worse by up to 20 %.
// The largest singular value is told by the energy of all patches, of which it had 0.05 to 0.2 in the phantoms of bench/default_lambda.
// Where the border holds little, the threshold falls, down to a tenth: weak parts of a smooth object span singular values that small.
template <class Real>
double least_singular_value(const Context& ctx, ArrayRef<const std::complex<Real>> calibration, double energy,
                            const std::array<Index, 3>& kernel, double most) {
  constexpr double largest = 0.1;  // part of the energy of the patches
  constexpr double tenth = 0.1;
  double patches = 1;
  auto rows = static_cast<double>(calibration.extent(0));
  for (int axis = 1; axis < calibration.rank(); ++axis) {
    const Index extent = kernel[static_cast<std::size_t>(axis + 3 - calibration.rank())];
    patches *= static_cast<double>(calibration.extent(axis) - extent + 1);
    rows *= static_cast<double>(extent);
  }
  const double of_patches = energy * rows / static_cast<double>(calibration.extent(0));
  const double noise = level_of_border<Real>(ctx, calibration) * (std::sqrt(patches) + std::sqrt(rows));
  return std::clamp(2 * noise / std::sqrt(largest * of_patches), tenth * most, most);
}

// Maps and eigenvalues of a result on the host. Returns the number of voxels in the object.
template <class Real>
Index maps_by_slices(const Context& ctx, const kernels::EspiritOperator& g, Real threshold,
                     const kernels::MapTarget<Real>& target, CoilMaps<Real>& result) {
  using Complex = std::complex<Real>;
  const auto [slices, rows, columns] = target.image;
  const ArrayRef<Complex> maps = result.maps.ref().reshape({g.coils, slices, rows, columns});
  const ArrayRef<Real> eigenvalues = result.eigenvalues.ref().reshape({slices, rows, columns});
  Array<Complex> slice_maps(ctx, {g.coils, rows, columns});
  Array<Real> slice_eigenvalues(ctx, {rows, columns});
  ProgressStage stage(ctx, "ESPIRiT: maps", slices);
  const Context silent = ctx.with(std::shared_ptr<ProgressSink>());
  Index inside = 0;
  for (Index z = 0; z < slices; ++z) {
    inside += kernels::espirit_maps<Real>(silent, g, threshold, {target.image, target.reference, slice_maps.data()},
                                          {z, 1}, slice_eigenvalues.data());
    for (Index coil = 0; coil < g.coils; ++coil) {
      copy<Complex>(ctx, slice_maps.slice(coil), maps.slice(coil).slice(z));
    }
    copy<Real>(ctx, slice_eigenvalues, eigenvalues.slice(z));
    stage.advance();
  }
  return inside;
}

}  // namespace

template <class Real>
CoilMaps<Real> espirit(const Context& ctx, ArrayRef<const std::complex<Real>> calibration, const Shape& image_shape,
                       const EspiritOptions& options) {
  return detail::espirit_into<Real>(ctx, calibration, image_shape, options, detail::MapPlace::device,
                                    [&](const Shape& maps) { return Array<std::complex<Real>>(ctx, maps); });
}

template <class Real>
CoilMaps<Real> detail::espirit_into(const Context& ctx, ArrayRef<const std::complex<Real>> calibration,
                                    const Shape& image_shape, const EspiritOptions& options, MapPlace place,
                                    const std::function<Array<std::complex<Real>>(const Shape&)>& make_maps) {
  check_options(options);
  const OnDevice<std::complex<Real>> here(ctx, calibration);
  detail::check_channels<Real>(ctx, "ESPIRiT", here.get(), 3, 4);
  if (image_shape.rank() + 1 != calibration.rank() || image_shape.size() == 0) {
    throw ShapeError(
        fmt::format("ESPIRiT: calibration data {} and image {} do not fit, expected [coil, (kz,) ky, kx] and "
                    "[(z,) y, x]",
                    to_string(calibration.shape()), to_string(image_shape)));
  }
  const bool volume = image_shape.rank() == 3;
  for (int axis = 1; axis < calibration.rank(); ++axis) {
    if (calibration.extent(axis) < options.kernel) {
      throw ValueError(fmt::format("ESPIRiT: axis {} of the calibration data {} is smaller than the kernel of {}; {}",
                                   axis, to_string(calibration.shape()), options.kernel,
                                   calibration.extent(axis) < image_shape[axis - 1]
                                       ? "take a larger calibration region or a smaller kernel"
                                       : "it is the whole image: leave the kernel open"));
    }
  }
  const detail::Matrix<double> gram = detail::gram_of_channels<Real>(ctx, here.get());
  if (!(gram.trace().real() > 0)) throw ValueError("ESPIRiT: all calibration data is zero");

  const Index coils = calibration.extent(0);
  const Context there = place == MapPlace::host ? ctx.host() : ctx;
  CoilMaps<Real> result{make_maps(image_shape.with_front(coils)), Array<Real>(there, image_shape), 0};
  if (coils == 1) {
    // The sensitivity of a single coil cannot be told from the image.
    fill<std::complex<Real>>(there, result.maps, 1);
    fill<Real>(there, result.eigenvalues, 1);
    result.voxels_in_support = image_shape.size();
    return result;
  }
  const std::array<Index, 3> kernel = kernel_extents(options, calibration.shape());
  const kernels::EspiritOperator g = kernels::make_espirit_operator<Real>(
      ctx, {.data = here.get().data(),
            .coils = coils,
            .extent = last_three(calibration.shape(), volume),
            .kernel = kernel,
            .singular_value_threshold = least_singular_value<Real>(ctx, here.get(), gram.trace().real(), kernel,
                                                                   options.singular_value_threshold)});
  const kernels::MapTarget<Real> target{.image = last_three(image_shape, volume),
                                        .reference = detail::reference_coil<Real>(gram),
                                        .maps = result.maps.data()};
  const auto threshold = static_cast<Real>(options.eigenvalue_threshold);
  result.voxels_in_support =
      place == MapPlace::host
          ? maps_by_slices<Real>(ctx, g, threshold, target, result)
          : kernels::espirit_maps<Real>(ctx, g, threshold, target, {0, target.image[0]}, result.eigenvalues.data());
  return result;
}

template <class Real>
Index detail::espirit_memory(const Context& ctx, const Shape& calibration, const Shape& image_shape,
                             const EspiritOptions& options, MapPlace place) {
  const bool volume = image_shape.rank() == 3;
  const Index coils = calibration[0];
  const auto real_bytes = static_cast<Index>(sizeof(Real));
  std::array<Index, 3> image = last_three(image_shape, volume);
  if (place == MapPlace::host) image[0] = 1;
  const Index work = kernels::espirit_memory(ctx,
                                             {.coils = coils,
                                              .calibration = last_three(calibration, volume),
                                              .kernel = kernel_extents(options, calibration),
                                              .image = image},
                                             real_bytes);
  return work + (2 * coils + 1) * image[0] * image[1] * image[2] * real_bytes;
}

template Index detail::espirit_memory<float>(const Context&, const Shape&, const Shape&, const EspiritOptions&,
                                             MapPlace);
template Index detail::espirit_memory<double>(const Context&, const Shape&, const Shape&, const EspiritOptions&,
                                              MapPlace);
template CoilMaps<float> detail::espirit_into<float>(const Context&, ArrayRef<const std::complex<float>>, const Shape&,
                                                     const EspiritOptions&, MapPlace,
                                                     const std::function<Array<std::complex<float>>(const Shape&)>&);
template CoilMaps<double> detail::espirit_into<double>(const Context&, ArrayRef<const std::complex<double>>,
                                                       const Shape&, const EspiritOptions&, MapPlace,
                                                       const std::function<Array<std::complex<double>>(const Shape&)>&);
template CoilMaps<float> espirit(const Context&, ArrayRef<const std::complex<float>>, const Shape&,
                                 const EspiritOptions&);
template CoilMaps<double> espirit(const Context&, ArrayRef<const std::complex<double>>, const Shape&,
                                  const EspiritOptions&);

}  // namespace whorl
