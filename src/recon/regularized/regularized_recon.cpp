#include "recon/regularized/regularized_recon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "recon/adjoint_of_data.hpp"
#include "recon/field_of_view.hpp"
#include "recon/hold_to.hpp"
#include "recon/tiles/staged_operator.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/op/block_diagonal.hpp"
#include "whorl/recon/regularized_noise.hpp"
#include "whorl/recon/weight_curve.hpp"

namespace whorl::recon {

namespace {

std::string list_of(const std::vector<Regularizer>& regularizers) {
  std::string terms;
  for (const Regularizer& what : regularizers) terms += (terms.empty() ? "" : ", ") + to_text(what);
  return terms;
}

// Weights are for people to read: four digits tell them.
std::string describe_regularizers(const std::vector<Regularizer>& given, std::vector<Regularizer> by_largest,
                                  double largest) {
  const std::string terms = list_of(given);
  const bool converted = terms != list_of(by_largest);
  for (Regularizer& what : by_largest) {
    if (!(what.weight > 0)) continue;
    const double unit = std::pow(10, std::floor(std::log10(what.weight)) - 3);
    what.weight = std::round(what.weight / unit) * unit;
  }
  return fmt::format("Regularizers: {}{}; the largest value is {:.4g} in the images.", terms,
                     converted ? fmt::format(", which is {}", list_of(by_largest)) : "", largest);
}

// x - w and w for the unknowns w of the term that splits the series.
Array<std::complex<float>> parts_of(const Context& ctx, const std::vector<ProximalPenalty<float>>& penalties,
                                    const std::vector<Regularizer>& regularizers,
                                    ArrayRef<const std::complex<float>> images,
                                    ArrayRef<const std::complex<float>> unknowns) {
  using Complex = std::complex<float>;
  Index start = 0;
  for (std::size_t t = 0; !regularizers[t].has_parts(); ++t) {
    start += penalties[t].unknowns();
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

// Method that chooses the weights, if they are chosen.
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
  if (options.regularized.keep_parts &&
      std::count_if(options.regularized.terms.begin(), options.regularized.terms.end(),
                    [](const Regularizer& what) { return what.has_parts(); }) != 1) {
    throw ValueError(
        "reconstruction: the parts of images are those of ictv or low-rank-sparse; give one of them, or keep no parts");
  }
  if (options.regularized.terms.empty()) return;
  if (options.cg_sense.lambda_search) {
    throw ValueError(
        "reconstruction: lambda is chosen for least squares without regularizers; give it as a number, or 0");
  }
  const ErrorBarOptions& bars = options.error_bars;
  if (bars.g_factor || bars.bias || !bars.points.empty()) {
    throw ValueError(
        "reconstruction: g-factor, bias and point spread are those of least squares without regularizers; leave them "
        "out, or the regularizers");
  }
  if (chosen_by(options.regularized.terms) == LambdaMethod::discrepancy && !options.prewhiten && options.noise != 1) {
    throw ValueError("reconstruction: the discrepancy principle needs prewhitened data; leave prewhitening on");
  }
  static_cast<void>(solver_for(options.regularized.solver, options.regularized.terms, has_support(options)));
}

RegularizedOptions regularized_options(const ReconOptions& options) {
  return {options.cg_sense.iterations,
          options.cg_sense.tolerance < 0 ? RegularizedOptions{}.tolerance : options.cg_sense.tolerance,
          options.cg_sense.lambda,
          solver_for(options.regularized.solver, options.regularized.terms, has_support(options)),
          options.regularized.change};
}

Operator<float> for_solver(const Run& run, Operator<float> op) {
  return run.spills_solver ? staged(std::move(op)) : op;
}

Operator<float> frames_encoding(Run& run, const FrameGroup& group, Encodings& encodings,
                                Array<std::complex<float>>& maps) {
  std::vector<Operator<float>> blocks;
  for (std::size_t i = 0; i < group.frames.size(); ++i) {
    const bool same = i > 0 && group.frames[i].trajectory == group.frames[i - 1].trajectory;
    blocks.push_back(same ? blocks.back() : for_solver(run, encodings.encoding(run, group.frames[i], maps)));
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
void set_weights(Run& run, const SeriesProblem& problem, const Trajectory& trajectory, const ReconOptions& options,
                 SliceWeights& weights) {
  const RegularizedModel<float>& model = problem.model;
  const Array<std::complex<float>>& b = problem.b;
  weights.unit = largest_magnitude<float>(run.solver_ctx, b);
  if (!(weights.unit > 0)) {
    throw ValueError("regularized least squares: the data are zero, which leaves weights no unit");
  }
  const Shape series = series_shape(b.shape());
  const double noise = noise_of_voxel(run.solver_ctx, model, run.noise);
  weights.regularizers = in_units_of_largest(options.regularized.terms, series, weights.unit, noise);
  const auto method = chosen_by(options.regularized.terms);
  if (method) {
    const auto with = [&](double weight) {
      std::vector<Regularizer> terms = weights.regularizers;
      for (Regularizer& what : terms) {
        if (std::exchange(what.choice, {})) {
          what.weight = weight;
          what.unit = WeightUnit::largest;
        }
      }
      return terms;
    };
    double medium = 0;
    for (const Regularizer& what : options.regularized.terms) {
      if (what.choice) medium = std::max(medium, threshold_of_noise(what, series) * noise / weights.unit);
    }
    LambdaSearchOptions search = usual_weight_search(medium);
    const double square = std::ldexp(1.0, 2 * run.exponent);
    search.method = *method;
    search.noise_energy = 1 / square;
    LambdaCurve curve = weight_curve<float>(
        run.solver_ctx, model, [&](double weight) { return make_penalties<float>(series, with(weight), weights.unit); },
        regularized_options(options), b, problem.data(), search);
    for (LambdaPoint& point : curve.points) {
      point.residual *= square;
      point.penalty *= square;
    }
    weights.choice = choose_lambda(std::move(curve), *method);
    weights.choice->reason.replace(0, std::string("Lambda").size(), "Weight");
    weights.regularizers = with(weights.choice->lambda);
  }
  constexpr double corners = 1 + 1e-6;  // as spokes and spirals leave them out, with rounding
  if (options.cg_sense.lambda == 0 && reach_of(trajectory) <= corners) {
    run.notes.emplace_back(
        "Regularizers: no sample reaches the corners of k-space, so the regularizers alone determine them, and slowly; "
        "--lambda 1e-4 holds them at 0.",
        NoteKind::doubt);
  }
  run.notes.emplace_back(describe_regularizers(options.regularized.terms, weights.regularizers, weights.unit));
}

}  // namespace

std::vector<QuadraticPenalty<float>> repeated(const std::vector<QuadraticPenalty<float>>& one, Index count) {
  std::vector<QuadraticPenalty<float>> all;
  for (const QuadraticPenalty<float>& term : one) {
    all.push_back({term.op == nullptr ? term.op : Operator<float>(BlockDiagonal<float>(term.op, count)), term.weight});
  }
  return all;
}

SeriesProblem problem_of(const Run& run, const RegularizedModel<float>& model, const FrameGroup& group) {
  using Complex = std::complex<float>;
  const Context& ctx = run.solver_ctx;
  const auto data = [&run, encoding = model.encoding, &group] {
    return data_of_group(run.solver_ctx, group, encoding->range());
  };
  SeriesProblem problem{
      {model.encoding, model.eigenvalue, repeated(model.penalties, std::ssize(group.frames)), model.support},
      Array<Complex>(ctx, model.encoding->domain()),
      0,
      data};
  const Array<Complex> d = data();
  problem.constant = dot<float>(ctx, d, d).real() / (2 * model.eigenvalue);
  scaled_adjoint<float>(ctx, *model.encoding, model.eigenvalue, d, problem.b);
  return problem;
}

void find_weights(Run& run, const SeriesProblem& problem, const Trajectory& trajectory, const ReconOptions& options,
                  SliceWeights& weights) {
  if (weights.unit > 0) return;
  run.time(stages::choice_of_weights, [&] { set_weights(run, problem, trajectory, options, weights); });
}

RegularizedImages regularized_images(Run& run, const std::string& title, const SeriesProblem& problem,
                                     const FrameGroup& group, const ReconOptions& options, const SliceWeights& weights,
                                     const FinishedFrames& finished, ArrayRef<std::complex<float>> images) {
  using Complex = std::complex<float>;
  const Context& ctx = run.solver_ctx;
  const Index count = images.extent(0);
  const RegularizedOptions solver = regularized_options(options);
  const bool noisy = options.error_bars.standard_deviation;
  std::vector<SolverReport> reports;
  const bool leaves_start = noisy || options.regularized.keep_parts;
  if (!leaves_start && finished.find(ctx, group, images, reports)) return {std::move(reports.front()), {}, {}};
  const auto penalties = make_penalties<float>(series_shape(images.shape()), weights.regularizers, weights.unit);
  fill<Complex>(ctx, images, 0);
  RegularizedImages result;
  RegularizedStart<float> start;
  const auto states = finished.states(group);
  result.report = run.time(stages::regularized_least_squares, [&] {
    return regularized_least_squares<float>(ctx, title, problem.model, penalties, solver, problem.b, problem.constant,
                                            images, leaves_start ? &start : nullptr, states.get());
  });
  if (options.regularized.keep_parts) {
    result.parts = parts_of(ctx, penalties, weights.regularizers, images, start.unknowns);
    hold_to<float>(ctx.host(), problem.model.support.get(), result.parts);
  }
  finished.keep(ctx, group, images, {static_cast<std::size_t>(count), result.report});
  if (noisy) {
    // The data are 2^-exponent of those whose noise is 1.
    result.noise = run.time(stages::error_bars, [&] {
      return regularized_standard_deviation<float>(ctx, "standard deviation", problem.model, penalties, solver,
                                                   problem.b, images, start, options.error_bars.noise,
                                                   std::ldexp(1.0, -run.exponent));
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

}  // namespace whorl::recon
