#include "recon/rehearsal/smaller_scan.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "calib/channels.hpp"
#include "recon/encoding/central_samples.hpp"
#include "recon/frame_groups.hpp"
#include "recon/memory.hpp"
#include "recon/regularized/regularized_recon.hpp"
#include "recon/rehearsal/stage_work.hpp"

namespace whorl::recon {

namespace {

// Fewer tell too little of the time of one. Those of regularizers have several applications of A^H A each, and take longer.
constexpr int fewest_iterations = 8;
constexpr int fewest_regularized = 3;
// A step of nlinv ends by its tolerance, long before its limit.
constexpr int usual_iterations_of_step = 8;
// The time of a smaller image does not grow as that of larger ones does.
constexpr double fewest_voxels_along = 32;

// What is an image of the scan's own shape cannot be taken for a smaller one.
bool has_images(const Scan& scan, const ReconOptions& options) {
  return scan.coil_maps.size() > 0 || !options.references.empty() || options.support_image != nullptr ||
         options.signal.any() || options.error_bars.any();
}

Index scaled(Index extent, double factor, double fewest) {
  const double wanted = std::max(factor * static_cast<double>(extent), fewest);
  return std::min(extent, 2 * static_cast<Index>(std::lround(wanted / 2)));
}

// Of this part of the voxels, or as many along an axis as tell something.
Shape smaller_image(const Shape& image, double part, double least) {
  if (part >= 1) return image;
  const double along = 1.0 / static_cast<double>(image.rank());
  const double fewest = fewest_voxels_along * std::pow(least, along);
  std::vector<Index> extents;
  for (const Index extent : image) extents.push_back(scaled(extent, std::pow(part, along), fewest));
  return Shape(extents);
}

// Samples of a frame with its trajectory, and the trajectory in units of the smaller image.
struct CentralSamples {
  std::vector<Index> numbers;
  std::shared_ptr<const Trajectory> trajectory;
};

CentralSamples central_samples(const Context& host, const Trajectory& all, const Shape& image, const Shape& smaller) {
  const std::vector<double> zoom = zoom_to(image, smaller);
  CentralSamples found{samples_inside(host, all, zoom), nullptr};
  Trajectory part{Array<double>(host, {static_cast<Index>(found.numbers.size()), all.points.extent(1)})};
  zoom_points(all, found.numbers, zoom, part.points.data());
  found.trajectory = std::make_shared<const Trajectory>(std::move(part));
  return found;
}

void take_first_coils(const Context& host, Index coils, Scan& scan) {
  scan.coils = coils;
  for (Array<std::complex<float>>* of_coils : {&scan.noise, &scan.coil_maps}) {
    if (of_coils->size() > 0) *of_coils = clone<std::complex<float>>(host, of_coils->range(0, coils));
  }
}

}  // namespace

std::shared_ptr<const Array<float>> weights_of(const Context& host, const Array<float>& weights,
                                               const std::vector<Index>& numbers) {
  auto part = std::make_shared<Array<float>>(host, Shape{static_cast<Index>(numbers.size())});
  std::transform(numbers.begin(), numbers.end(), part->data(), [&](Index j) { return weights.data()[j]; });
  return part;
}

Excerpt excerpt_for(const Context& ctx, const Scan& scan, const ReconOptions& options, double seconds, double least) {
  const Shape image = scan.image_shape();
  const auto all = static_cast<Index>(scan.frames.size());
  const bool together = frames_share(options) == FramesShare::place;
  const auto time_of = [&](const Workload& work, double iterations) {
    return work.adjoint + (options.method == ReconMethod::gridding ? 0 : iterations * work.normal);
  };
  const Workload whole = workload_of(ctx, scan, options);
  const double most =
      options.method == ReconMethod::nlinv ? usual_iterations_of_step * options.nlinv.steps : whole.iterations;
  // Regularizers that span frames take longer than in proportion to them: low rank by up to their third power.
  Excerpt excerpt{.frames = together ? all : 1, .image = image, .iterations = options.iterations};
  const double room = seconds / static_cast<double>(excerpt.frames);
  const double one = time_of(whole, most);
  if (one <= room) {
    excerpt.frames = std::clamp(static_cast<Index>(seconds / one), excerpt.frames,
                                std::max(excerpt.frames, std::min<Index>(all, 32)));
    return excerpt;
  }
  excerpt.iterations =
      std::min(options.iterations, options.regularizers.empty() ? fewest_iterations : fewest_regularized);
  if (has_images(scan, options)) return excerpt;
  const double cut = options.method == ReconMethod::cg_sense ? excerpt.iterations : most;
  excerpt.image = smaller_image(image, room / time_of(whole, cut), least);
  return excerpt;
}

Excerpt subspace_excerpt(const Context& ctx, const Scan& slice, const SubspaceBasis& basis, const ReconOptions& options,
                         double seconds, double least) {
  Excerpt excerpt{std::ssize(slice.frames), slice.image_shape(), options.iterations};
  const Workload whole = subspace_workload(ctx, slice, basis, options);
  const auto time_of = [&](int iterations) { return whole.spectra + whole.adjoint + iterations * whole.normal; };
  if (time_of(options.iterations) <= seconds) return excerpt;
  excerpt.iterations =
      std::min(options.iterations, options.regularizers.empty() ? fewest_iterations : fewest_regularized);
  if (has_images(slice, options)) return excerpt;
  excerpt.image = smaller_image(excerpt.image, seconds / time_of(excerpt.iterations), least);
  return excerpt;
}

Scan smaller_scan(const Context& ctx, const Scan& scan, const Excerpt& excerpt) {
  const Context host = ctx.host();
  const Shape image = scan.image_shape();
  const bool is_smaller = excerpt.image != image;
  Scan part = clone_without_frames(host, scan);
  if (excerpt.coils > 0) take_first_coils(host, excerpt.coils, part);
  for (int axis = 0; axis < image.rank(); ++axis)
    part.matrix[static_cast<std::size_t>(axis)] = excerpt.image[-1 - axis];
  std::map<const Trajectory*, CentralSamples> central;
  std::map<const Array<float>*, std::shared_ptr<const Array<float>>> weights;
  for (std::size_t i = 0; i < static_cast<std::size_t>(excerpt.frames); ++i) {
    const ScanFrame& frame = scan.frames[i];
    ScanFrame taken{frame.index, frame.trajectory, frame.weights, {}, frame.geometry};
    if (is_smaller) {
      CentralSamples& samples = central[frame.trajectory.get()];
      if (samples.trajectory == nullptr) {
        samples = central_samples(host, *frame.trajectory, image, excerpt.image);
      }
      taken.trajectory = samples.trajectory;
      if (frame.weights != nullptr) {
        auto& found = weights[frame.weights.get()];
        if (found == nullptr) found = weights_of(host, *frame.weights, samples.numbers);
        taken.weights = found;
      }
      taken.data = detail::take_samples<float>(host, frame.data.range(0, part.coils), samples.numbers);
    } else {
      taken.data = clone<std::complex<float>>(host, frame.data.range(0, part.coils));
    }
    part.frames.push_back(std::move(taken));
  }
  return part;
}

}  // namespace whorl::recon
