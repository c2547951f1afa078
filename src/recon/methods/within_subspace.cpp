// Least squares within a subspace: the coefficients of a slice, from the samples of all of its frames.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "op/nufft_workload.hpp"
#include "recon/encoding/signal_model.hpp"
#include "recon/least_squares_recon.hpp"
#include "recon/methods/least_squares_method.hpp"
#include "recon/ranks/team_data.hpp"
#include "whorl/comm/agree.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/on_device.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/op/subspace.hpp"
#include "whorl/recon/subspace_basis.hpp"

namespace whorl::recon {

namespace {

using Complex = std::complex<float>;

class WithinSubspace : public LeastSquaresMethod {
 public:
  explicit WithinSubspace(Workplace& at) : LeastSquaresMethod(at) {
    at_.run.notes.emplace_back(
        fmt::format("Subspace: {} components for {} frames, {}; {:.4g} % of the energy of its signals.",
                    basis().components(), basis().frames(), basis().origin, 100 * basis().part));
  }

  void enter_slice(const FrameGroup& group) override {
    weights_ = {};
    joined_ = joined_slice(at_.run.ctx, at_.scan, group.frames.front().index.slice);
    roots_.clear();
    if (at_.signal.weights == nullptr) return;
    for (const ScanFrame& frame : group.frames) roots_.push_back(weight_roots(at_.run.ctx.host(), frame, at_.signal));
  }

  const ScanFrame& planned(const ScanFrame& /*first*/) override { return joined_; }

  void solve(const FrameGroup& group) override {
    const Context& ctx = at_.run.ctx;
    agree_within(at_.share.team(), [&] { plan(group); });
    Array<Complex> b(ctx, at_.image().with_front(basis().components()));
    const double energy = right_hand_side(group, b);
    apply_together(
        ctx, at_.share.team(),
        [&] {
          const CoilRange own = at_.share.coils();
          const Index samples = joined_.trajectory->samples();
          return std::vector{EncodingPart{Subspace<float>(transform().of_image(at_.own_maps.share()), courses_.share(),
                                                          at_.own_maps.share(), spectra_),
                                          {at_.scan.coils, samples},
                                          {{own.first * samples, own.count * samples}}}};
        },
        [&](const std::vector<Operator<float>>& whole) { solve(group, whole.front(), std::move(b), energy); });
  }

  static void check(const Scan& scan, const ReconOptions& options);
  /// A subspace has the spectra of its components instead of a transform.
  static Tiles may_spill(const SpillCase& of) { return {.maps = of.on_host}; }
  static void add_memory(const MemorySizes& sizes, MemoryPlan& plan, MemoryNeeds& needs);

 private:
  const SubspaceBasis& basis() const { return *at_.options.subspace; }
  const CoilTransform& transform() { return at_.encodings.transform(at_.run, joined_); }

  void plan(const FrameGroup& group) {
    const Index samples = joined_.trajectory->samples();
    static_cast<void>(transform());
    spectra_ = {};  // their memory, before that of the next is taken
    at_.run.time(stages::plan, [&] {
      courses_ = courses_of(group);
      spectra_ = std::make_shared<const SubspaceSpectra<float>>(
          at_.run.ctx, joined_.trajectory->points, courses_, at_.image(),
          transform_options(at_.run.ctx, at_.image(), samples, at_.options));
    });
  }

  // [component, sample], times the roots of the weights.
  Array<Complex> courses_of(const FrameGroup& group) const {
    const Index components = basis().components();
    const Index samples = joined_.trajectory->samples();
    Array<Complex> courses(at_.run.ctx.host(), {components, samples});
    for (Index k = 0; k < components; ++k) {
      Complex* to = courses.data() + k * samples;
      for (std::size_t t = 0; t < group.frames.size(); ++t) {
        const Complex value(basis().vectors.data()[static_cast<Index>(t) * components + k]);
        const Index count = group.frames[t].trajectory->samples();
        for (Index j = 0; j < count; ++j) to[j] = roots_.empty() ? value : value * roots_[t].data()[j];
        to += count;
      }
    }
    return clone<Complex>(at_.run.ctx, courses);
  }

  // Samples of coils [first, first + count) of all frames, of those that this rank has.
  Array<Complex> data_of_coils(const FrameGroup& group, Index first, Index count) const {
    const Context& ctx = at_.run.ctx;
    const Context there = context_at(ctx, group.frames.front().data.device());
    Array<Complex> data(there, {count, joined_.trajectory->samples()});
    Index start = 0;
    for (std::size_t t = 0; t < group.frames.size(); ++t) {
      ArrayRef<const Complex> some = group.frames[t].data.ref().range(first, first + count);
      Array<Complex> weighed;
      if (!roots_.empty()) {
        weighed = Array<Complex>(there, some.shape());
        const OnDevice<float> roots(there, roots_[t]);
        multiply_weights<float>(there, roots.get(), some, weighed);
        some = weighed.ref();
      }
      for (Index coil = 0; coil < count; ++coil) {
        copy<Complex>(there, some.slice(coil),
                      ArrayRef<Complex>(data.slice(coil).data() + start, {some.extent(1)}, data.device()));
      }
      start += some.extent(1);
    }
    return data.device() == ctx.device() ? std::move(data) : clone<Complex>(ctx, data);
  }

  // A^H d of all coils, and |d|^2, on the leader: of each rank some coils at a time.
  double right_hand_side(const FrameGroup& group, Array<Complex>& b) {
    Communicator& team = at_.share.team();
    double energy = 0;
    agree_within(
        team, [&] { energy = at_.run.time(stages::right_hand_side, [&] { return own_right_hand_side(group, b); }); });
    if (!at_.share.spreads()) return energy;
    team.sum(at_.run.ctx, b, 0);
    double all = 0;
    for (const auto& bytes : team.gather(std::as_bytes(std::span(&energy, 1)), 0)) {
      double of_rank = 0;
      std::memcpy(&of_rank, bytes.data(), sizeof(of_rank));
      all += of_rank;
    }
    return all;
  }

  double own_right_hand_side(const FrameGroup& group, Array<Complex>& b) {
    const Context& ctx = at_.run.ctx;
    const Index coils = at_.share.coils().count;
    const Index start = first_coil(at_.share, group.frames.front());
    const Index at_once = std::min(transform().coils_at_once(), coils);
    Array<Complex> some(ctx, b.shape());
    double energy = 0;
    for (Index first = 0; first < coils; first += at_once) {
      const Index count = std::min(at_once, coils - first);
      const Array<Complex> data = data_of_coils(group, start + first, count);
      energy += dot<float>(ctx, data, data).real();
      Array<Complex> maps = clone<Complex>(ctx, at_.own_maps.ref().range(first, first + count));
      Subspace<float>(transform().of_image(std::move(maps)), courses_.share()).adjoint(ctx, data, some);
      axpby<float>(ctx, 1, some, first == 0 ? 0 : 1, b);
    }
    return energy;
  }

  // The images of a slice, by the whole encoding.
  void solve(const FrameGroup& group, const Operator<float>& A, Array<Complex> b, double energy) {
    const Context& ctx = at_.run.ctx;
    const ScanFrame& first = group.frames.front();
    SeriesProblem problem{
        {A, 1, repeated(penalty_.at(at_.run, first), basis().components()), at_.support}, std::move(b), 0, [&] {
          return data_of_coils(group, 0, at_.scan.coils);
        }};
    double& eigenvalue = problem.model.eigenvalue;
    eigenvalue = at_.run.time(stages::largest_eigenvalue, [&] { return normal_eigenvalue<float>(ctx, A); });
    axpby<float>(ctx, 1 / eigenvalue, problem.b, 0, problem.b);
    problem.constant = energy / (2 * eigenvalue);
    const std::string title = fmt::format("slice {}", slice_of());
    if (at_.options.regularized.terms.empty()) return solve_plain(group, title, problem);
    find_weights(at_.run, problem, *first.trajectory, at_.options, weights_);
    if (weights_.choice) at_.result.lambdas.push_back({slice_of(), *weights_.choice});
    solve_regularized(group, title, problem, weights_);
  }

  int slice_of() const { return at_.slice.value_or(0); }

  void solve_plain(const FrameGroup& group, const std::string& title, const SeriesProblem& problem) {
    const Context& ctx = at_.run.ctx;
    const ReconOptions& options = at_.options;
    const ArrayRef<Complex> images = at_.images.of(group);
    std::vector<SolverReport> reports;
    if (!at_.finished.find(ctx, group, images, reports)) {
      double lambda = options.cg_sense.lambda;
      if (options.cg_sense.lambda_search) {
        LambdaChoice choice = at_.run.time(
            stages::choice_of_lambda, [&] { return searched_lambda(at_.run, problem.model, problem.data(), options); });
        lambda = choice.lambda;
        at_.result.lambdas.push_back({slice_of(), std::move(choice)});
      }
      fill<Complex>(ctx, images, 0);
      const SolverReport report = at_.run.time(stages::conjugate_gradient, [&] {
        return solve_regularized_normal<float>(ctx, title, problem.model, solver_options(at_.run, options, lambda),
                                               problem.b, images);
      });
      reports.assign(static_cast<std::size_t>(group.images.count()), report);
      at_.finished.keep(ctx, group, images, reports);
    }
    at_.result.reports.insert(at_.result.reports.end(), reports.begin(), reports.end());
  }

  ScanFrame joined_;                 // of the slice at work, without its data
  std::vector<Array<float>> roots_;  // of the weights of each frame's samples; none: all count alike
  Array<Complex> courses_;           // [component, sample]
  std::shared_ptr<const SubspaceSpectra<float>> spectra_;
  SliceWeights weights_;
};

void WithinSubspace::check(const Scan& scan, const ReconOptions& options) {
  LeastSquaresMethod::check(scan, options);
  const SubspaceBasis& basis = *options.subspace;
  const char* wrong = nullptr;
  if (options.cg_sense.lambda_search && options.cg_sense.lambda_search->method == LambdaMethod::spectrum) {
    wrong = "a lambda by the power spectrum";
  }
  if (options.error_bars.any() && options.regularized.terms.empty()) wrong = "error bars without regularizers";
  if (options.resources.normals != nullptr || options.keep_normals) wrong = "saved normal operators";
  if (options.signal.changes()) wrong = "a field map, an R2* map or a concomitant field";
  if (options.certified_samples > 0) wrong = "a certificate";
  if (options.transform == TransformMethod::exact) wrong = "exact sums";
  if (wrong != nullptr) {
    throw ValueError(fmt::format("subspace: {} does not go with a subspace; leave one of both out", wrong));
  }
  if (basis.vectors.rank() != 2 || basis.vectors.size() == 0) {
    throw ShapeError(
        fmt::format("subspace: a basis {}, expected [frame, component]", to_string(basis.vectors.shape())));
  }
  for (const auto& [slice, frames] : frames_of_slices(scan)) {
    if (std::ssize(frames) == basis.frames() && frames.size() > 1) continue;
    throw ValueError(fmt::format("subspace: slice {} has {} frames and the basis {}, expected as many, and at least 2",
                                 slice, frames.size(), basis.frames()));
  }
}

void WithinSubspace::add_memory(const MemorySizes& sizes, MemoryPlan& plan, MemoryNeeds& needs) {
  const ReconOptions& options = sizes.options;
  const SubspaceBasis& basis = *options.subspace;
  const Index components = basis.components();
  const bool real =
      std::ranges::all_of(basis.vectors.span(), [](const std::complex<double>& value) { return value.imag() == 0; });
  const NufftOptions nufft = transform_options(sizes.ctx, sizes.image, sizes.samples(), options);
  const NufftMemory spectra = subspace_memory<float>(sizes.ctx, sizes.frame.trajectory->points, sizes.image, components,
                                                     sizes.coils, real, nufft);
  const Index images = components * sizes.image_bytes();
  needs.frames = largest_group(sizes).frames;
  const StageMemory penalty = penalty_memory(sizes.ctx, sizes.scan, options);
  plan.add(penalty, when(penalty.peak > 0, stages::prior));
  if (sizes.signal.weights != nullptr && sizes.on_host())
    plan.hold(sizes.samples() * static_cast<Index>(sizeof(float)));
  plan.hold(components * sizes.samples() * complex_bytes);
  plan.add({spectra.plan, spectra.plan + spectra.planning}, stages::plan);
  plan.hold(components * sizes.spilled_group_image());
  plan.hold(images);  // the right-hand side
  const Index at_once =
      nufft_workload<float>(sizes.ctx, sizes.image, sizes.samples(), sizes.coils, nufft).coils_at_once;
  const Index data = at_once * sizes.samples() * complex_bytes;
  // Data of some coils, once more where they lie or as their product with a course; maps.
  plan.use(images + 2 * data + at_once * sizes.image_bytes() + sizes.transform.adjoint, stages::right_hand_side);
  LeastSquaresSizes solved{.transform = {.normal = spectra.normal},
                           .voxels = sizes.image.size(),
                           .axes = sizes.image.rank(),
                           .penalized = options.cg_sense.penalty != PenaltyKind::tikhonov,
                           .beside = {}};
  if (!options.regularized.terms.empty()) {
    add_regularized(sizes, solved, components, plan, needs);
  } else {
    plan.use(spectra.normal + 3 * images, stages::largest_eigenvalue);
    if (options.cg_sense.lambda_search) {
      // Data of all coils, and the predicted ones.
      LeastSquaresSizes searched = solved;
      searched.data = sizes.coils * sizes.samples() * complex_bytes;
      searched.transform.adjoint = sizes.transform.adjoint;
      plan.use(searched.data + search_memory(searched, *options.cg_sense.lambda_search, components),
               stages::choice_of_lambda);
    }
    plan.use(least_squares_memory(solved, components), stages::conjugate_gradient);
  }
}

}  // namespace

const MethodEntry subspace_method = method_entry<WithinSubspace>();

}  // namespace whorl::recon
