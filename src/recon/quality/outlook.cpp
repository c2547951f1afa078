#include "whorl/recon/outlook.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "recon/field_of_view.hpp"
#include "whorl/calib/combine.hpp"
#include "whorl/core/error.hpp"
#include "whorl/density/density_weights.hpp"
#include "whorl/density/impulse_response.hpp"
#include "whorl/op/sense_nufft.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/recon/recon_plan.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/scan/prepare.hpp"

namespace whorl {

template <>
const OptionTable<OutlookOptions>& option_table<OutlookOptions>() {
  using Outlook = OutlookOptions;
  static const OptionTable<Outlook> table =
      OptionTable<Outlook>("plan")
          .real("noise", &Outlook::noise, OptionRange::at_least(0), "",
                "Standard deviation sqrt(E|n|^2) of the noise in a sample of each coil, in the unit of --signal")
          .real("signal", &Outlook::signal, OptionRange::more_than(0), "",
                "Signal of the object, which a coil of sensitivity 1 receives")
          .integer("coils", &Outlook::coils, {0, 1024}, "",
                   "Simulated receive coils, those of whorl phantom: a ring around the object. 0: one coil that sees "
                   "everything alike")
          .real("lambda", &Outlook::lambda, {0, 1e30}, "", "Weight of the penalty of least squares")
          .integer("replicas", &Outlook::replicas, {2, 1000000}, "",
                   "Simulated noise images: the error of noise and g-factor falls with the root of their number")
          .integer("seed", &Outlook::seed, {}, "", "Seed of the simulated noise")
          .group("Time")
          .real("repetition-time", &Outlook::repetition_ms, OptionRange::at_least(0), "ms",
                "From one readout to the next (0: as the scan says, else the readout and --dead-time)")
          .real("dead-time", &Outlook::dead_ms, OptionRange::at_least(0), "ms",
                "Part of each repetition in which nothing is sampled")
          .when("no --repetition-time", [](const Outlook& options) { return options.repetition_ms == 0; })
          .real("scan-time", &Outlook::scan_seconds, OptionRange::at_least(0), "s",
                "The scan is averaged to this time (0: it is taken once)");
  return table;
}

namespace {

using Complex = std::complex<float>;

void check_outlook(const Scan& scan, const OutlookOptions& options) {
  option_table<OutlookOptions>().check(options);
  if (scan.frames.empty() || scan.frames.front().trajectory == nullptr ||
      scan.frames.front().trajectory->samples() == 0) {
    throw ValueError("plan: the scan has no trajectory; give a trajectory, as whorl traj makes it");
  }
  if ((options.noise > 0) == (options.covariance != nullptr)) {
    throw ValueError("plan: expected the standard deviation of the noise, or its covariance, and not both");
  }
}

// The given maps, the scan's, or those of simulated coils.
Array<Complex> outlook_maps(const Context& ctx, const Scan& scan, const OutlookOptions& options) {
  const Shape volume{scan.matrix[2], scan.matrix[1], scan.matrix[0]};
  const Array<Complex>& given = options.maps != nullptr ? *options.maps : scan.coil_maps;
  if (given.size() > 0) {
    Array<Complex> maps = clone<Complex>(ctx, given);
    if (maps.rank() != 4 || maps.shape() != volume.with_front(maps.extent(0))) {
      throw ShapeError(fmt::format("plan: coil maps {}, expected [coil, z, y, x] with {} for the matrix",
                                   to_string(maps.shape()), to_string(volume)));
    }
    return maps;
  }
  Array<Complex> maps = phantom_coil_maps<float>(ctx, receive_coils(ctx, scan.matrix, options.coils));
  maps.reshape(volume.with_front(maps.extent(0)));
  return maps;
}

// The image of the object; `object` takes its voxels.
Array<Complex> object_image(const Context& ctx, const Shape& image, const Array<Complex>& maps, double value,
                            std::vector<Index>& object) {
  const Array<float> inside = recon::field_of_view_mask(ctx, image);
  Array<Complex> signal = zeros<Complex>(ctx, image);
  for (Index voxel = 0; voxel < signal.size(); ++voxel) {
    bool is_seen = false;
    for (Index coil = 0; coil < maps.extent(0); ++coil) {
      is_seen = is_seen || maps.data()[coil * signal.size() + voxel] != Complex(0);
    }
    if (!is_seen || inside.data()[voxel] == 0) continue;
    signal.data()[voxel] = static_cast<float>(value);
    object.push_back(voxel);
  }
  if (object.empty()) throw ValueError("plan: the coil maps are 0 in the whole field of view");
  return signal;
}

NoiseCovariance outlook_noise(const Context& ctx, const OutlookOptions& options, Index coils) {
  NoiseCovariance noise;
  noise.matrix = zeros<std::complex<double>>(ctx, {coils, coils});
  if (options.covariance == nullptr) {
    for (Index coil = 0; coil < coils; ++coil) noise.matrix.view<2>()(coil, coil) = options.noise * options.noise;
    return noise;
  }
  if (options.covariance->shape() != noise.matrix.shape()) {
    throw ShapeError(fmt::format("plan: a noise covariance {}, expected {} for {} coils",
                                 to_string(options.covariance->shape()), to_string(noise.matrix.shape()), coils));
  }
  copy<std::complex<double>>(*options.covariance, noise.matrix);
  return noise;
}

// A noise scan whose covariance is the identity to rounding: rows of a Fourier transform.
Array<Complex> white_noise_scan(const Context& ctx, Index coils) {
  Array<Complex> noise(ctx, {coils, coils});
  for (Index i = 0; i < noise.size(); ++i) {
    const double turns = static_cast<double>((i / coils) * (i % coils) % coils) / static_cast<double>(coils);
    noise.data()[i] = Complex(std::polar(1.0, 2 * std::numbers::pi * turns));
  }
  return noise;
}

// The first frame of the scan with noise-free data of the object, prewhitened, so that the noise of all samples is 1.
Scan scan_of_object(const Context& ctx, const Scan& scan, const OutlookOptions& options, std::vector<Index>& object) {
  Scan one;
  one.source = scan.source;
  one.matrix = scan.matrix;
  one.trajectory_kind = scan.trajectory_kind;
  one.coil_maps = outlook_maps(ctx, scan, options);
  one.coils = one.coil_maps.extent(0);
  const ScanFrame& first = scan.frames.front();
  ScanFrame& frame = one.frames.emplace_back();
  frame.index = first.index;
  frame.trajectory = first.trajectory;
  frame.weights = first.weights;
  frame.geometry = first.geometry;

  const Shape image = one.image_shape();
  const Array<Complex> signal = object_image(ctx, image, one.coil_maps, options.signal, object);
  Array<Complex> maps = clone<Complex>(ctx, one.coil_maps);
  maps.reshape(image.with_front(one.coils));
  const SenseNufft<float> encoding(Nufft<float>(ctx, frame.trajectory->points, image, one.coils), std::move(maps));
  frame.data = Array<Complex>(ctx, encoding.range());
  encoding.forward(ctx, signal, frame.data);

  Notes notes;
  prewhiten(ctx, one, outlook_noise(ctx, options, one.coils), notes);
  one.noise = white_noise_scan(ctx, one.coils);
  return one;
}

ReconOptions outlook_recon(const OutlookOptions& options, ReconMethod method) {
  ReconOptions recon;
  recon.method = method;
  recon.judge_noise = false;  // of white_noise_scan
  recon.gridding.combination = CombinationMethod::matched;
  recon.coil_maps = CoilMapMethod::file;
  recon.cg_sense.lambda = options.lambda;
  recon.cg_sense.tolerance = 1e-6;
  recon.mask = ImageMask::none;
  return recon;
}

// `sensitivity` [z, y, x]: what a reconstruction's image of an object of 1 is, with its maps of unit root-sum-of-squares.
ImageOutlook image_outlook(const Context& host, const Array<float>& sensitivity, Reconstruction& result) {
  ImageOutlook outlook;
  outlook.standard_deviation = std::move(result.error_bars.standard_deviation);
  outlook.standard_deviation.reshape(sensitivity.shape());
  outlook.snr = Array<float>(host, sensitivity.shape());
  for (Index voxel = 0; voxel < outlook.snr.size(); ++voxel) {
    float& noise = outlook.standard_deviation.data()[voxel];
    outlook.snr.data()[voxel] = noise > 0 ? std::abs(result.images.data()[voxel]) / noise : 0;
    noise = sensitivity.data()[voxel] > 0 ? noise / sensitivity.data()[voxel] : 0;
  }
  return outlook;
}

// The largest |p| farther than main_lobe_radius from the peak, over the peak.
double largest_side_lobe(const Array<Complex>& spread, const std::array<Index, 3>& at) {
  const auto values = spread.view<3>();
  const double peak = std::abs(values(at[2], at[1], at[0]));
  double largest = 0;
  for (Index z = 0; z < values.extent(0); ++z) {
    for (Index y = 0; y < values.extent(1); ++y) {
      for (Index x = 0; x < values.extent(2); ++x) {
        const double distance =
            std::hypot(static_cast<double>(z - at[2]), static_cast<double>(y - at[1]), static_cast<double>(x - at[0]));
        if (distance > main_lobe_radius) largest = std::max<double>(largest, std::abs(values(z, y, x)));
      }
    }
  }
  return peak > 0 ? largest / peak : 0;
}

// Error bars are this outlook's own work: an image takes the other stages.
double seconds_of_images(const Reconstruction& made) {
  double sum = 0;
  for (const auto& [stage, seconds] : made.stage_seconds) sum += stage == "error bars" ? 0 : seconds;
  return sum;
}

void set_times(const Scan& scan, const OutlookOptions& options, ScanOutlook& outlook) {
  const Trajectory& trajectory = *scan.frames.front().trajectory;
  if (trajectory.readout_length > 0) {
    outlook.readouts = trajectory.samples() / trajectory.readout_length;
    outlook.readout_ms = static_cast<double>(trajectory.readout_length) * scan.dwell_us / 1000;
  }
  double repetition = options.repetition_ms > 0 ? options.repetition_ms : scan.readout_interval_ms;
  if (repetition == 0 && outlook.readout_ms > 0) {
    repetition = outlook.readout_ms + options.dead_ms;
    outlook.back_to_back = options.dead_ms == 0;
  }
  if (repetition > 0 && repetition < outlook.readout_ms * (1 - 1e-9)) {
    throw ValueError(fmt::format("plan: a repetition time of {:g} ms, expected at least the readout's {:g} ms",
                                 repetition, outlook.readout_ms));
  }
  outlook.pass_seconds = static_cast<double>(outlook.readouts) * repetition / 1000;
}

}  // namespace

ScanOutlook scan_outlook(const Context& ctx, const Scan& scan, const OutlookOptions& options) {
  check_outlook(scan, options);
  ScanOutlook outlook;
  set_times(scan, options, outlook);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    outlook.voxel_mm[axis] =
        scan.frames.front().geometry.field_of_view_mm[axis] / static_cast<double>(scan.matrix[axis]);
  }
  const Context host = ctx.host();
  Scan one = scan_of_object(host, scan, options, outlook.object);
  outlook.coils = one.coils;

  ReconOptions recon = outlook_recon(options, ReconMethod::cg_sense);
  const ReconPlan plan = plan_reconstruction(ctx, one, recon);
  outlook.bytes = plan.bytes;
  outlook.convolution = plan.convolution;
  const std::array<Index, 3> middle{scan.matrix[0] / 2, scan.matrix[1] / 2, scan.matrix[2] / 2};
  recon.error_bars.standard_deviation = true;
  recon.error_bars.g_factor = true;
  recon.error_bars.noise.count = options.replicas;
  recon.error_bars.noise.seed = options.seed;
  recon.error_bars.points = {middle};
  Reconstruction solved = reconstruct(ctx, std::as_const(one), recon);
  outlook.iterations = solved.reports.front().iterations;
  outlook.seconds = seconds_of_images(solved);
  const Array<float> sensitivity = root_sum_of_squares<float>(host, one.coil_maps.ref());
  const Shape& volume = sensitivity.shape();
  outlook.least_squares = image_outlook(host, sensitivity, solved);
  outlook.g_factor = std::move(solved.error_bars.g_factor);
  outlook.g_factor.reshape(volume);
  outlook.point_spread = std::move(solved.error_bars.point_spreads);
  outlook.point_spread.reshape(volume);
  outlook.least_squares.widths = solved.error_bars.spread_widths.front();
  outlook.least_squares.side_lobe = largest_side_lobe(outlook.point_spread, middle);

  const ScanFrame& frame = one.frames.front();
  const auto weights =
      density_weights<float>(host, *frame.trajectory, one.image_shape(), frame.weights.get(), DensityMethod::automatic);
  const ImpulseResponse response =
      impulse_response<float>(host, frame.trajectory->points, weights.weights, one.image_shape());
  ReconOptions gridding = outlook_recon(options, ReconMethod::gridding);
  gridding.error_bars.standard_deviation = true;
  Reconstruction gridded = reconstruct(ctx, std::as_const(one), gridding);
  outlook.gridding = image_outlook(host, sensitivity, gridded);
  outlook.gridding.widths = {response.width};
  outlook.gridding.side_lobe = response.side_lobe;
  if (options.scan_seconds > 0) average_to(outlook, options.scan_seconds);
  return outlook;
}

void average_to(ScanOutlook& outlook, double scan_seconds) {
  if (outlook.pass_seconds == 0) {
    throw ValueError(
        "plan: the time of the scan is not known; give the repetition time, or the dwell time of a trajectory with "
        "readouts");
  }
  const double averages = scan_seconds / outlook.pass_seconds;
  if (averages < 1 - 1e-9) {
    throw ValueError(fmt::format("plan: a scan time of {:g} s, expected at least the {:g} s of all readouts",
                                 scan_seconds, outlook.pass_seconds));
  }
  const auto root = static_cast<float>(std::sqrt(averages / outlook.averages));
  outlook.averages = averages;
  for (ImageOutlook* image : {&outlook.least_squares, &outlook.gridding}) {
    for (float& noise : image->standard_deviation.span()) noise /= root;
    for (float& snr : image->snr.span()) snr *= root;
  }
}

}  // namespace whorl
