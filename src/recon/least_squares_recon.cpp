#include "recon/least_squares_recon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "recon/adjoint_of_data.hpp"
#include "recon/encoding/central_samples.hpp"
#include "recon/encoding/kept_plan.hpp"
#include "recon/lambda/least_change.hpp"
#include "recon/lambda/spectral_choice.hpp"
#include "whorl/core/on_device.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/recon/usual_lambda.hpp"

namespace whorl::recon {

namespace {

// Where the power spectrum cannot be told from noise.
LambdaChoice lambda_without_noise() {
  LambdaChoice choice;
  choice.method = LambdaMethod::spectrum;
  choice.lambda = ReconOptions().cg_sense.lambda;
  choice.kind = NoteKind::doubt;
  choice.reason = fmt::format(
      "Lambda {:.2e}, the fixed default: the power spectrum needs the level of the noise, which is not known",
      choice.lambda);
  return choice;
}

// A sample of one of several scans has its share of the object's power, and counts for as much in A^H A.
std::vector<PowerShell> shells_of(const Run& run, const Shape& image, const std::vector<FramePart>& parts,
                                  double unit) {
  std::vector<PowerShell> all;
  for (const FramePart& part : parts) {
    // Spilled data lie on the host.
    const Context there = part.data.device() == run.ctx.device() ? run.ctx : run.ctx.host();
    const double noise = run.noise_found ? static_cast<double>(part.data.extent(0)) / (unit * unit) : 0;
    const auto shells = power_shells<float>(there, part.trajectory, image, part.data, noise);
    all.resize(shells.size());
    for (std::size_t i = 0; i < shells.size(); ++i) {
      all[i].points = shells[i].points;
      all[i].samples += part.share * shells[i].samples;
      all[i].energy += shells[i].energy;
    }
  }
  return all;
}

// Whether frames of a slice leave lines of the center of k-space to maps that were given.
bool leaves_center_to_maps(const Run& run, const Scan& scan, int slice, const ReconOptions& options) {
  if (options.coil_maps != CoilMapMethod::file) return false;
  std::set<const Trajectory*> trajectories;
  for (const ScanFrame& frame : scan.frames) {
    if (frame.index.slice == slice && frame.trajectory->samples() > 0) trajectories.insert(frame.trajectory.get());
  }
  return std::ranges::any_of(trajectories, [&](const Trajectory* one) {
    return part_without_samples(run.ctx, *one, scan.image_shape()) > bearable_gaps;
  });
}

// Lambda by the power spectrum, unless what the model misses asks for a larger one. Where maps fill the center, modes of small
// eigenvalues have as much of the object as others: that the image changes more there tells nothing.
LambdaChoice usual_lambda(Run& run, const LinearOperator<float>& encoding, const Scan& scan, const ScanFrame& frame,
                          const std::vector<FramePart>& parts, const ReconOptions& options, double eigenvalue,
                          double unit) {
  using Complex = std::complex<float>;
  const std::vector<PowerShell> shells = shells_of(run, encoding.domain(), parts, unit);
  LambdaChoice choice =
      run.noise_found ? spectral_choice(shells, encoding.domain(), eigenvalue, unit) : lambda_without_noise();
  if (leaves_center_to_maps(run, scan, frame.index.slice, options)) return choice;
  Array<Complex> b(run.ctx, encoding.domain());
  adjoint_of_data<float>(run.ctx, encoding, frame.data, b);
  const LeastChange found = least_change<float>(run.ctx, encoding, std::move(b), shells, eigenvalue, choice.lambda,
                                                options.cg_sense.iterations);
  if (!found.limits) return choice;
  choice.reason = fmt::format(
      "Lambda {:.2e} by what the model misses, such as errors of the coil maps: below it the image changes more with "
      "each step, not less ({})",
      found.lambda,
      run.noise_found ? fmt::format("the noise alone asks for {:.2e}", choice.lambda) : "the noise is not known");
  choice.lambda = found.lambda;
  choice.kind = NoteKind::doubt;
  return choice;
}

// With regularizers the weights of the terms are in its unit, and each group has its own.
std::map<int, double>* kept_eigenvalues(const ReconOptions& options) {
  if (options.resources.plans == nullptr || !options.regularized.terms.empty()) return nullptr;
  std::optional<std::map<int, double>>& kept = options.resources.plans->plan().eigenvalues;
  return kept ? &*kept : nullptr;
}

double slice_eigenvalue(Run& run, const LinearOperator<float>& encoding, int slice, const ReconOptions& options) {
  std::map<int, double>* const kept = kept_eigenvalues(options);
  if (kept != nullptr && kept->contains(slice)) return kept->at(slice);
  const double found =
      run.time(stages::largest_eigenvalue, [&] { return normal_eigenvalue<float>(run.solver_ctx, encoding); });
  if (kept != nullptr) kept->emplace(slice, found);
  return found;
}

}  // namespace

LambdaChoice searched_lambda(const Run& run, const RegularizedModel<float>& model,
                             ArrayRef<const std::complex<float>> data, const ReconOptions& options) {
  const LambdaSearchOptions search = options.cg_sense.lambda_search.value_or(LambdaSearchOptions{});
  // What a prior has unless told otherwise is no reason to refuse data that have nothing.
  if (options.cg_sense.penalty == PenaltyKind::prior && search.method == LambdaMethod::gcv &&
      norm<float>(run.ctx, data) == 0) {
    return {.lambda = usual_lambda_of_differences,
            .reason = fmt::format("Lambda {}, since the data are 0 and tell none", usual_lambda_of_differences),
            .curve = {},
            .kind = NoteKind::doubt};
  }
  return choose_lambda<float>(run.ctx, model, data, search, std::ldexp(1.0, run.exponent));
}

SliceWeight slice_weight(Run& run, RegularizedModel<float> model, const Scan& scan, const ScanFrame& frame,
                         const std::vector<FramePart>& parts, const ReconOptions& options,
                         const LambdaChoice* chosen_before) {
  SliceWeight weight{1, options.cg_sense.lambda, {}};
  // No penalty, and no unit for it.
  if (options.cg_sense.lambda == 0 && !options.cg_sense.lambda_search && options.regularized.terms.empty())
    return weight;
  model.eigenvalue = weight.eigenvalue = slice_eigenvalue(run, *model.encoding, frame.index.slice, options);
  if (chosen_before != nullptr) {
    weight.lambda = chosen_before->lambda;
  } else if (options.cg_sense.lambda_search) {
    weight.choice = run.time(stages::choice_of_lambda, [&] {
      const double unit = std::ldexp(1.0, run.exponent);
      if (options.cg_sense.lambda_search->method == LambdaMethod::spectrum) {
        return usual_lambda(run, *model.encoding, scan, frame, parts, options, weight.eigenvalue, unit);
      }
      const OnDevice<std::complex<float>> data(run.ctx, frame.data);
      return searched_lambda(run, model, data.get(), options);
    });
    weight.lambda = weight.choice->lambda;
  }
  return weight;
}

LeastSquaresOptions solver_options(const Run& run, const ReconOptions& options, double lambda) {
  constexpr double without_noise = 1e-4;
  constexpr double single = 1e-6;  // what rounding leaves of a residual
  if (options.cg_sense.tolerance >= 0) return {options.cg_sense.iterations, options.cg_sense.tolerance, lambda};
  return {options.cg_sense.iterations, run.noise > 0 ? single : without_noise, lambda, run.noise};
}

std::vector<SolverReport> least_squares_images(Run& run, const std::string& title, const RegularizedModel<float>& model,
                                               const std::vector<Operator<float>>& encodings, double lambda,
                                               const FrameGroup& group, const ReconOptions& options,
                                               SolverStates<float>* states, ArrayRef<std::complex<float>> images) {
  std::vector<ArrayRef<const std::complex<float>>> data;
  for (const ScanFrame& frame : group.frames) data.emplace_back(frame.data);
  return run.time(stages::conjugate_gradient, [&] {
    return least_squares<float>(run.ctx, title, model, encodings, data, solver_options(run, options, lambda), images,
                                states);
  });
}

Index least_squares_memory(const LeastSquaresSizes& sizes, Index frames) {
  const Index image = sizes.voxels * complex_bytes;
  // The image under the penalty, of one frame after another, takes the place of what the normal operator needed.
  const Index penalty = sizes.penalized ? image : 0;
  const Index applying = std::max(sizes.normal(frames), penalty);
  return std::max(sizes.adjoint(frames) + frames * image, applying + 3 * frames * image);
}

Index search_memory(const LeastSquaresSizes& sizes, const LambdaSearchOptions& search, Index images) {
  // Predicted data, the right-hand side, the last two images, and each probe with its solution, and itself under the
  // penalty.
  const Index probes = Index{search.sweep.probes} * (sizes.penalized ? 3 : 2);
  return least_squares_memory(sizes, images) + sizes.data + (3 + probes) * images * sizes.voxels * complex_bytes;
}

void add_slice_weight(MemoryPlan& plan, const LeastSquaresSizes& sizes, const ReconOptions& options, Index data) {
  const Index image = sizes.voxels * complex_bytes;
  if (options.cg_sense.lambda == 0 && !options.cg_sense.lambda_search) return;
  const Index eigenvalue = sizes.normal() + 3 * image;
  plan.use(eigenvalue, stages::largest_eigenvalue);
  if (!options.cg_sense.lambda_search) return;
  // The recurrence from A^H d takes what that from a random start does.
  if (options.cg_sense.lambda_search->method == LambdaMethod::spectrum) {
    return plan.use(data + std::max(eigenvalue, sizes.adjoint() + image), stages::choice_of_lambda);
  }
  plan.use(data + std::max(eigenvalue, search_memory(sizes, *options.cg_sense.lambda_search, 1)),
           stages::choice_of_lambda);
}

void note_lambdas(const std::vector<SliceLambda>& lambdas, Notes& notes) {
  if (lambdas.empty()) return;
  const LambdaChoice& first = lambdas.front().choice;
  notes.emplace_back(first.curve.points.empty()
                         ? first.reason + "."
                         : fmt::format("{}; {} values were tried in {} iterations.", first.reason,
                                       first.curve.points.size(), first.curve.iterations),
                     first.kind);
  if (lambdas.size() == 1) return;
  const auto [least, most] =
      std::minmax_element(lambdas.begin(), lambdas.end(),
                          [](const SliceLambda& a, const SliceLambda& b) { return a.choice.lambda < b.choice.lambda; });
  notes.emplace_back(
      fmt::format("Lambda of {} slices: {:.2e} to {:.2e}.", lambdas.size(), least->choice.lambda, most->choice.lambda));
}

}  // namespace whorl::recon
