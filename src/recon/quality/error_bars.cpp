#include "recon/quality/error_bars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "recon/frame_groups.hpp"
#include "whorl/calib/combine.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/recon/expected_image.hpp"
#include "whorl/recon/g_factor.hpp"
#include "whorl/recon/point_spread.hpp"

namespace whorl::recon {

namespace {

using Complex = std::complex<float>;

// "(3, 7)", "(3, 7, 2)" in 3D.
std::string voxel_name(const std::array<Index, 3>& xyz, int dim) {
  return dim == 2 ? fmt::format("({}, {})", xyz[0], xyz[1]) : fmt::format("({}, {}, {})", xyz[0], xyz[1], xyz[2]);
}

void check_points(const Scan& scan, const ErrorBarOptions& options) {
  for (const auto& point : options.points) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (point[axis] >= 0 && point[axis] < scan.matrix[axis]) continue;
      throw ValueError(
          fmt::format("point spread: voxel {} of an image of {} x {} x {}; expected x, y, z inside, from 0",
                      voxel_name(point, 3), scan.matrix[0], scan.matrix[1], scan.matrix[2]));
    }
  }
}

Note noise_note(const StandardDeviationOptions& options, const StandardDeviation<float>& found, Index voxels) {
  const bool probing = options.method == StandardDeviationMethod::probe;
  Note note = fmt::format(
      "Standard deviation, sqrt(E|x - E x|^2): {} {}, seed {}; {} has a statistical error of {:.1f} %; conjugate "
      "gradient "
      "took {} iterations at most.",
      options.count, probing ? "random probes" : "pseudo replicas", options.seed,
      probing ? "the median voxel" : "each value", 100 * found.relative_error, found.iterations);
  if (found.clipped > 0) {
    note +=
        fmt::format(" {} of {} voxels had a negative estimate of the variance, now 0: use more probes, or replicas.",
                    found.clipped, voxels);
    note.kind = NoteKind::doubt;
  }
  return note;
}

Note truth_note(const StandardDeviationOptions& options, const FrameImage& what, const ErrorMoments& moments,
                const TruthError<float>& found) {
  return doubt_if(
      found.contrast == 0,
      fmt::format(
          "Error bars of the truth: {} replicas of noise and of the penalty's bias, seed {}; each value has a "
          "statistical error of {:.1f} %; conjugate gradient took {} iterations at most. {}.",
          options.count, options.seed, 50 / std::sqrt(options.count), moments.iterations,
          found.contrast > 0
              ? fmt::format("By the image's own differences the penalty's weight is {:.2g} times that of the object, "
                            "which scales the bias",
                            found.contrast)
              : fmt::format(
                    "Image {} of slice {} shows no differences beyond its noise, so that the bias is not known: "
                    "its bars hold the noise alone",
                    what.number, what.frame.index.slice)));
}

}  // namespace

void check_error_bars(const Scan& scan, const ReconOptions& options) {
  const ErrorBarOptions& wanted = options.error_bars;
  if (!wanted.any()) return;
  check_standard_deviation(wanted.noise);
  if ((wanted.of_noise() || wanted.of_truth()) && !options.prewhiten) {
    throw ValueError("standard deviation: the noise is not known without prewhitening; leave prewhitening on");
  }
  if (wanted.of_truth() && !options.regularized.terms.empty()) {
    throw ValueError("error bars of the truth: are those of quadratic penalties; leave the regularizers out");
  }
  if (wanted.of_truth() && options.cg_sense.lambda == 0 && !options.cg_sense.lambda_search) {
    throw ValueError(
        "error bars of the truth: lambda is 0, so that no penalty says how the object may differ; expected more");
  }
  check_points(scan, wanted);
}

Index error_bar_memory(const ErrorBarOptions& options, const LeastSquaresSizes& sizes, Index batch) {
  const Index image = sizes.voxels * complex_bytes;
  Index most = 0;
  if (options.of_truth()) {
    // The right-hand side, its copy on the host, the solution and the three arrays of conjugate gradient, which the images under
    // the penalty and copies follow.
    const Index solving = std::max(sizes.normal(batch), batch * image) + batch * 6 * image;
    const Index starting = sizes.adjoint() + sizes.data + (3 + batch) * image;
    most = std::max(starting, solving);
  }
  if (options.of_noise()) {
    const bool probing = options.noise.method == StandardDeviationMethod::probe;
    // The right-hand side of each replica and its noise; then also the solution and the three arrays of conjugate gradient. Probes
    // stay beside these.
    const Index starting = probing ? 0 : sizes.adjoint() + sizes.data + batch * image;
    const Index solving = sizes.normal(batch) + batch * (probing ? 6 : 5) * image;
    // Sums of squares and of products in double, and in the end their copies on a host, whose root is the result.
    const Index sums = (probing ? 2 : 1) * sizes.voxels * static_cast<Index>(sizeof(double));
    most = std::max(most, sums + std::max(starting, solving));
  }
  // The bias beside the right-hand side and conjugate gradient; for a point spread besides, the point here and on the device.
  if (options.bias) most = std::max(most, sizes.normal() + 5 * image);
  if (!options.points.empty()) most = std::max(most, sizes.normal() + 7 * image);
  return most + (options.of_noise() ? image / 2 : 0) + (options.of_truth() ? image : 0);
}

Index kept_moments(const ErrorBarOptions& options, Index voxels) {
  return options.of_truth() ? 5 * voxels * static_cast<Index>(sizeof(double)) : 0;
}

Index error_bar_results(const ErrorBarOptions& options, Index voxels, Index images) {
  const Index of_images = (options.standard_deviation ? 1 : 0) + (options.g_factor ? 1 : 0) + (options.bias ? 2 : 0) +
                          (options.truth_bar ? 1 : 0) + (options.truth_bound ? 1 : 0);
  const auto points = static_cast<Index>(options.points.size());
  return voxels * (of_images * images + 2 * points) * static_cast<Index>(sizeof(float));
}

ErrorBarMaker::ErrorBarMaker(const Context& ctx, const Scan& scan, const ReconOptions& options, Index replicas)
    : options_(options.error_bars), image_(scan.image_shape()) {
  if (!options_.any()) return;
  options_.noise.batch = replicas;
  const Shape volume{scan.matrix[2], scan.matrix[1], scan.matrix[0]};
  const Shape frames = volume.with_front(count_of_images(scan, options));
  const Context host = ctx.host();
  if (options_.standard_deviation) result_.standard_deviation = Array<float>(host, frames);
  if (options_.g_factor) result_.g_factor = Array<float>(host, frames);
  if (options_.bias) result_.bias = Array<Complex>(host, frames);
  if (options_.truth_bar) result_.truth_bar = Array<float>(host, frames);
  if (options_.truth_bound) result_.truth_bound = Array<float>(host, frames);
  if (!options_.points.empty()) {
    result_.point_spreads = Array<Complex>(host, volume.with_front(static_cast<Index>(options_.points.size())));
  }
}

LeastSquaresOptions ErrorBarMaker::solver(double lambda) const {
  return {.iterations = options_.noise.iterations, .tolerance = options_.noise.tolerance, .lambda = lambda};
}

void ErrorBarMaker::note_solve(const SolverReport& report) { residual_ = std::max(residual_, report.residuals.back()); }

void ErrorBarMaker::set_noise(const Context& ctx, const FrameImage& what, ArrayRef<const float> standard_deviation) {
  noise_frame_ = what.number;
  if (options_.standard_deviation) {
    copy<float>(standard_deviation, result_.standard_deviation.slice(what.number).reshape(image_));
  }
  if (options_.g_factor) {
    copy<float>(g_factor<float>(ctx, standard_deviation, what.maps, what.frame.trajectory->samples()),
                result_.g_factor.slice(what.number).reshape(image_));
  }
}

void ErrorBarMaker::repeat_noise(Index frame) {
  if (options_.standard_deviation) {
    copy<float>(result_.standard_deviation.slice(noise_frame_), result_.standard_deviation.slice(frame));
  }
  if (options_.g_factor) copy<float>(result_.g_factor.slice(noise_frame_), result_.g_factor.slice(frame));
}

void ErrorBarMaker::add_noise(const Context& ctx, const FrameImage& what, const RegularizedModel<float>& model,
                              double lambda) {
  const Shared here{what.frame.trajectory.get(), what.frame.index.slice, model.eigenvalue, lambda};
  if (here == noise_of_) return repeat_noise(what.number);
  const auto found = standard_deviation<float>(ctx, "standard deviation", model, lambda, options_.noise);
  residual_ = std::max(residual_, found.residual);
  if (noise_of_.trajectory == nullptr) said_.push_back(noise_note(options_.noise, found, image_.size()));
  noise_of_ = here;
  set_noise(ctx, what, found.values);
}

void ErrorBarMaker::add_truth(const Run& run, const FrameImage& what, const RegularizedModel<float>& model,
                              double lambda) {
  const Shared here{what.frame.trajectory.get(), what.frame.index.slice, model.eigenvalue, lambda};
  if (!(here == moments_of_)) {
    moments_ = {};  // their memory, before that of the next is taken
    moments_ =
        error_moments<float>(run.ctx, "error bars of the truth", model, lambda, options_.unseen_radius, options_.noise);
    residual_ = std::max(residual_, moments_.residual);
    moments_of_ = here;
  }
  const auto found = truth_error<float>(run.ctx, model, lambda, options_.unseen_radius, moments_, what.image,
                                        std::ldexp(1.0, run.exponent));
  if (options_.truth_bar) copy<float>(found.bar, result_.truth_bar.slice(what.number).reshape(image_));
  if (options_.truth_bound) copy<float>(found.bound, result_.truth_bound.slice(what.number).reshape(image_));
  // The first frame's, and the first doubt of any.
  const bool doubts = found.contrast == 0;
  if (!said_truth_ || (doubts && !said_truth_doubt_)) {
    said_.push_back(truth_note(options_.noise, what, moments_, found));
  }
  said_truth_ = true;
  said_truth_doubt_ = said_truth_doubt_ || doubts;
}

void ErrorBarMaker::add_bias(const Context& ctx, const FrameImage& what, const RegularizedModel<float>& model,
                             double lambda) {
  Array<Complex> bias(ctx, image_);
  note_solve(expected_image<float>(ctx, "bias", model, solver(lambda), what.image, bias));
  axpby<float>(ctx, -1, what.image, 1, bias);
  copy<Complex>(ctx, bias, result_.bias.slice(what.number).reshape(image_));
  if (what.number > 0) return;
  const double size = norm<float>(ctx, what.image);
  said_.emplace_back(
      fmt::format("Bias: {:.2f} % of the image (l2), with the image in the place of the object, which is not known: a "
                  "plug-in estimate.",
                  size > 0 ? 100 * norm<float>(ctx, bias) / size : 0));
}

void ErrorBarMaker::add_points(const Context& ctx, const RegularizedModel<float>& model, double lambda) {
  const int dim = image_.rank();
  for (std::size_t p = 0; p < options_.points.size(); ++p) {
    const auto& xyz = options_.points[p];
    std::vector<Index> voxel{xyz[1], xyz[0]};
    if (dim == 3) voxel.insert(voxel.begin(), xyz[2]);
    const auto found = point_spread<float>(ctx, "point spread", model, solver(lambda), voxel);
    note_solve(found.report);
    copy<Complex>(found.response, result_.point_spreads.slice(static_cast<Index>(p)).reshape(image_));
    std::string widths;  // x first
    std::for_each(found.widths.rbegin(), found.widths.rend(),
                  [&](double width) { widths += fmt::format("{}{:.2f}", widths.empty() ? "" : " x ", width); });
    said_.emplace_back(fmt::format("Point spread at {}: {} voxels wide ({}) at half maximum, peak {:.3f}, sum {:.3f}.",
                                   voxel_name(xyz, dim), widths, dim == 2 ? "x, y" : "x, y, z", std::abs(found.peak),
                                   std::abs(found.sum)),
                       NoteKind::answer);
    result_.spread_widths.push_back(found.widths);
  }
}

void ErrorBarMaker::add_least_squares(Run& run, const FrameImage& what, const RegularizedModel<float>& model,
                                      double lambda) {
  if (!options_.any()) return;
  run.time(stages::error_bars, [&] {
    if (options_.of_noise()) add_noise(run.ctx, what, model, lambda);
    if (options_.of_truth()) add_truth(run, what, model, lambda);
    if (options_.bias) add_bias(run.ctx, what, model, lambda);
    if (what.number == 0) add_points(run.ctx, model, lambda);
  });
}

void ErrorBarMaker::add_regularized(Index first, const StandardDeviation<float>& found) {
  if (!options_.standard_deviation) return;
  if (!regularized_) {
    const bool probing = options_.noise.method == StandardDeviationMethod::probe;
    said_.push_back(doubt_if(
        found.limited,
        fmt::format("Standard deviation, sqrt(E|x - E x|^2): {} {}, seed {}; each value has a statistical error of "
                    "{:.1f} %{}; the "
                    "solver took {} iterations at most{}, {} applications of the normal operator to an image.",
                    options_.noise.count, probing ? "derivatives along noise" : "replicas", options_.noise.seed,
                    100 * found.relative_error,
                    probing ? " where the image changes with the data as by its linearization" : "", found.iterations,
                    found.limited ? " (the limit: they may not have settled)" : "", found.applications)));
  }
  regularized_ = true;
  const Index frames = found.values.extent(0);
  for (Index f = 0; f < frames; ++f) {
    copy<float>(found.values.slice(f), result_.standard_deviation.slice(first + f).reshape(image_));
  }
}

void ErrorBarMaker::add_gridding(Run& run, const FrameImage& what, ArrayRef<const float> weights, double scale) {
  if (!options_.any()) return;
  const Context& ctx = run.ctx;
  run.time(stages::error_bars, [&] {
    const Array<float> here = to_host<const float>(ctx, weights);
    double squares = 0;
    for (const float w : here.span()) squares += static_cast<double>(w) * w;
    const double numerator = std::abs(scale) * std::sqrt(squares / static_cast<double>(image_.size()));
    Array<float> sigma = to_host<float>(ctx, root_sum_of_squares<float>(ctx, what.maps));
    for (float& value : sigma.span()) value = value > 0 ? static_cast<float>(numerator) / value : 0.0F;
    set_noise(ctx, what, sigma);
    if (what.number == 0) {
      said_.emplace_back("Standard deviation, sqrt(E|x - E x|^2): exact, by the formula for gridded images.");
    }
  });
}

ErrorBars ErrorBarMaker::take(const std::vector<SolverReport>& reports, Notes& notes) {
  notes.insert(notes.end(), said_.begin(), said_.end());
  if (residual_ > options_.noise.tolerance) {
    notes.emplace_back(
        fmt::format(
            "Error bars: the solves stopped at a relative residual of {:.1e}, not at {:.1e}: they are not those of "
            "the converged image yet; allow more iterations.",
            residual_, options_.noise.tolerance),
        NoteKind::doubt);
  }
  double image = 0;
  for (const SolverReport& report : reports) image = std::max(image, report.residuals.back());
  if (options_.any() && !regularized_ && image > 10 * options_.noise.tolerance) {
    notes.emplace_back(
        fmt::format(
            "Error bars: they describe the converged image. This one stopped at a relative residual of {:.1e} and has "
            "less noise and more bias; a smaller tolerance and more iterations bring it there.",
            image),
        NoteKind::doubt);
  }
  return std::move(result_);
}

}  // namespace whorl::recon
