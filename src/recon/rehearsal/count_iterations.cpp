#include "recon/rehearsal/count_iterations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "calib/channels.hpp"
#include "recon/encoding/calibrate.hpp"
#include "recon/encoding/central_samples.hpp"
#include "recon/rehearsal/spread_readouts.hpp"
#include "recon/subspace/slice_frames.hpp"
#include "whorl/scan/prepare.hpp"

namespace whorl::recon {

namespace {

using Complex = std::complex<float>;

using Frames = std::vector<const ScanFrame*>;

Frames frames_of(const Scan& scan) {
  Frames frames;
  for (const ScanFrame& frame : scan.frames) frames.push_back(&frame);
  return frames;
}

double voxels_over(const Scan& scan, const Excerpt& excerpt) {
  return static_cast<double>(scan.image_shape().size()) / static_cast<double>(excerpt.image.size());
}

double energy_of(const Scan& scan) {
  double sum = 0;
  for (const ScanFrame& frame : scan.frames) {
    for (const Complex& value : frame.data.span()) sum += std::norm(value);
  }
  return sum;
}

// Where nothing tells of the noise, the options become those of data that are not prewhitened.
void prepare_data(const Context& host, const Scan& whole, ReconOptions& options, Scan& part) {
  std::vector<std::string> notes;
  if (options.prewhiten) {
    // Without a noise scan it is the edge of k-space that tells of it.
    const NoiseCovariance covariance = scan_noise(host, whole.noise.size() > 0 ? part : whole);
    prewhiten(host, part, covariance, notes);
    options.prewhiten = covariance.measured;
  }
  if (!options.prewhiten) static_cast<void>(bring_near_one(host, part, false));
  if (options.virtual_coils > 0 && options.virtual_coils < part.coils) {
    compress_coils(host, part, {.virtual_coils = options.virtual_coils}, notes);
  }
}

// [coil, z, y, x] on the host
Array<Complex> maps_of(const Context& ctx, const Scan& part, const ReconOptions& options) {
  Run run(ctx);
  Scan there = clone(ctx.host(), part);
  for (ScanFrame& frame : there.frames) frame.data = clone<Complex>(ctx, frame.data);
  Encodings encodings(there, options);
  const CoilMaps found = coil_maps(run, there, there.frames.front(), options, encodings);
  Array<Complex> maps = to_host<const Complex>(ctx, found.maps);
  maps.reshape({part.coils, part.matrix[2], part.matrix[1], part.matrix[0]});
  return maps;
}

// The samples of a frame that are left, by their places in the list of its central samples.
void keep_samples(const Context& host, const std::vector<Index>& places, ScanFrame& frame,
                  std::shared_ptr<const Trajectory>& few) {
  if (few == nullptr) {
    const Index dim = frame.trajectory->dim();
    Trajectory left{Array<double>(host, {std::ssize(places), dim})};
    double* to = left.points.data();
    for (const Index place : places) to = std::copy_n(frame.trajectory->points.data() + place * dim, dim, to);
    few = std::make_shared<const Trajectory>(std::move(left));
  }
  frame.trajectory = few;
  frame.data = detail::take_samples<float>(host, frame.data, places);
  if (frame.weights != nullptr) frame.weights = weights_of(host, *frame.weights, places);
}

// Leaves as many samples per voxel as the whole image has.
void thin_out(const Context& host, const Scan& whole, const Frames& frames, const Excerpt& excerpt, Scan& part) {
  struct Thinned {
    std::vector<Index> places;  // in the list of central samples
    std::shared_ptr<const Trajectory> trajectory;
  };
  std::map<const Trajectory*, Thinned> thinned;
  const std::vector<double> zoom = zoom_to(whole.image_shape(), excerpt.image);
  for (std::size_t i = 0; i < part.frames.size(); ++i) {
    const Trajectory& all = *frames[i]->trajectory;
    Thinned& few = thinned[&all];
    if (few.trajectory == nullptr) {
      const std::vector<Index> central = samples_inside(host, all, zoom);
      const double wanted = static_cast<double>(all.samples()) / voxels_over(whole, excerpt);
      few.places = spread_readouts(all, central, std::min(wanted / static_cast<double>(central.size()), 1.0));
    }
    keep_samples(host, few.places, part.frames[i], few.trajectory);
  }
}

// The same of all frames together: each keeps those of its readouts that are left. Returns the numbers of the frames that have any.
std::vector<std::size_t> thin_out_together(const Context& host, const Scan& whole, const Excerpt& excerpt, Scan& part) {
  const std::vector<SliceFrames> slices = frames_of_slices(whole);
  const SliceFrames& slice = slices.front();
  Trajectory joined{joined_points(host, slice), whole.frames.front().trajectory->readout_length};
  for (const ScanFrame* frame : slice.frames) {
    if (frame->trajectory->readout_length != joined.readout_length) joined.readout_length = 0;
  }
  const std::vector<Index> central = samples_inside(host, joined, zoom_to(whole.image_shape(), excerpt.image));
  const double wanted = static_cast<double>(joined.samples()) / voxels_over(whole, excerpt);
  const std::vector<Index> left =
      spread_readouts(joined, central, std::min(wanted / static_cast<double>(central.size()), 1.0));
  std::vector<std::size_t> with_samples;
  std::vector<ScanFrame> frames;
  auto next = left.begin();
  Index first = 0;  // of the frame's central samples
  for (std::size_t i = 0; i < part.frames.size(); ++i) {
    const Index end = first + part.frames[i].trajectory->samples();
    std::vector<Index> places;
    for (; next != left.end() && *next < end; ++next) places.push_back(*next - first);
    first = end;
    if (places.empty()) continue;
    std::shared_ptr<const Trajectory> own;
    keep_samples(host, places, part.frames[i], own);
    frames.push_back(std::move(part.frames[i]));
    with_samples.push_back(i);
  }
  part.frames = std::move(frames);
  return with_samples;
}

SubspaceBasis rows_of(const Context& host, const SubspaceBasis& basis, const std::vector<std::size_t>& frames) {
  SubspaceBasis some{Array<std::complex<double>>(host, {std::ssize(frames), basis.components()}), basis.part,
                     basis.origin};
  std::complex<double>* to = some.vectors.data();
  for (const std::size_t frame : frames) {
    to = std::copy_n(basis.vectors.data() + static_cast<Index>(frame) * basis.components(), basis.components(), to);
  }
  return some;
}

// How the power of a sample falls with |k|, in cycles per voxel.
class Spectrum {
 public:
  static constexpr std::size_t bins = 16;
  using Values = std::array<double, bins>;

  explicit Spectrum(const Frames& frames) {
    for (const ScanFrame* frame : frames) add(*frame);
  }

  /// What amplitudes of this one are multiplied by for those of another, which are `unit` times as large: no more than 1. The first
  /// bin, which has nearly all of an image's energy, stays.
  Values factors_for(const Spectrum& other, double unit) const {
    Values factors{};
    factors[0] = 1;
    for (std::size_t bin = 1; bin < bins; ++bin) {
      const double has = power_[bin] * other.count_[bin];
      const double wanted = unit * unit * other.power_[bin] * count_[bin];
      factors[bin] = has > 0 ? std::min(std::sqrt(wanted / has), 1.0) : factors[bin - 1];
    }
    return factors;
  }

  /// Between the middles of two bins.
  static double at(const Values& values, const Trajectory& trajectory, Index sample) {
    const double place = std::max(place_of(trajectory, sample) - 0.5, 0.0);
    const auto below = static_cast<std::size_t>(place);
    const double part = place - static_cast<double>(below);
    return (1 - part) * values[below] + part * values[std::min(below + 1, bins - 1)];
  }

 private:
  void add(const ScanFrame& frame) {
    const Index samples = frame.trajectory->samples();
    for (Index j = 0; j < samples; ++j) {
      const auto bin = static_cast<std::size_t>(place_of(*frame.trajectory, j));
      for (Index coil = 0; coil < frame.data.extent(0); ++coil) {
        power_[bin] += std::norm(frame.data.data()[coil * samples + j]);
      }
      count_[bin] += 1;
    }
  }

  static double place_of(const Trajectory& trajectory, Index sample) {
    constexpr double corner = 0.87;  // sqrt(3) / 2
    const Index dim = trajectory.points.extent(1);
    const double* const k = trajectory.points.data() + sample * dim;
    double square = 0;
    for (Index axis = 0; axis < dim; ++axis) square += k[axis] * k[axis];
    return std::min(std::sqrt(square) / corner * bins, bins - 0.5);
  }

  Values power_{};
  Values count_{};
};

// `gain`: of the energy of the same samples, by preparing them. The transform is unitary, so an image of fewer voxels is larger.
void shape_spectrum(const Frames& whole, double gain, double voxel_ratio, Scan& part) {
  const Spectrum::Values factors =
      Spectrum(frames_of(part)).factors_for(Spectrum(whole), std::sqrt(gain * voxel_ratio));
  for (ScanFrame& frame : part.frames) {
    const Index samples = frame.trajectory->samples();
    for (Index j = 0; j < samples; ++j) {
      const auto factor = static_cast<float>(Spectrum::at(factors, *frame.trajectory, j));
      for (Index coil = 0; coil < part.coils; ++coil) frame.data.data()[coil * samples + j] *= factor;
    }
  }
}

// Data and maps of the whole's central samples. Returns by how much preparing changed the energy.
double prepare_part(const Context& ctx, const Scan& scan, ReconOptions& options, Scan& part) {
  const double before = energy_of(part);
  prepare_data(ctx.host(), scan, options, part);
  const double gain = before > 0 ? energy_of(part) / before : 1;
  if (needs_coil_maps(options)) part.coil_maps = maps_of(ctx, part, options);
  part.noise = {};
  return gain;
}

// What was done to a part is not done again.
ReconOptions options_of_part(ReconOptions options, const Scan& part) {
  if (std::exchange(options.prewhiten, false)) options.noise = 1;
  options.virtual_coils = 0;
  if (part.coil_maps.size() > 0) {
    options.coil_maps = CoilMapMethod::file;
    options.maps_from = CoilMapData::first_frame;
  }
  return options;
}

Scan hard_part(const Context& ctx, const Scan& scan, const Excerpt& excerpt, ReconOptions& options) {
  const Context host = ctx.host();
  Scan part = smaller_scan(ctx, scan, excerpt);
  const auto elsewhere = [slice = scan.frames.front().index.slice](const ScanFrame& frame) {
    return frame.index.slice != slice;
  };
  Frames whole = frames_of(scan);
  whole.resize(part.frames.size());
  std::erase_if(whole, [&](const ScanFrame* frame) { return elsewhere(*frame); });
  std::erase_if(part.frames, elsewhere);
  const double gain = prepare_part(ctx, scan, options, part);
  thin_out(host, scan, whole, excerpt, part);
  shape_spectrum(whole, gain, voxels_over(scan, excerpt), part);
  return part;
}

}  // namespace

IterationCount mean_count(const std::vector<SolverReport>& reports) {
  IterationCount mean;
  for (const SolverReport& report : reports) {
    mean.iterations += report.iterations;
    // An iteration of conjugate gradient is an application.
    mean.applications += report.operator_applications > 0 ? report.operator_applications : report.iterations;
  }
  const auto solves = std::max(1.0, static_cast<double>(reports.size()));
  return {mean.iterations / solves, mean.applications / solves};
}

Scan equally_hard_scan(const Context& ctx, const Scan& scan, const Excerpt& excerpt, const ReconOptions& options) {
  ReconOptions prepared = options;
  return hard_part(ctx, scan, excerpt, prepared);
}

IterationCount count_iterations(const Context& ctx, const Scan& scan, const Excerpt& excerpt,
                                const ReconOptions& options, const std::vector<SliceLambda>& chosen) {
  ReconOptions prepared = options;
  Scan part = hard_part(ctx, scan, excerpt, prepared);
  ReconOptions counted = options_of_part(std::move(prepared), part);
  const bool searches = std::exchange(counted.lambda_search, std::nullopt).has_value();
  if (!chosen.empty()) {
    const double weight = chosen.front().choice.lambda;
    if (searches) counted.lambda = weight;
    for (Regularizer& term : counted.regularizers) {
      if (!std::exchange(term.choice, std::nullopt)) continue;
      term.weight = weight;
      term.unit = WeightUnit::largest;
    }
  }
  return mean_count(reconstruct(ctx, std::move(part), counted).reports);
}

IterationCount count_iterations(const Context& ctx, const Scan& slice, const Excerpt& excerpt,
                                const SubspaceBasis& basis, const ReconOptions& options) {
  const Context host = ctx.host();
  Scan part = smaller_scan(ctx, slice, excerpt);
  ReconOptions prepared = with_all_frames(options);
  const double gain = prepare_part(ctx, slice, prepared, part);
  const std::vector<std::size_t> left = thin_out_together(host, slice, excerpt, part);
  shape_spectrum(frames_of(slice), gain, voxels_over(slice, excerpt), part);
  const SubspaceBasis rows = rows_of(host, basis, left);
  ReconOptions counted = options;
  counted.prewhiten = prepared.prewhiten;
  counted = options_of_part(std::move(counted), part);
  return mean_count(reconstruct_subspace(ctx, std::move(part), rows, counted).reports);
}

}  // namespace whorl::recon
