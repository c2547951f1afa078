// Least squares with regularizers, the frames of a group as one problem.
#include <algorithm>
#include <utility>

#include "recon/least_squares_recon.hpp"
#include "recon/methods/least_squares_method.hpp"

namespace whorl::recon {

namespace {

class Regularized : public LeastSquaresMethod {
 public:
  using LeastSquaresMethod::LeastSquaresMethod;

  void enter_slice(const FrameGroup& /*group*/) override {
    weighed_ = false;
    weight_ = {};
    weights_ = {};
  }

  void solve(const FrameGroup& group) override {
    bool weigh = !std::exchange(weighed_, true);
    const FrameRange since{first_of_slice(at_.slices, group.first), group.first};
    if (weigh && since.count() > 0) {  // the first group is another rank's
      weigh = false;
      const auto first = frame_groups(at_.scan, since, at_.frames_together, frames_share(at_.options)).front();
      with_encodings(first, [&](const Operator<float>& encoding, const Operator<float>& weighed) {
        static_cast<void>(problem(first, encoding, &weighed));
      });
    }
    with_encodings(group, [&](const Operator<float>& encoding, const Operator<float>& weighed) {
      solve(group, encoding, weigh ? &weighed : nullptr);
    });
    certify_slice(group);
  }

  static Tiles may_spill(const SpillCase& of) {
    Tiles may = LeastSquaresMethod::may_spill(of);
    may.solver = true;
    return may;
  }
  static void add_memory(const MemorySizes& sizes, MemoryPlan& plan, MemoryNeeds& needs);

 private:
  void with_encodings(const FrameGroup& group, const GroupWork& work) {
    with_group_encodings(at_.run, at_.share, at_.encodings, at_.own_maps, at_.scan.coils, group, work);
  }

  // The model of a group; the first of its slice finds the largest eigenvalue.
  RegularizedModel<float> model_of(const FrameGroup& group, const Operator<float>& encoding,
                                   const Operator<float>* weighed) {
    const ScanFrame& first = group.frames.front();
    RegularizedModel<float> model{encoding, 1, penalty_.at(at_.run, first), at_.support};
    if (weighed != nullptr) {
      weight_ = slice_weight(at_.run, {*weighed, 1, model.penalties, model.support}, at_.scan, first,
                             at_.encodings.parts_of(at_.run.ctx, first, at_.maps), at_.options, nullptr);
    }
    model.eigenvalue = weight_.eigenvalue;
    return model;
  }

  // The problem of a group, with the weights of its slice.
  SeriesProblem problem(const FrameGroup& group, const Operator<float>& encoding, const Operator<float>* weighed) {
    SeriesProblem made = problem_of(at_.run, model_of(group, encoding, weighed), group);
    find_weights(at_.run, made, *group.frames.front().trajectory, at_.options, weights_);
    return made;
  }

  void solve(const FrameGroup& group, const Operator<float>& encoding, const Operator<float>* weighed) {
    const bool chooses = weights_.unit == 0;
    const SeriesProblem made = problem(group, encoding, weighed);
    if (chooses && weights_.choice) at_.result.lambdas.push_back({at_.slice.value_or(0), *weights_.choice});
    solve_regularized(group, group.title(at_.scan), made, weights_);
  }

  bool weighed_ = false;
  SliceWeight weight_;
  SliceWeights weights_;
};

// Frames that regularizers hold together, or one rule for their end, are solved together, whatever they take.
void Regularized::add_memory(const MemorySizes& sizes, MemoryPlan& plan, MemoryNeeds& needs) {
  const LeastSquaresSizes solved = add_least_squares(sizes, plan);
  const GroupSizes group = largest_group(sizes);
  needs.frames = group.frames;
  plan.hold((group.trajectories - 1) * (sizes.plan + sizes.evolution.stage.kept));
  add_regularized(sizes, solved, group.frames, plan, needs);
}

}  // namespace

const MethodEntry regularized_method = method_entry<Regularized>();

}  // namespace whorl::recon
