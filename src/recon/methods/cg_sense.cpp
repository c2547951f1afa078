// CG-SENSE: least squares by conjugate gradient, the frames of a group together.
#include <algorithm>
#include <iterator>
#include <utility>

#include "recon/least_squares_recon.hpp"
#include "recon/methods/least_squares_method.hpp"

namespace whorl::recon {

namespace {

class CgSense : public LeastSquaresMethod {
 public:
  using LeastSquaresMethod::LeastSquaresMethod;

  void enter_slice(const FrameGroup& /*group*/) override {
    weighed_ = false;
    weight_ = {};
  }

  void solve(const FrameGroup& group) override {
    weigh_slice(at_.first_of_slice(group.first));
    apply_together(
        at_.run.ctx, at_.share.team(),
        [&] { return frame_parts(at_.run, at_.share, at_.encodings, at_.own_maps, at_.scan.coils, group, at_.next); },
        [&](const std::vector<Operator<float>>& encodings) { solve(group, encodings); });
    certify_slice(group);
  }

  static constexpr bool frames_apart = true;
  static void add_memory(const MemorySizes& sizes, MemoryPlan& plan, MemoryNeeds& needs);

 private:
  // Frames of several slices may come in turns.
  const LambdaChoice* choice_before() const {
    const auto& lambdas = at_.result.lambdas;
    const auto found =
        std::find_if(lambdas.begin(), lambdas.end(), [&](const SliceLambda& of) { return of.slice == *at_.slice; });
    return found == lambdas.end() ? nullptr : &found->choice;
  }

  void weigh_slice(const ScanFrame& first) {
    if (std::exchange(weighed_, true)) return;
    apply_together(
        at_.run.ctx, at_.share.team(), [&] { return std::vector{at_.part_of(first, true)}; },
        [&](const std::vector<Operator<float>>& encodings) {
          penalty_.align(at_.run, {encodings.front(), 1, {}, at_.support}, first);
          weight_ =
              slice_weight(at_.run, {encodings.front(), 1, penalty_.at(at_.run, first), at_.support}, at_.scan, first,
                           at_.encodings.parts_of(at_.run.ctx, first, at_.maps), at_.options, choice_before());
          if (weight_.choice) at_.result.lambdas.push_back({*at_.slice, *weight_.choice});
        });
  }

  // With the encoding of each frame.
  void solve(const FrameGroup& group, const std::vector<Operator<float>>& encodings) {
    RegularizedModel<float> model{encodings.front(), weight_.eigenvalue, penalty_.at(at_.run, group.frames.front()),
                                  at_.support};
    const ArrayRef<std::complex<float>> images = at_.images.of(group);
    std::vector<SolverReport> reports;
    if (!at_.finished.find(at_.run.ctx, group, images, reports)) {
      const auto states = at_.finished.states(group);
      reports = least_squares_images(at_.run, group.title(at_.scan), model, encodings, weight_.lambda, group,
                                     at_.options, states.get(), images);
      at_.finished.keep(at_.run.ctx, group, images, reports);
    }
    std::move(reports.begin(), reports.end(), std::back_inserter(at_.result.reports));
    for (std::size_t i = 0; i < encodings.size(); ++i) {
      model.encoding = encodings[i];
      at_.error_bars.add_least_squares(at_.run, at_.frame_image(group.first + static_cast<Index>(i)), model,
                                       weight_.lambda);
    }
  }

  bool weighed_ = false;
  SliceWeight weight_;
};

// Memory of the transforms of frames that are solved together, without the first one's.
struct OtherTransforms {
  Index most = 0;      // of a group
  Index kept = 0;      // bytes of each
  Index planning = 0;  // bytes in addition while they are made
  bool ahead = false;  // those of the next group are made while this one is solved

  Index held(Index frames) const { return std::min(frames - 1, most) * kept; }
  // The next group's, the last of which is being made.
  Index made_ahead(Index frames) const { return ahead ? std::min(frames, most + 1) * kept + planning : 0; }
};

OtherTransforms other_transforms(const MemorySizes& sizes, const LeastSquaresSizes& solved, Index trajectories) {
  // Each trajectory after the first one is planned beside the maps.
  const auto& all = sizes.trajectories;
  const bool several = std::ranges::any_of(all, [&](const auto& other) { return other != all.front(); });
  const Index planned_at_once = sizes.on_host() ? solved.at_once(trajectories - 1) : 1;
  return {.most = trajectories - 1,
          .kept = sizes.plan + sizes.evolution.stage.kept,
          .planning = several ? std::max(sizes.planning, planned_at_once * solved.beside.planning) : 0,
          .ahead = several && !sizes.on_host() && sizes.scans.size() == 1};
}

// The more frames and replicas at a time, the more they take of what is left beside maps, transform and penalty.
void CgSense::add_memory(const MemorySizes& sizes, MemoryPlan& plan, MemoryNeeds& needs) {
  const ReconOptions& options = sizes.options;
  const LeastSquaresSizes solved = add_least_squares(sizes, plan);
  if (sizes.on_host()) plan.hold(kept_moments(options.error_bars, solved.voxels));
  GroupSizes group = largest_group(sizes);
  // On a GPU the first group's transforms are planned beside nothing, the next one's beside the solver.
  constexpr Index most_of_several = 12;
  if (!sizes.on_host() && group.trajectories > 1) {
    group = {std::min(group.frames, most_of_several), std::min(group.trajectories, most_of_several)};
  }
  OtherTransforms others = other_transforms(sizes, solved, group.trajectories);
  const bool searches =
      options.cg_sense.lambda_search && options.cg_sense.lambda_search->method != LambdaMethod::spectrum;
  const Index searched = searches ? sizes.spilled_frame_data() : 0;
  const Index room = sizes.room() - plan.held();
  const auto memory = [&](Index frames) {
    const Index solving = least_squares_memory(solved, frames) + others.made_ahead(frames);
    return std::max(solving, others.planning) + others.held(frames) + frames * sizes.spilled_group_image();
  };
  others.ahead = others.ahead && memory(1) <= room;
  needs.plans_ahead = others.ahead;
  needs.frames = most_that_fit(room, group.frames, memory);
  plan.hold(needs.frames * sizes.spilled_group_image());
  const Index aligning = alignment_memory(solved, options);
  plan.use(aligning, when(aligning > 0, stages::prior));
  add_slice_weight(plan, solved, options, searched);
  plan.hold(others.held(needs.frames));
  plan.use(others.planning, stages::plan);
  plan.hold(others.made_ahead(needs.frames));
  plan.use(least_squares_memory(solved, needs.frames), stages::conjugate_gradient);
  if (!options.error_bars.any()) return;
  const auto error_bars = [&](Index replicas) { return error_bar_memory(options.error_bars, solved, replicas); };
  needs.replicas = most_that_fit(room, most_replicas(options.error_bars.noise), error_bars);
  plan.use(error_bars(needs.replicas), stages::error_bars);
}

}  // namespace

const MethodEntry cg_sense_method = method_entry<CgSense>();

}  // namespace whorl::recon
