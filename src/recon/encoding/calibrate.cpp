#include "recon/encoding/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "calib/channels.hpp"
#include "calib/espirit_memory.hpp"
#include "recon/gridding_recon.hpp"
#include "whorl/calib/coil_maps.hpp"
#include "whorl/calib/combine.hpp"
#include "whorl/math/fft.hpp"
#include "whorl/solver/conjugate_gradient.hpp"

namespace whorl::recon {

namespace {

using Complex = std::complex<float>;

// The samples within the calibration region, with positions in cycles per pixel of its low-resolution image.
struct CenterSamples {
  Array<double> points;  // on the host
  Array<Complex> data;
};

// How much finer the pixels of the image are than the region's, x first, as the columns of the trajectory.
std::vector<double> zoom_to(const Shape& image, const Shape& region) {
  std::vector<double> zoom;
  for (int axis = image.rank() - 1; axis >= 0; --axis) {
    zoom.push_back(static_cast<double>(image[axis]) / static_cast<double>(region[axis]));
  }
  return zoom;
}

std::vector<Index> samples_inside(const ScanFrame& frame, const std::vector<double>& zoom) {
  const auto k = frame.trajectory->points.view<2>();
  const auto dim = static_cast<int>(zoom.size());
  std::vector<Index> inside;
  for (Index j = 0; j < k.extent(0); ++j) {
    bool in = true;
    for (int axis = 0; axis < dim; ++axis) in &= std::abs(k(j, axis) * zoom[static_cast<std::size_t>(axis)]) <= 0.5;
    if (in) inside.push_back(j);
  }
  return inside;
}

CenterSamples center_samples(const Context& ctx, const ScanFrame& frame, const Shape& image, const Shape& region) {
  const auto k = frame.trajectory->points.view<2>();
  const int dim = image.rank();
  const std::vector<double> zoom = zoom_to(image, region);
  const std::vector<Index> inside = samples_inside(frame, zoom);
  if (inside.empty()) {
    throw ValueError(
        "coil maps: no samples in the center of k-space to calibrate from; use root-sum-of-squares gridding");
  }
  const auto count = static_cast<Index>(inside.size());
  CenterSamples center{Array<double>(ctx.host(), {count, dim}), detail::take_samples<float>(ctx, frame.data, inside)};
  for (Index i = 0; i < count; ++i) {
    const Index j = inside[static_cast<std::size_t>(i)];
    for (int axis = 0; axis < dim; ++axis) {
      center.points.view<2>()(i, axis) = k(j, axis) * zoom[static_cast<std::size_t>(axis)];
    }
  }
  return center;
}

Shape region_shape(const Shape& image, Index extent) {
  std::vector<Index> extents;
  for (const Index n : image) extents.push_back(std::min(n, extent));
  return Shape(extents);
}

// The transform of the region's least squares.
NufftOptions region_options(const Context& ctx, const Shape& region, Index samples) {
  return same_on_every_device<float>(ctx, region, samples, {.tolerance = 1e-4});
}

}  // namespace

Index coil_map_memory(const Context& ctx, const Scan& scan, const ScanFrame& frame, Index coils,
                      const ReconOptions& options) {
  constexpr auto complex_bytes = static_cast<Index>(sizeof(Complex));
  const Shape image = scan.image_shape();
  const Index maps = coils * image.size() * complex_bytes;
  if (options.coil_maps == CoilMapMethod::file || coils == 1) return maps;
  if (options.coil_maps == CoilMapMethod::walsh) return 2 * maps;
  const Shape region = region_shape(image, options.calibration);
  const auto samples = static_cast<Index>(samples_inside(frame, zoom_to(image, region)).size());
  const NufftMemory nufft = nufft_memory<float>(ctx, samples, region, coils, region_options(ctx, region, samples));
  const Index region_images = coils * region.size() * complex_bytes;
  // The right-hand side, and image, residual, direction and its image of conjugate gradient.
  const Index least_squares =
      coils * samples * complex_bytes + nufft.plan + std::max(nufft.work, nufft.normal) + 5 * region_images;
  return std::max(least_squares,
                  region_images + detail::espirit_memory<float>(ctx, region.with_front(coils), image, options.espirit));
}

Array<Complex> calibration_region(const Context& ctx, const ScanFrame& frame, const Shape& image_shape, Index extent) {
  const Shape region = region_shape(image_shape, extent);
  const CenterSamples center = center_samples(ctx, frame, image_shape, region);
  const Index coils = center.data.extent(0);
  const Nufft<float> nufft(ctx, center.points, region, coils, region_options(ctx, region, center.points.extent(0)));
  Array<Complex> gridded(ctx, nufft.domain());
  nufft.adjoint(ctx, center.data, gridded);
  Array<Complex> images = zeros<Complex>(ctx, nufft.domain());
  // The center is sampled densely, so this converges at once; what it still lacks then is noise.
  conjugate_gradient<float>(
      ctx, [&](const Context& c, ArrayRef<const Complex> x, ArrayRef<Complex> z) { nufft.normal(c, x, z); }, gridded,
      images, {.iterations = 15, .tolerance = 1e-3});
  centered_fft<float>(ctx, FftDirection::forward, images, region.rank());
  return images;
}

Array<Complex> coil_maps(const Context& ctx, const Scan& scan, const ScanFrame& frame, const ReconOptions& options,
                         Encodings& encodings, StageClock& clock, std::vector<std::string>& notes) {
  const Shape image = scan.image_shape();
  if (options.coil_maps == CoilMapMethod::file) {
    notes.emplace_back("Coil maps: those that came with the scan, scaled to sum |s|^2 = 1.");
    return unit_maps<float>(ctx, scan.coil_maps.ref().reshape(image.with_front(scan.coils)));
  }
  if (scan.coils == 1) {
    Array<Complex> ones(ctx, image.with_front(1));
    fill<Complex>(ctx, ones, 1);
    notes.emplace_back("One coil: its sensitivity is taken for 1 everywhere.");
    return ones;
  }
  const auto percent = [&](Index voxels) {
    return 100.0 * static_cast<double>(voxels) / static_cast<double>(image.size());
  };
  if (options.coil_maps == CoilMapMethod::walsh) {
    const GriddedImages gridded = gridded_coil_images(ctx, frame, encodings, clock, notes);
    auto found = clock.time("coil maps", [&] { return whorl::walsh<float>(ctx, gridded.images, options.walsh); });
    notes.push_back(fmt::format("Coil maps: Walsh's adaptive method, blocks of {} pixels.", options.walsh.block));
    return std::move(found.maps);
  }
  return clock.time("coil maps", [&] {
    const auto calibration = calibration_region(ctx, frame, image, options.calibration);
    auto found = whorl::espirit<float>(ctx, calibration, image, options.espirit);
    notes.push_back(
        fmt::format("Coil maps: ESPIRiT from the central {} of k-space, {:.0f} % of the voxels in "
                    "the object.",
                    to_string(calibration.shape().tail()), percent(found.voxels_in_support)));
    return std::move(found.maps);
  });
}

}  // namespace whorl::recon
