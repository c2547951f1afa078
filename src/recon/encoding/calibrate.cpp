#include "recon/encoding/calibrate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include "calib/channels.hpp"
#include "calib/coil_map_memory.hpp"
#include "calib/in_parts.hpp"
#include "recon/encoding/calibration_frame.hpp"
#include "recon/encoding/central_samples.hpp"
#include "recon/encoding/kept_plan.hpp"
#include "recon/encoding/signal_model.hpp"
#include "recon/frame_groups.hpp"
#include "recon/gridding/gridding_recon.hpp"
#include "recon/hold_to.hpp"
#include "recon/joint_recon.hpp"
#include "whorl/calib/coil_maps.hpp"
#include "whorl/calib/combine.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/math/fft.hpp"
#include "whorl/solver/conjugate_gradient.hpp"

namespace whorl::recon {

Shape calibration_shape(const Shape& image, Index extent) {
  std::vector<Index> extents;
  for (const Index n : image) extents.push_back(std::min(n, extent));
  return Shape(extents);
}

namespace {

using Complex = std::complex<float>;

// The samples within the calibration region, with positions in cycles per pixel of its low-resolution image.
struct CenterSamples {
  Array<double> points;  // on the host
  Array<Complex> data;
  Array<Complex> roots;  // of their weights [1, sample]; none: all count alike
};

CenterSamples center_samples(const Context& ctx, const ScanFrame& frame, const Shape& image, const Shape& region,
                             const SignalOptions& signal) {
  const std::vector<double> zoom = zoom_to(image, region);
  const std::vector<Index> inside = samples_inside(ctx, *frame.trajectory, zoom);
  if (inside.empty()) {
    throw ValueError(
        "coil maps: no samples in the center of k-space to calibrate from; use root-sum-of-squares gridding");
  }
  Array<double> points(ctx.host(), {static_cast<Index>(inside.size()), image.rank()});
  zoom_points(*frame.trajectory, inside, zoom, points.data());
  Array<Complex> data = detail::take_samples<float>(context_at(ctx, frame.data.device()), frame.data, inside);
  if (data.device() != ctx.device()) data = clone<Complex>(ctx, data);
  CenterSamples center{std::move(points), std::move(data), {}};
  if (signal.weights == nullptr) return center;
  const Array<float> roots = weight_roots(ctx.host(), frame, signal);
  Array<Complex> here(ctx.host(), {1, static_cast<Index>(inside.size())});
  std::transform(inside.begin(), inside.end(), here.data(), [&](Index sample) { return roots.data()[sample]; });
  center.roots = ctx.device() == here.device() ? std::move(here) : clone<Complex>(ctx, here);
  return center;
}

// The transform of the region's least squares. All samples of the center lie on few grid points, so gridding them again
// and again would take most of the time: a convolution takes hardly any. It is not left to the model of the cost, since
// the maps should be the same on every device.
NufftOptions region_options(const Context& ctx, const Shape& region, Index samples) {
  return same_on_every_device<float>(ctx, region, samples, {.tolerance = 1e-4, .normal = NormalMethod::toeplitz});
}

CoilMaps nlinv_maps(Run& run, const Shape& image, const ScanFrame& frame, const ReconOptions& options,
                    Encodings& encodings, const Spill* spill) {
  const CoilTransform& transform = encodings.transform(run, frame);
  return run.time(stages::coil_maps, [&]() -> CoilMaps {
    const Index coils = frame.data.extent(0);
    Nlinv<float> joint = joint_solver(run, image, coils, transform, options, spill, nullptr);
    const NlinvReport report = joint.solve(run.ctx, transform.of_coils(), frame.data);
    Array<Complex> maps = joint.maps(run.ctx);
    maps.reshape(image.with_front(coils));
    return {std::move(maps), fmt::format("Coil maps: nonlinear inversion in {} steps, misfit {:.3g}",
                                         report.steps.size(), report.misfit)};
  });
}

// A CPU reads spilled maps as it reads others.
detail::MapPlace map_place(const Context& ctx, bool spilled) {
  return spilled && ctx.device().kind != DeviceKind::cpu ? detail::MapPlace::host : detail::MapPlace::device;
}

// Maker of the arrays of maps.
std::function<Array<Complex>(const Shape&)> map_memory(const Context& ctx, const Spill* spill) {
  return [&ctx, spill](const Shape& maps) { return spill != nullptr ? spill->make(maps) : Array<Complex>(ctx, maps); };
}

// The maps of a frame by its own data.
CoilMaps estimated_maps(Run& run, const Shape& image, const ScanFrame& frame, const ReconOptions& options,
                        Encodings& encodings, const Spill* spill) {
  doubt_gaps_of_center(run, frame, image);
  if (options.coil_maps == CoilMapMethod::walsh) {
    const GriddedImages gridded = gridded_coil_images(run, frame, encodings, spill);
    if (norm<float>(context_at(run.ctx, gridded.images.device()), gridded.images) == 0) {
      throw ValueError("Walsh's method: all data is zero");
    }
    auto found = run.time(stages::coil_maps, [&] {
      return detail::walsh_into<float>(run.ctx, gridded.images, options.walsh, map_place(run.ctx, spill != nullptr),
                                       map_memory(run.ctx, spill));
    });
    return {std::move(found.maps),
            fmt::format("Coil maps: Walsh's adaptive method, blocks of {} pixels", options.walsh.block)};
  }
  if (options.coil_maps == CoilMapMethod::nlinv) return nlinv_maps(run, image, frame, options, encodings, spill);
  return run.time(stages::coil_maps, [&] {
    const auto calibration = calibration_region(run.ctx, frame, image, options.calibration, options.signal);
    return espirit_maps(run.ctx, calibration, image, options, spill);
  });
}

}  // namespace

void doubt_gaps_of_center(Run& run, const ScanFrame& frame, const Shape& image) {
  const double part = part_without_samples(run.ctx, *frame.trajectory, image);
  if (part <= bearable_gaps) return;
  run.notes.emplace_back(
      fmt::format(
          "Coil maps: {:.0f} % of the center of k-space has no sample, so that maps by these data are wrong and "
          "the image aliases. Give the maps of a scan with a sampled center (maps-file); keep-flags takes "
          "calibration lines that were left out.",
          100 * part),
      NoteKind::doubt);
}

CoilMaps espirit_maps(const Context& ctx, ArrayRef<const Complex> calibration, const Shape& image,
                      const ReconOptions& options, const Spill* spill) {
  auto found = detail::espirit_into<float>(ctx, calibration, image, options.espirit, map_place(ctx, spill != nullptr),
                                           map_memory(ctx, spill));
  if (found.voxels_in_support == 0) {
    throw ValueError(
        fmt::format("ESPIRiT: no voxel lies in the object: calibration data {} tells too little of the coils; take "
                    "a smaller crop, or the maps of Walsh's method",
                    to_string(calibration.shape())));
  }
  const double part = static_cast<double>(found.voxels_in_support) / static_cast<double>(image.size());
  const Shape region = calibration.shape().tail();
  const std::vector<Index> extents(std::make_reverse_iterator(region.end()),
                                   std::make_reverse_iterator(region.begin()));  // x, y(, z)
  return {std::move(found.maps),
          fmt::format("Coil maps: ESPIRiT from the central {} cycles of k-space, {:.0f} % of the voxels in the object",
                      fmt::join(extents, " x "), 100 * part)};
}

std::vector<Index> calibration_samples(const Context& ctx, const ScanFrame& frame, const Shape& image_shape,
                                       Index extent) {
  return samples_inside(ctx, *frame.trajectory, zoom_to(image_shape, calibration_shape(image_shape, extent)));
}

StageMemory coil_map_memory(const Context& ctx, const Scan& scan, const ScanFrame& frame, Index coils,
                            const ReconOptions& options, const Tiles& tiles) {
  const Shape image = scan.image_shape();
  const Index maps = coils * image.size() * complex_bytes;
  const bool spilled = tiles.maps;
  const bool stay_on_host = spilled && ctx.device().kind != DeviceKind::cpu;
  if (options.coil_maps == CoilMapMethod::file && stay_on_host) return {};
  if (options.coil_maps == CoilMapMethod::file || coils == 1) return {maps, maps};
  const detail::MapPlace place = map_place(ctx, spilled);
  const Index in_file = spilled && place == detail::MapPlace::device ? maps : 0;
  if (options.coil_maps == CoilMapMethod::walsh) {
    const Index images = spilled ? 0 : maps;
    return {images, images + detail::walsh_memory<float>(ctx, coils, image, options.walsh, place) - in_file};
  }
  if (options.coil_maps == CoilMapMethod::nlinv) {
    const Index at_once = tiles.single ? 1 : coils;
    const NufftMemory transform =
        tiles.files ? NufftMemory{} : transform_memory(ctx, image, frame.trajectory->points, at_once, options);
    return {spilled ? 0 : maps, joint_memory(ctx, image, frame, coils, transform, options, tiles)};
  }
  const Shape region = calibration_shape(image, options.calibration).with_front(coils);
  const Index least_squares = calibration_memory(ctx, image, frame, coils, options);
  const Index espirit = detail::espirit_memory<float>(ctx, region, image, options.espirit, place);
  return {spilled ? 0 : maps, std::max(least_squares, region.size() * complex_bytes + espirit - in_file)};
}

Index calibration_memory(const Context& ctx, const Shape& image, const ScanFrame& frame, Index coils,
                         const ReconOptions& options) {
  const Shape region = calibration_shape(image, options.calibration);
  const std::vector<double> zoom = zoom_to(image, region);
  const std::vector<Index> inside = samples_inside(ctx, *frame.trajectory, zoom);
  const auto samples = static_cast<Index>(inside.size());
  std::vector<double> points(inside.size() *
                             zoom.size());  // not from the context's memory, of which this is a forecast
  zoom_points(*frame.trajectory, inside, zoom, points.data());
  const ArrayRef<const double> at(points.data(), {samples, image.rank()});
  const NufftMemory nufft = nufft_memory<float>(ctx, at, region, coils, region_options(ctx, region, samples));
  const Index points_bytes = ctx.device().kind == DeviceKind::cpu ? at.size() * static_cast<Index>(sizeof(double)) : 0;
  const Index region_images = coils * region.size() * complex_bytes;
  // The right-hand side, and image, residual, direction and its image of conjugate gradient.
  return points_bytes + coils * samples * complex_bytes + nufft.plan +
         std::max(nufft.planning, std::max(nufft.adjoint, nufft.normal) + 5 * region_images);
}

Array<Complex> calibration_region(const Context& ctx, const ScanFrame& frame, const Shape& image_shape, Index extent,
                                  const SignalOptions& signal) {
  const Shape region = calibration_shape(image_shape, extent);
  CenterSamples center = center_samples(ctx, frame, image_shape, region, signal);
  const Index coils = center.data.extent(0);
  Operator<float> transform(
      Nufft<float>(ctx, center.points, region, coils, region_options(ctx, region, center.points.extent(0))));
  if (center.roots.size() > 0) {
    Array<Complex> ones(ctx, region.with_front(1));
    fill<Complex>(ctx, ones, 1);
    transform = SignalEvolution<float>(std::move(transform), {std::move(ones), std::move(center.roots), 0});
  }
  Array<Complex> gridded(ctx, transform->domain());
  transform->adjoint(ctx, center.data, gridded);
  Array<Complex> images = zeros<Complex>(ctx, transform->domain());
  // The center is sampled densely, so this converges at once; what it still lacks then is noise.
  conjugate_gradient<float>(
      ctx, [&](const Context& c, ArrayRef<const Complex> x, ArrayRef<Complex> z) { transform->normal(c, x, z); },
      gridded, images, {.iterations = 15, .tolerance = 1e-3});
  centered_fft<float>(ctx, FftDirection::forward, images, region.rank());
  return images;
}

bool weighs_for_maps(const Scan& scan, const ScanFrame& frame, Index coils, const ReconOptions& options) {
  return needs_coil_maps(options) && options.coil_maps == CoilMapMethod::walsh && coils > 1 &&
         !joins_frames(scan, frame, options);
}

namespace {

constexpr const char* given_maps = "Coil maps: those that came with the scan, scaled to sum |s|^2 = 1.";

// The maps of one slice of several, [coil, y, x], where those of the scan are; no elements if it has one slice.
Array<Complex> maps_of_slice(const Context& ctx, const Scan& scan, int slice) {
  const auto slices = frames_of_slices(scan);
  if (scan.dim() == 3 || slices.size() == 1) return {};
  const Context there = context_at(ctx, scan.coil_maps.device());
  Array<Complex> maps(there, scan.image_shape().with_front(scan.coils));
  const auto place = static_cast<Index>(std::distance(slices.begin(), slices.find(slice)));
  for (Index coil = 0; coil < scan.coils; ++coil) {
    copy<Complex>(there, scan.coil_maps.slice(coil).slice(place), maps.slice(coil));
  }
  return maps;
}

CoilMaps made_maps(Run& run, const Scan& scan, const ScanFrame& frame, const ReconOptions& options,
                   Encodings& encodings, const Spill* spill) {
  const Shape image = scan.image_shape();
  if (options.coil_maps == CoilMapMethod::file) {
    const auto unit = [&](ArrayRef<const Complex> maps) { return unit_maps<float>(run.ctx, maps); };
    const Array<Complex> of_slice = maps_of_slice(run.ctx, scan, frame.index.slice);
    const ArrayRef<const Complex> given =
        (of_slice.size() > 0 ? of_slice : scan.coil_maps).ref().reshape(image.with_front(scan.coils));
    if (given.device() == run.ctx.device()) return {unit(given), given_maps};
    Array<Complex> scaled = spill->make(given.shape());  // spilled maps of a GPU lie on the host
    detail::in_parts(run.ctx, given, scaled, unit);
    return {std::move(scaled), given_maps};
  }
  if (scan.coils == 1) {
    Array<Complex> ones(run.ctx, image.with_front(1));
    fill<Complex>(run.ctx, ones, 1);
    return {std::move(ones), "One coil: its sensitivity is taken for 1 everywhere."};
  }
  const bool joined = joins_frames(scan, frame, options);
  CoilMaps found =
      joined ? estimated_maps(run, image, joined_frame(run.ctx, scan, frame, options), options, encodings, spill)
             : estimated_maps(run, image, frame, options, encodings, spill);
  found.origin += joined ? ", all frames of a slice together." : ".";
  return found;
}

}  // namespace

CoilMaps coil_maps(Run& run, const Scan& scan, const ScanFrame& frame, const ReconOptions& options,
                   Encodings& encodings, const Array<float>* support, const Spill* spill) {
  auto* const kept = spill == nullptr ? kept_maps(options) : nullptr;
  if (kept != nullptr && kept->contains(frame.index.slice)) return {kept->at(frame.index.slice).share(), given_maps};
  CoilMaps found = made_maps(run, scan, frame, options, encodings, spill);
  const bool made_there = scan.coils > 1 && options.coil_maps != CoilMapMethod::file;
  const bool here = found.maps.device() == run.ctx.device();
  if (spill != nullptr && here && !made_there) found.maps = spill->move(run.ctx, std::move(found.maps));
  // An encoding by way of such maps neither sees nor fills what lies outside the support.
  hold_to<float>(context_at(run.ctx, found.maps.device()), support, found.maps);
  if (kept != nullptr) kept->emplace(frame.index.slice, found.maps.share());
  return found;
}

}  // namespace whorl::recon
