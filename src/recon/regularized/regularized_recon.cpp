#include "recon/regularized/regularized_recon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "recon/tiles/staged_operator.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/op/block_diagonal.hpp"

namespace whorl::recon {

namespace {

bool span_frames(const ReconOptions& options) {
  return std::any_of(options.regularizers.begin(), options.regularizers.end(),
                     [](const Regularizer& what) { return what.spans_frames(); });
}

std::string describe_regularizers(const std::vector<Regularizer>& regularizers, double unit) {
  std::string terms;
  for (const Regularizer& what : regularizers) terms += (terms.empty() ? "" : ", ") + to_text(what);
  return fmt::format("Regularizers: {}; a weight of 1 is {:.4g} in the images.", terms, unit);
}

// x - w and w for the unknowns w of the term that splits the series.
Array<std::complex<float>> parts_of(const Context& ctx, const std::vector<ProximalPenalty<float>>& penalties,
                                    const std::vector<Regularizer>& regularizers,
                                    ArrayRef<const std::complex<float>> images,
                                    ArrayRef<const std::complex<float>> unknowns) {
  using Complex = std::complex<float>;
  Index start = 0;
  for (std::size_t t = 0; !regularizers[t].has_parts(); ++t) {
    if (penalties[t].infimal != nullptr) start += penalties[t].infimal->auxiliary().size();
  }
  const Context host = ctx.host();
  Array<Complex> parts(host, images.shape().tail().with_front(2).with_front(images.extent(0)));
  for (Index f = 0; f < images.extent(0); ++f) {
    const ArrayRef<const Complex> image = images.slice(f);
    const ArrayRef<const Complex> second(unknowns.data() + start + f * image.size(), image.shape(), unknowns.device());
    const ArrayRef<Complex> part = parts.slice(f);
    copy<Complex>(ctx, image, part.slice(0));
    copy<Complex>(ctx, second, part.slice(1));
    axpby<float>(host, -1, part.slice(1), 1, part.slice(0));
  }
  return parts;
}

// How weights are chosen, where they are.
std::optional<LambdaMethod> chosen_by(const std::vector<Regularizer>& regularizers) {
  std::optional<LambdaMethod> method;
  for (const Regularizer& what : regularizers) {
    if (!what.choice) continue;
    if (method && *method != *what.choice) {
      throw ValueError("regularizers: weights chosen by gcv and by discrepancy; choose all by one of them");
    }
    method = what.choice;
  }
  return method;
}

// Axes whose elements are numbered alike: [frame, z, y, x].
Shape series_shape(const Shape& images) {
  return {images[0], images.rank() == 4 ? images[1] : 1, images[-2], images[-1]};
}

}  // namespace

void check_regularizers(const ReconOptions& options) {
  if (options.keep_parts && std::count_if(options.regularizers.begin(), options.regularizers.end(),
                                          [](const Regularizer& what) { return what.has_parts(); }) != 1) {
    throw ValueError(
        "reconstruction: the parts of images are those of ictv or low-rank-sparse; give one of them, or keep no parts");
  }
  if (options.regularizers.empty()) return;
  if (options.method != ReconMethod::cg_sense) {
    throw ValueError("reconstruction: regularizers belong to least squares; use cg-sense, or leave them out");
  }
  if (options.lambda_search) {
    throw ValueError(
        "reconstruction: lambda is chosen for least squares without regularizers; give it as a number, or 0");
  }
  const ErrorBarOptions& bars = options.error_bars;
  if (bars.g_factor || bars.bias || !bars.points.empty()) {
    throw ValueError(
        "reconstruction: g-factor, bias and point spread are those of least squares without regularizers; leave them "
        "out, or the regularizers");
  }
  if (chosen_by(options.regularizers) == LambdaMethod::discrepancy && !options.prewhiten) {
    throw ValueError("reconstruction: the discrepancy principle needs prewhitened data; leave prewhitening on");
  }
  static_cast<void>(solver_for(options.solver, options.regularizers));
}

FramesShare frames_share(const ReconOptions& options) {
  return span_frames(options) ? FramesShare::place : FramesShare::trajectory;
}

Operator<float> for_solver(const Run& run, Operator<float> op) {
  return run.spills_solver ? staged(std::move(op)) : op;
}

Operator<float> frames_encoding(Run& run, const FrameGroup& group, Encodings& encodings,
                                Array<std::complex<float>>& maps) {
  std::vector<Operator<float>> blocks;
  for (std::size_t i = 0; i < group.frames.size(); ++i) {
    const bool same = i > 0 && group.frames[i].trajectory == group.frames[i - 1].trajectory;
    blocks.push_back(same ? blocks.back()
                          : for_solver(run, encodings.transform(run, group.frames[i]).of_image(maps.share())));
  }
  return BlockDiagonal<float>(std::move(blocks));
}

namespace {

// The data of all frames of a group, one after the other.
Array<std::complex<float>> data_of_group(const Context& ctx, const FrameGroup& group, const Shape& range) {
  using Complex = std::complex<float>;
  Array<Complex> data(ctx, range);
  Index start = 0;
  for (const ScanFrame& frame : group.frames) {
    copy<Complex>(ctx, frame.data, ArrayRef<Complex>(data.data() + start, frame.data.shape(), data.device()));
    start += frame.data.size();
  }
  return data;
}

// Sets the unit and, where the options say so, chooses the weights.
void set_weights(Run& run, const RegularizedModel<float>& model, ArrayRef<const std::complex<float>> data,
                 ArrayRef<const std::complex<float>> b, const RegularizedOptions& solver, const ReconOptions& options,
                 int exponent, SliceWeights& weights) {
  weights.unit = largest_magnitude<float>(run.solver_ctx, b);
  if (!(weights.unit > 0)) {
    throw ValueError("regularized least squares: the data are zero, which leaves weights no unit");
  }
  weights.regularizers = options.regularizers;
  const auto method = chosen_by(options.regularizers);
  if (method) {
    const auto with = [&](double weight) {
      std::vector<Regularizer> terms = options.regularizers;
      for (Regularizer& what : terms) {
        if (what.choice) what.weight = weight;
        what.choice.reset();
      }
      return terms;
    };
    LambdaSweepOptions sweep = usual_weights();
    if (*method == LambdaMethod::discrepancy) sweep.probes = 0;
    LambdaCurve curve = weight_curve<float>(
        run.solver_ctx, model,
        [&](double weight) { return make_penalties<float>(series_shape(b.shape()), with(weight), weights.unit); },
        solver, data, sweep);
    const double square = std::ldexp(1.0, 2 * exponent);
    for (LambdaPoint& point : curve.points) {
      point.residual *= square;
      point.penalty *= square;
    }
    weights.choice = choose_lambda(std::move(curve), *method);
    weights.choice->reason.replace(0, std::string("Lambda").size(), "Weight");
    weights.regularizers = with(weights.choice->lambda);
  }
  run.notes.push_back(describe_regularizers(weights.regularizers, weights.unit));
}

// A group's frames as one problem.
struct SeriesProblem {
  RegularizedModel<float> model;
  RegularizedOptions solver;
  Array<std::complex<float>> b;  // A^H d / s, frame by frame
  double constant = 0;           // |d|^2 / (2 s)
};

// Sets the weights too, where they are not known.
SeriesProblem problem_of(Run& run, const RegularizedModel<float>& model, const FrameGroup& group,
                         const ReconOptions& options, SliceWeights& weights, int exponent) {
  using Complex = std::complex<float>;
  const Context& ctx = run.solver_ctx;
  const auto count = static_cast<Index>(group.frames.size());
  SeriesProblem problem{{model.encoding, model.eigenvalue, {}},
                        {options.iterations, options.tolerance, options.lambda,
                         solver_for(options.solver, options.regularizers), options.change},
                        Array<Complex>(ctx, model.encoding->domain())};
  for (const QuadraticPenalty<float>& term : model.penalties) {
    problem.model.penalties.push_back(
        {term.op == nullptr ? term.op : Operator<float>(BlockDiagonal<float>(term.op, count)), term.weight});
  }
  const Array<Complex> data = data_of_group(ctx, group, model.encoding->range());
  problem.constant = dot<float>(ctx, data, data).real() / (2 * model.eigenvalue);
  model.encoding->adjoint(ctx, data, problem.b);
  axpby<float>(ctx, 1 / model.eigenvalue, problem.b, 0, problem.b);
  if (weights.unit == 0) {
    run.time("choice of weights",
             [&] { set_weights(run, problem.model, data, problem.b, problem.solver, options, exponent, weights); });
  }
  return problem;
}

}  // namespace

void find_weights(Run& run, const RegularizedModel<float>& model, const FrameGroup& first, const ReconOptions& options,
                  SliceWeights& weights, int exponent) {
  static_cast<void>(problem_of(run, model, first, options, weights, exponent));
}

RegularizedImages regularized_images(Run& run, const std::string& title, const RegularizedModel<float>& model,
                                     const FrameGroup& group, const ReconOptions& options, SliceWeights& weights,
                                     int exponent, const FinishedFrames& finished,
                                     ArrayRef<std::complex<float>> images) {
  using Complex = std::complex<float>;
  const Context& ctx = run.solver_ctx;
  const Index count = images.extent(0);
  const SeriesProblem problem = problem_of(run, model, group, options, weights, exponent);
  const bool noisy = options.error_bars.standard_deviation;
  std::vector<SolverReport> reports;
  const bool leaves_start = noisy || options.keep_parts;
  if (!leaves_start && finished.find(ctx, group, images, reports)) return {std::move(reports.front()), {}, {}};
  const auto penalties = make_penalties<float>(series_shape(images.shape()), weights.regularizers, weights.unit);
  fill<Complex>(ctx, images, 0);
  RegularizedImages result;
  RegularizedStart<float> start;
  const auto states = finished.states(group);
  result.report = run.time("regularized least squares", [&] {
    return regularized_least_squares<float>(ctx, title, problem.model, penalties, problem.solver, problem.b,
                                            problem.constant, images, leaves_start ? &start : nullptr, states.get());
  });
  if (options.keep_parts) {
    result.parts = parts_of(ctx, penalties, weights.regularizers, images, start.unknowns);
  }
  finished.keep(ctx, group, images, {static_cast<std::size_t>(count), result.report});
  if (noisy) {
    // The data are 2^-exponent of those whose noise is 1.
    result.noise = run.time("error bars", [&] {
      return regularized_standard_deviation<float>(ctx, "standard deviation", problem.model, penalties, problem.solver,
                                                   problem.b, images, start, options.error_bars.noise,
                                                   std::ldexp(1.0, -exponent));
    });
  }
  return result;
}

void put_parts(const Context& host, const Array<std::complex<float>>& parts, Index first, Index frames,
               Array<std::complex<float>>& all) {
  using Complex = std::complex<float>;
  if (parts.size() == 0) return;
  if (all.size() == 0) {
    const Shape image = parts.shape().tail().tail();
    const Shape volume = image.rank() == 3 ? image : image.with_front(1);
    all = Array<Complex>(host, volume.with_front(parts.extent(1)).with_front(frames));
  }
  const ArrayRef<Complex> rows = all.ref().range(first, first + parts.extent(0));
  copy<Complex>(parts, rows.reshape(parts.shape()));
}

namespace {

// Arrays of the images' size that a term has, and what decides which the solver has.
struct TermArrays {
  Index duals = 1;
  Index unknowns = 0;     // besides the images
  Index working = 0;      // while its function or its normal operator works
  bool differs = false;   // its spectrum is not flat
  bool joins = false;     // frames or parts, with a spectrum that is flat in each
  bool versions = false;  // it has random shifts
};

TermArrays arrays_of(const Regularizer& what, Index image_axes) {
  const Index axes = what.axes.empty() ? image_axes : static_cast<Index>(what.axes.size());
  switch (what.kind) {
    case RegularizerKind::tv:
      return {.duals = axes, .differs = what.axes != "t", .joins = what.axes == "t"};
    case RegularizerKind::wavelet:  // coefficients, and what the transform has between its axes
      return {.working = 3, .versions = what.shift};
    case RegularizerKind::tgv:
      return {.duals = axes + axes * (axes + 1) / 2,
              .unknowns = axes,
              .working = axes + axes * (axes + 1) / 2,
              .differs = true};
    case RegularizerKind::ictv: {
      const Index both = what.mix > 0 ? 2 * (image_axes + 1) : image_axes + 1;
      return {.duals = both, .unknowns = 1, .working = both + 1, .differs = true};
    }
    case RegularizerKind::low_rank_sparse:
      return {.duals = 2, .unknowns = 1, .working = 5, .joins = true};
    case RegularizerKind::llr:
      return {.working = 1, .versions = what.shift};
    case RegularizerKind::l1:
    case RegularizerKind::positive:
      break;
  }
  return {.working = 1};
}

// What a solve has, in arrays of the images' size.
struct SolveArrays {
  Index duals = 0;
  Index start = 0;    // what it leaves for others to start from: dual variables and further unknowns
  Index held = 0;     // beside x, b and the dual variables
  Index relaxed = 0;  // more of them where error bars relax and the image does not
  Index working = 0;  // while a term works
};

SolveArrays arrays_of_solve(const ReconOptions& options, Index image_axes) {
  Index unknowns = 1;
  bool differs = false;
  bool joins = false;
  bool versions = false;
  SolveArrays arrays;
  for (const Regularizer& what : options.regularizers) {
    const TermArrays of_term = arrays_of(what, image_axes);
    differs = differs || of_term.differs;
    joins = joins || of_term.joins;
    versions = versions || of_term.versions;
    arrays.duals += of_term.duals;
    unknowns += of_term.unknowns;
    arrays.working = std::max(arrays.working, of_term.working);
  }
  const bool preconditioned = differs || !joins;  // inner_preconditioner.cpp finds the same from the spectra
  switch (solver_for(options.solver, options.regularizers)) {
    // The step before, the momentum's point and three gradients; no dual variables. With random shifts also an iterate beside
    // the mean of them, and the mean of the subgradients.
    case RegularizedSolver::fista:
      arrays.held = versions ? 7 : 5;
      arrays.duals = 0;
      return arrays;
    case RegularizedSolver::primal_dual:  // the gradient, two sums of the terms, their sum, the step
      arrays.held = 5 * unknowns;
      break;
    // Of these four, and four of conjugate gradient; for the preconditioner its spectra and support, which are two arrays
    // of complex numbers, what it makes of the residual, and the workspace of an FFT; for the relaxation the dual variables
    // before the step.
    case RegularizedSolver::admm:
    case RegularizedSolver::automatic:
      arrays.held = 8 * unknowns;
      arrays.relaxed = arrays.duals;
      if (preconditioned) arrays.held += 4 * unknowns;
      // Random shifts are averaged by relaxing.
      if (preconditioned || versions) arrays.held += std::exchange(arrays.relaxed, 0);
      break;
  }
  // By its dual variable a function works on an array of its own.
  ++arrays.working;
  // With further unknowns x and b are there once more, with them.
  if (unknowns > 1) arrays.held += 2 * unknowns;
  arrays.start = arrays.duals + unknowns - 1;
  return arrays;
}

// Problems that error bars solve as one.
Index problems_of(const ReconOptions& options, Index replicas) {
  const bool linear = options.error_bars.noise.method == StandardDeviationMethod::probe;
  return linear ? replicas + 1 : replicas;
}

Index bytes_at_peak(const LeastSquaresSizes& sizes, Index frames, Index replicas, const ReconOptions& options) {
  const Index images = frames * sizes.voxels * static_cast<Index>(sizeof(std::complex<float>));
  const SolveArrays arrays = arrays_of_solve(options, sizes.axes);
  // Some problems solved as one, beside their x and b. Terms work on one after the other.
  const auto solve = [&](Index problems) {
    return problems * (arrays.held + arrays.duals) * images +
           std::max(sizes.normal(problems * frames) + (sizes.penalized ? problems * images : 0),
                    arrays.working * images);
  };
  Index most = std::max(sizes.adjoint(frames) + frames * sizes.data, solve(1));
  // The choice of weights has an image, a second one, noise, a right-hand side and what both start from; samples twice.
  if (chosen_by(options.regularizers)) {
    most = std::max(most, (4 + arrays.start) * images + 2 * frames * sizes.data + solve(1));
  }
  // Error bars: what the image started from, the sum of the images and that of their squares; of each replica its image,
  // its right-hand side and its unknowns to start from. The data as they are may be one more.
  if (options.error_bars.standard_deviation) {
    const Index problems = problems_of(options, replicas);
    const Index each = 2 + arrays.start - arrays.duals + arrays.relaxed;
    most = std::max(most, (arrays.start + 2 + each * problems) * images + solve(problems));
  }
  return images + most;
}

}  // namespace

RegularizedMemory regularized_memory(const LeastSquaresSizes& sizes, Index frames, Index replicas,
                                     const ReconOptions& options) {
  LeastSquaresSizes arrays = sizes;
  arrays.transform = arrays.beside = {};
  arrays.between = 0;
  const Index solved = options.error_bars.standard_deviation ? problems_of(options, replicas) : 1;
  return {.bytes = bytes_at_peak(sizes, frames, replicas, options),
          .encoding = std::max(sizes.adjoint(frames), sizes.normal(solved * frames)),
          .arrays = bytes_at_peak(arrays, frames, replicas, options)};
}

}  // namespace whorl::recon
