// Least squares with regularizers, the frames of a group as one problem.
#include <algorithm>
#include <utility>

#include "core/block_source.hpp"
#include "recon/least_squares_recon.hpp"
#include "recon/methods/method.hpp"
#include "recon/regularized/regularized_recon.hpp"

namespace whorl::recon {

namespace {

class Regularized : public Method {
 public:
  explicit Regularized(Workplace& at) : Method(at), penalty_(at.scan, at.options) {}

  void enter_slice() override {
    weighed_ = false;
    weight_ = {};
    weights_ = {};
  }

  void solve(const FrameGroup& group, const FrameGroup* /*next*/) override {
    bool weigh = !std::exchange(weighed_, true);
    const FrameRange since{first_of_slice(at_.slices, group.first), group.first};
    if (weigh && since.count() > 0) {  // the first group is another rank's
      weigh = false;
      const auto first = frame_groups(at_.scan, since, at_.frames_together, frames_share(at_.options)).front();
      with_encodings(first, [&](const Operator<float>& encoding, const Operator<float>& weighed) {
        find_weights(at_.run, model_of(first, encoding, &weighed), first, at_.options, weights_, at_.exponent);
      });
    }
    with_encodings(group, [&](const Operator<float>& encoding, const Operator<float>& weighed) {
      solve(group, model_of(group, encoding, weigh ? &weighed : nullptr));
    });
    certify_slice(group);
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
      weight_ = slice_weight(at_.run, {*weighed, 1, model.penalties, model.support}, first, at_.options, nullptr,
                             at_.exponent);
    }
    model.eigenvalue = weight_.eigenvalue;
    return model;
  }

  void solve(const FrameGroup& group, const RegularizedModel<float>& model) {
    const bool chooses = weights_.unit == 0;
    const RegularizedImages found = regularized_images(at_.run, group.title(at_.scan), model, group, at_.options,
                                                       weights_, at_.exponent, at_.finished, at_.images.of(group));
    if (chooses && weights_.choice) at_.result.lambdas.push_back({at_.slice, *weights_.choice});
    at_.result.reports.insert(at_.result.reports.end(), group.frames.size(), found.report);
    put_parts(at_.run.ctx.host(), found.parts, group.first, static_cast<Index>(at_.scan.frames.size()),
              at_.result.parts);
    at_.error_bars.add_regularized(group.first, found.noise);
  }

  Penalty penalty_;
  bool weighed_ = false;
  SliceWeight weight_;
  SliceWeights weights_;
};

// Frames that regularizers hold together, or one rule for their end, are solved together, whatever they take.
void Regularized::add_memory(const MemorySizes& sizes, MemoryPlan& plan, MemoryNeeds& needs) {
  const ReconOptions& options = sizes.options;
  const LeastSquaresSizes solved = add_least_squares(sizes, plan);
  const GroupSizes group = largest_group(sizes);
  const Index frames = group.frames;
  plan.hold((group.trajectories - 1) * (sizes.plan + sizes.evolution.stage.kept));
  const Index group_images = frames * sizes.spilled_group_image();
  const auto memory = [&](Index replicas) { return regularized_memory(solved, frames, replicas, options); };
  const auto on_device = [&](Index replicas) {
    return needs.tiles.solver ? memory(replicas).encoding : memory(replicas).bytes + group_images;
  };
  needs.frames = frames;
  if (options.keep_parts && sizes.on_host()) plan.hold(2 * sizes.frames * sizes.image_bytes());
  if (options.error_bars.standard_deviation) {
    const Index most = most_replicas(options.error_bars.noise);
    needs.replicas = most_that_fit(usable_memory(sizes.ctx) - plan.held(), most, on_device);
    if (needs.tiles.solver) {
      needs.replicas = most_that_fit(room_for_solver(sizes.ctx) - group_images, needs.replicas,
                                     [&](Index replicas) { return memory(replicas).arrays; });
    }
  }
  if (needs.tiles.solver) {
    needs.solver_bytes = memory(needs.replicas).arrays + group_images;
    // Nearly all arrays have this size, or a multiple of it, in blocks of the pool.
    const auto each = static_cast<Index>(bytes_of_block(static_cast<std::size_t>(frames * sizes.image_bytes())));
    const Index left = usable_memory(sizes.ctx) - plan.held() - on_device(needs.replicas);
    needs.resident_bytes = std::clamp<Index>(left / each * each, 0, needs.solver_bytes);
  } else {
    // The largest eigenvalue is that of all frames together.
    plan.use(group_images + solved.normal(frames) + 3 * frames * sizes.image_bytes(), "largest eigenvalue");
  }
  plan.use(on_device(needs.replicas) + needs.resident_bytes, "iterations");
}

}  // namespace

const MethodEntry regularized_method = method_entry<Regularized>();

}  // namespace whorl::recon
