// whorl phantom: an object whose k-space is known exactly, measured along a trajectory.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "cli/command.hpp"
#include "cli/output/print.hpp"
#include "cli/output/run_notes.hpp"
#include "cli/phantom/phantom_options.hpp"
#include "core/counted.hpp"
#include "whorl/calib/combine.hpp"
#include "whorl/core/error.hpp"
#include "whorl/correct/object_motion.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/io/record.hpp"
#include "whorl/io/write_scan.hpp"
#include "whorl/phantom/brain.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/phantom/dynamic.hpp"
#include "whorl/phantom/phantom_scan.hpp"
#include "whorl/phantom/shepp_logan.hpp"
#include "whorl/phantom/test_objects.hpp"
#include "whorl/scan/affine.hpp"
#include "whorl/scan/regroup.hpp"

namespace whorl::cli {

namespace {

constexpr int usual_evolving_points = 2;

// The trajectory, or an empty frame that says where the images lie.
Scan read_grid(const PhantomOptions& options, const Context& ctx) {
  Scan scan;
  if (!options.trajectory.empty()) {
    scan = read_scan(ctx, options.trajectory, options.read);
  } else {
    scan.matrix = {options.matrix[0], options.matrix[1], options.matrix.size() > 2 ? options.matrix[2] : 1};
    scan.frames.emplace_back();
  }
  for (ScanFrame& frame : scan.frames) {
    auto& view = frame.geometry.field_of_view_mm;
    std::copy(options.field_of_view_mm.begin(), options.field_of_view_mm.end(), view.begin());
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (view[axis] == 0) view[axis] = static_cast<double>(scan.matrix[axis]);
    }
  }
  return scan;
}

// As many of the usual line widths, in pixels, as the shortest side of the matrix holds.
std::vector<double> usual_line_widths(const Scan& scan) {
  Index side = std::min(scan.matrix[0], scan.matrix[1]);
  if (scan.dim() == 3) side = std::min(side, scan.matrix[2]);
  if (side >= 128) return {1, 1.5, 2, 3};
  if (side >= 88) return {1, 1.5, 2};
  return side >= 64 ? std::vector<double>{1, 1.5} : std::vector<double>{1};
}

Phantom make_phantom(const PhantomOptions& options, const Scan& scan) {
  if (options.name == "brain") return brain_phantom(scan.dim());
  if (options.name == "geometric") return geometric_phantom(scan.dim());
  if (is_beating(options)) return beating_phantom(0);
  if (is_t2(options)) return t2_phantom(0);
  if (options.name == "shepp-logan") {
    return shepp_logan(scan.dim(),
                       options.contrast == "standard" ? PhantomContrast::standard : PhantomContrast::modified);
  }
  std::array<double, 3> view{};
  std::copy(scan.matrix.begin(), scan.matrix.end(), view.begin());
  if (options.line_widths.empty()) return resolution_phantom(scan.dim(), view, usual_line_widths(scan));
  if (options.line_unit == "mm") view = scan.frames.front().geometry.field_of_view_mm;
  return resolution_phantom(scan.dim(), view, options.line_widths);
}

Array<float> object_image(const Context& ctx, const Phantom& phantom, const Scan& scan) {
  return rasterize<float>(ctx, phantom, scan.matrix, phantom.dim == 2 ? 16 : 4);
}

double mean_of_object(const Array<float>& object) {
  double sum = 0;
  Index count = 0;
  for (const float value : object.span()) {
    sum += value;
    count += value != 0 ? 1 : 0;
  }
  if (count == 0) throw ValueError("phantom: no pixel of this matrix meets the object; give a larger matrix");
  return sum / static_cast<double>(count);
}

// Standard deviation and relative covariance of the noise.
struct Noise {
  double standard_deviation = 0;
  Array<std::complex<double>> covariance;
};

Noise make_noise(const PhantomOptions& options, const Context& ctx, const Phantom& phantom, const Scan& scan) {
  Noise noise;
  noise.standard_deviation =
      options.snr > 0 ? mean_of_object(object_image(ctx, phantom, scan)) / options.snr : options.noise;
  if (!options.noise_covariance.empty()) {
    const NamedArray file = read_array(ctx, options.noise_covariance);
    check_finite(file.values, options.noise_covariance);
    noise.covariance = converted<std::complex<double>>(ctx, file.values, options.noise_covariance);
    if (noise.standard_deviation == 0) {
      noise.standard_deviation = 1;
      return noise;
    }
    const Index coils = noise.covariance.extent(0);
    double variance = 0;
    for (Index i = 0; i * (coils + 1) < noise.covariance.size(); ++i) {
      variance += noise.covariance.data()[i * (coils + 1)].real() / static_cast<double>(coils);
    }
    if (!(variance > 0)) throw ValueError(fmt::format("{}: expected variances above 0", options.noise_covariance));
    for (auto& value : noise.covariance.span()) value /= variance;
  } else if (options.noise_correlation > 0) {
    noise.covariance = ring_noise_covariance(ctx, std::max<Index>(options.coils, 1), options.noise_correlation);
  }
  return noise;
}

// The phantom's name, matrix and measurement, for people.
std::string facts(const PhantomOptions& options, const Phantom& phantom, const Scan& scan, const Noise& noise) {
  const auto end = scan.matrix.begin() + (phantom.dim == 2 && scan.matrix[2] == 1 ? 2 : 3);
  std::string text = fmt::format("{} phantom, {}D, matrix {}, {} regions\n", phantom.name, phantom.dim,
                                 fmt::join(scan.matrix.begin(), end, " x "), phantom.regions.size());
  if (options.output.empty()) return text;
  Index samples = 0;
  for (const ScanFrame& frame : scan.frames) samples += frame.data.extent(1);
  text += fmt::format("{}, {} in all, {}\n", counted(static_cast<Index>(scan.frames.size()), "frame"),
                      counted(samples, "sample"), counted(scan.coils, "coil"));
  if (noise.standard_deviation == 0) return text + "no noise\n";
  return text + fmt::format("noise of standard deviation {:.6g}{}, noise scan of {} samples\n",
                            noise.standard_deviation, noise.covariance.size() > 0 ? " times its covariance" : "",
                            options.noise_samples);
}

RunRecord make_record(const PhantomOptions& options, const Session& session, const Phantom& phantom,
                      const Noise& noise) {
  RunRecord record = begin_record(session);
  record.parameters = {{"phantom", phantom.name},
                       {"coils", options.coils},
                       {"noise_standard_deviation", noise.standard_deviation},
                       {"noise_covariance", options.noise_covariance},
                       {"noise_correlation", options.noise_correlation},
                       {"noise_samples", options.noise_samples},
                       {"evolving_points", static_cast<std::int64_t>(options.evolve)},
                       {"echo_time_ms", options.echo_time_ms},
                       {"echo_times_ms", fmt::format("{}", fmt::join(options.echo_times_ms, ", "))},
                       {"motion", options.motion},
                       {"drift", fmt::format("{}", fmt::join(options.drift, ", "))},
                       {"seed", static_cast<std::int64_t>(options.seed)}};
  return record;
}

void write_images(const PhantomOptions& options, const Context& ctx, const Phantom& phantom, const Scan& scan) {
  const Affine affine = voxel_affine(scan.frames.front().geometry, scan.matrix);
  const auto write = [&](const std::string& path, const char* name, AnyArray values) {
    if (!path.empty()) write_array(ctx, path, {name, std::move(values), affine});
  };
  if (!options.maps.empty() || !options.truth.empty()) {
    Array<std::complex<float>> maps = phantom_coil_maps<float>(ctx, receive_coils(ctx, scan.matrix, options.coils));
    if (!options.truth.empty()) {
      Array<float> truth = root_sum_of_squares<float>(ctx, maps.ref());
      const Array<float> object = object_image(ctx, phantom, scan);
      for (Index i = 0; i < truth.size(); ++i) truth.data()[i] *= object.data()[i];
      write(options.truth, "truth", std::move(truth));
    }
    maps.reshape({maps.extent(0), scan.matrix[2], scan.matrix[1], scan.matrix[0]});
    write(options.maps, "maps", std::move(maps));
  }
  if (!options.object.empty()) write(options.object, "object", object_image(ctx, phantom, scan));
  if (!options.field_map.empty()) write(options.field_map, "field_map", field_map(ctx, phantom, scan.matrix));
  if (!options.r2_star_map.empty()) write(options.r2_star_map, "r2_star_map", r2_star_map(ctx, phantom, scan.matrix));
}

// The poses that are asked for; none: the object rests.
std::vector<ObjectPose> poses_of(const PhantomOptions& options, const Context& ctx, const Scan& scan) {
  const auto poses_from = [&](ArrayRef<const double> rows) { return object_poses(rows, scan.dim()); };
  if (!options.motion.empty()) {
    return poses_from(converted<double>(ctx, read_array(ctx, options.motion).values, options.motion));
  }
  if (options.drift.empty()) return {};
  Array<double> last(ctx, {1, static_cast<Index>(options.drift.size())});
  std::copy(options.drift.begin(), options.drift.end(), last.data());
  Index readouts = 0;
  for (const ScanFrame& frame : scan.frames) readouts += readouts_of(frame, "motion");
  const std::vector<ObjectPose> poses = drifting_poses(poses_from(last).front(), readouts);
  if (!options.poses.empty()) {
    Array<double> rows(ctx, {readouts, 6});
    for (Index i = 0; i < rows.size(); ++i) {
      const ObjectPose& pose = poses[static_cast<std::size_t>(i / 6)];
      rows.data()[i] = i % 6 < 3 ? pose.shift_mm[static_cast<std::size_t>(i % 6)]
                                 : pose.rotation_degrees[static_cast<std::size_t>(i % 6 - 3)];
    }
    write_array(ctx, options.poses, {"poses", std::move(rows)});
  }
  return poses;
}

Scan measured(const PhantomOptions& options, const Context& ctx, const Phantom& phantom, Scan scan,
              PhantomScanOptions measure) {
  if (options.readout_interval_ms > 0) scan.readout_interval_ms = options.readout_interval_ms;
  if (is_beating(options)) {
    return dynamic_phantom_scan(
        ctx, [](double time) { return beating_phantom(time); }, std::move(scan), measure);
  }
  if (!options.echo_times_ms.empty()) {
    if (!is_t2(options) && measure.evolving_points == 0) measure.evolving_points = usual_evolving_points;
    const auto at = [&](double echo_time) { return is_t2(options) ? t2_phantom(echo_time) : phantom; };
    return multi_echo_phantom_scan(ctx, at, std::move(scan), options.echo_times_ms, measure);
  }
  const std::vector<ObjectPose> poses = poses_of(options, ctx, scan);
  return poses.empty() ? phantom_scan(ctx, phantom, std::move(scan), measure)
                       : moving_phantom_scan(ctx, phantom, poses, std::move(scan), measure);
}

void run(const PhantomOptions& options, const Session& session) {
  Scan scan = read_grid(options, session.ctx);
  const Phantom phantom = make_phantom(options, scan);
  const Noise noise = make_noise(options, session.ctx, phantom, scan);
  RunRecord record = make_record(options, session, phantom, noise);

  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  if (!options.output.empty()) {
    PhantomScanOptions measure{options.coils, noise.standard_deviation, options.noise_samples, options.seed};
    measure.evolving_points = options.evolve;
    measure.echo_time_ms = options.echo_time_ms;
    if (noise.covariance.size() > 0) {
      measure.noise_covariance =
          std::make_shared<const Array<std::complex<double>>>(clone(session.ctx, noise.covariance));
    }
    scan = measured(options, session.ctx, phantom, std::move(scan), measure);
    write_scan(session.ctx, scan, options.output);
    record.notes = scan.notes;
  }
  const auto measured = Clock::now();
  write_images(options, session.ctx, phantom, scan);
  record.stage_seconds = {{"scan", std::chrono::duration<double>(measured - start).count()},
                          {"images", std::chrono::duration<double>(Clock::now() - measured).count()}};
  write_record(session.ctx, record, record_path(record.outputs.front()));

  if (session.quiet) return;
  std::string text = facts(options, phantom, scan, noise);
  for (const std::string& path : record.outputs) text += fmt::format("wrote {}\n", path);
  print(text);
}

constexpr const char* examples = R"(Phantoms, in 2D and 3D as the trajectory or matrix is:
  shepp-logan   the head of ten ellipses or ellipsoids
  brain         a head: folded cortex as splines in 2D, ellipsoids in 3D; T1-weighted intensities
  resolution    bars along x, y (and z) and rods, of given line widths, in a disk or cylinder
  geometric     a lattice of marks and four wedges, for distortion; a corner that tells a mirrored image
  beating       in 2D, a heart that beats 1.2 times a second and a contrast agent that comes and goes
  t2            in 2D, disks of T2 from 30 to 200 ms, for --echo-times
Their k-space is exact, not a discrete transform of an image. Field map and R2* are images for other uses: the scan
itself has them only with --evolve.

Examples:
  whorl phantom brain -t spiral.h5 -o scan.h5 --coils 8 --snr 30 --truth truth.nii.gz
                                        a scan with noise and a noise scan, and the image to compare with
  whorl phantom shepp-logan -t kooshball.h5 -o scan.h5 --coils 12 --noise 0.01 --noise-correlation 0.3 --seed 7
                                        the noise of neighboring coils correlated
  whorl phantom brain -t spiral.h5 -o scan.h5 --evolve 2 --field-map field.nii.gz
                                        off-resonance during the readout, and its map for whorl recon --field-map
  whorl phantom brain -t spiral.h5 -o echoes.h5 --echo-times 2,4,6,8
                                        T2* and off-resonance: four echoes of one scan
  whorl phantom shepp-logan -t radial.h5 -o moving.h5 --drift 4,-2,6 --save-motion poses.npy
                                        an object that moves by 4 and -2 mm and turns by 6 degrees, for recon --motion
  whorl phantom beating -t golden.h5 -o heart.h5 --readout-interval 4
                                        a heart, for recon --gate and --spokes-per-frame
  whorl phantom resolution -t radial.h5 -o scan.h5 --coils 0 --line-widths 1,2,4 --line-unit mm
                                        one channel of uniform sensitivity, no noise
  whorl phantom brain --matrix 256 256 --object brain.npy --field-map field.npy --r2star-map r2star.npy
                                        images alone)";

}  // namespace

Command phantom_command() {
  return {"phantom", "Measure an analytic phantom: exact k-space on any trajectory, coils, noise, true images",
          examples, [](App& app) -> Run {
            const auto options = std::make_shared<PhantomOptions>();
            add_phantom_options(app, *options);
            app.callback([options, &app] {
              if (options->trajectory.empty() && options->matrix.empty()) {
                refuse("give the trajectory (-t) or, for images alone, the matrix (--matrix)");
              }
              if (app.files().to_write().empty()) {
                refuse("nothing to write; give a scan (-o) or an image such as --object");
              }
            });
            return [options](const Session& session) { run(*options, session); };
          }};
}

}  // namespace whorl::cli
