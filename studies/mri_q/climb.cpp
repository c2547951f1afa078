#include "studies/mri_q/climb.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "bench/timing.hpp"

namespace whorl::studies::mri_q {

namespace {

constexpr Index checked_voxels = 500;

/// Arrays shared by steps with the same number of voxels.
struct Stage {
  Problem problem;  ///< on the device
  Array<float> q;   ///< [2, voxel] on the device
  Truth truth;
};

class Stages {
 public:
  Stages(const Context& ctx, const Problem& problem) : ctx_(ctx), problem_(problem) {}

  /// All voxels, or fewer if these have more terms than allowed.
  std::shared_ptr<Stage> of(double most_terms) {
    const Index all = problem_.voxels();
    const double fitting = most_terms / static_cast<double>(problem_.samples());
    const Index voxels = most_terms == 0 || fitting >= static_cast<double>(all)
                             ? all
                             : std::clamp<Index>(static_cast<Index>(fitting), 1, all);
    std::shared_ptr<Stage>& stage = stages_[voxels];
    if (stage == nullptr) {
      const Context host = ctx_.host();
      const Problem part = with_voxels(host, problem_, voxels);
      stage = std::make_shared<Stage>(
          Stage{on_device(ctx_, part), Array<float>(ctx_, {2, voxels}), truth_of(host, part, checked_voxels)});
    }
    return stage;
  }

 private:
  const Context& ctx_;
  const Problem& problem_;
  std::map<Index, std::shared_ptr<Stage>> stages_;
};

bool on_cpu(const Context& ctx) { return ctx.device().kind == DeviceKind::cpu; }

LadderStep ladder_step(const Context& ctx, const QStep& step, const std::shared_ptr<Stage>& stage, double share) {
  return {.name = step.name,
          .run = [=] { step.run(ctx, stage->problem, stage->q); },
          .error = [=] { return relative_error(stage->truth, to_host(ctx, stage->q.ref())); },
          .share = share,
          .published = step.published};
}

LadderStep library_step(const Context& ctx, const std::string& name, const std::shared_ptr<LibraryQ>& library,
                        const Truth& truth) {
  return {.name = name,
          .run = [=] { library->run(ctx); },
          .error = [=] { return relative_error(truth, library->planes(ctx)); },
          .product = true};
}

/// library_step with what is done once for many sums: a plan, made of the arrays of the host.
LadderStep planning_step(const Context& ctx, const Problem& problem, const std::shared_ptr<LibraryQ>& library,
                         const Truth& truth) {
  LadderStep step = library_step(ctx, "PositionDft and its plan", library, truth);
  step.run = [ctx, library, &problem] {
    *library = q_anywhere(ctx, problem);
    library->run(ctx);
  };
  return step;
}

}  // namespace

namespace {

/// The kernels, or the one of that name.
Ladder kernels_of(const Context& ctx, const Problem& problem, int choice, const std::string& only) {
  // Operations of the sums: k.r 5, to radians 1, sine and cosine 2, two products and sums 4; |phi|^2: 3.
  constexpr double flops_of_term = 12;
  constexpr double flops_of_sample = 3;
  const auto samples = static_cast<double>(problem.samples());
  const auto voxels = static_cast<double>(problem.voxels());
  Ladder ladder{.name = "ladder",
                .title = fmt::format("Q of {} voxels from {} samples", problem.voxels(), problem.samples()),
                .error = "relative l2 error",
                .bytes = sizeof(float) * (5 * samples + 3 * voxels + 2 * voxels),
                .flops = flops_of_term * samples * voxels + flops_of_sample * samples};
  Stages stages(ctx, problem);
  for (const QStep& step : on_cpu(ctx) ? host_steps(choice) : gpu_steps(choice)) {
    if (!only.empty() && step.name != only) continue;
    const std::shared_ptr<Stage> stage = stages.of(step.most_terms);
    ladder.steps.push_back(
        ladder_step(ctx, step, stage, static_cast<double>(stage->problem.voxels()) / static_cast<double>(voxels)));
  }
  return ladder;
}

}  // namespace

Ladder ladder_of_step(const Context& ctx, const Problem& problem, int choice, const std::string& step) {
  return kernels_of(ctx, problem, choice, step);
}

Ladder ladder_of(const Context& ctx, const Problem& problem, int choice, Index size) {
  Ladder ladder = kernels_of(ctx, problem, choice, {});
  const Truth truth = truth_of(ctx.host(), problem, checked_voxels);
  const auto anywhere = std::make_shared<LibraryQ>(q_anywhere(ctx, problem));
  ladder.steps.push_back(planning_step(ctx, problem, anywhere, truth));
  ladder.steps.push_back(library_step(ctx, "PositionDft", anywhere, truth));
  if (size != 0) {
    const auto on_grid = std::make_shared<LibraryQ>(q_on_grid(ctx, problem, size));
    ladder.steps.push_back(library_step(ctx, "Dft on the grid", on_grid, truth));
  }
  return ladder;
}

Tuned tune(const Context& ctx, const Problem& problem) {
  const Tuning tuning = on_cpu(ctx) ? host_tuning() : gpu_tuning();
  const std::shared_ptr<Stage> stage = Stages(ctx, problem).of(tuning.most_terms);
  const double share = static_cast<double>(stage->problem.voxels()) / static_cast<double>(problem.voxels());
  Tuned result{{"tuning", "Time of all voxels by " + tuning.choice, {tuning.choice, "ms", "x fastest"}, {}}};
  std::vector<double> times;
  for (const int choice : tuning.choices) {
    times.push_back(
        bench::time_work(ctx, bench::Effort::brief, [&] { tuning.run(ctx, stage->problem, stage->q, choice); })
            .median_ms /
        share);
  }
  const auto least = std::min_element(times.begin(), times.end());
  result.choice = tuning.choices[static_cast<std::size_t>(least - times.begin())];
  for (std::size_t i = 0; i < times.size(); ++i) {
    result.table.rows.push_back({static_cast<double>(tuning.choices[i]), times[i], times[i] / *least});
  }
  return result;
}

}  // namespace whorl::studies::mri_q
