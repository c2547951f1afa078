#include "whorl/recon/rehearsal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "recon/memory.hpp"
#include "recon/rehearsal/count_iterations.hpp"
#include "recon/rehearsal/smaller_scan.hpp"
#include "recon/rehearsal/stage_work.hpp"
#include "whorl/recon/reconstruct.hpp"

namespace whorl {

namespace {

// Of the solver, by its model.
constexpr double rehearsed_seconds = 0.25;
// One over the other, of voxels, of the two smaller images that tell how a stage's time grows.
constexpr double between_sizes = 0.4;
// What a unit of a large image takes at most, of what it takes of a smaller one.
constexpr double out_of_cache = 1.15;
// What no stage takes: memory of images, for one.
constexpr const char* no_stage = "other";

struct Measured {
  recon::Workload work;
  std::vector<std::pair<std::string, double>> seconds;
  Reconstruction made;

  double seconds_of(const std::string& stage) const {
    const auto found = std::find_if(seconds.begin(), seconds.end(), [&](const auto& of) { return of.first == stage; });
    return found == seconds.end() ? 0 : found->second;
  }
};

// With the tiles of the whole, and of the solver's arrays the same part spilled.
ReconPlan plan_of_part(const Context& ctx, const Scan& part, const ReconOptions& options, const ReconPlan& whole) {
  recon::MemoryNeeds needs = recon::memory_needs(ctx, part, options, whole.needs->tiles);
  if (needs.tiles.solver) {
    const double resident =
        static_cast<double>(whole.needs->resident_bytes) / static_cast<double>(whole.needs->solver_bytes);
    needs.resident_bytes = static_cast<Index>(resident * static_cast<double>(needs.solver_bytes));
  }
  ReconPlan plan;
  plan.frames = std::ssize(part.frames);
  plan.needs = std::make_shared<const recon::MemoryNeeds>(std::move(needs));
  return plan;
}

Measured measure(const Context& ctx, Scan scan, const ReconOptions& options, const ReconPlan& whole) {
  using Clock = std::chrono::steady_clock;
  recon::Workload work = recon::workload_of(ctx, scan, options);
  const ReconPlan plan = plan_of_part(ctx, scan, options, whole);
  const Clock::time_point start = Clock::now();
  Reconstruction made = reconstruct(ctx, std::move(scan), options, plan);
  double left = std::chrono::duration<double>(Clock::now() - start).count();
  if (const recon::IterationCount done = recon::mean_count(made.reports); done.iterations > 0) {
    work.applications = done.applications;
  }
  auto seconds = made.stage_seconds;
  for (const auto& stage : seconds) left -= stage.second;
  seconds.emplace_back(no_stage, std::max(left, 0.0));
  return {work, std::move(seconds), std::move(made)};
}

// As the plan has A^H A.
ReconOptions with_plan(ReconOptions options, const ReconPlan& plan) {
  if (plan.needs->tiles.pair) options.normal = NormalMethod::pair;
  return options;
}

ReconOptions options_for(const ReconOptions& options, bool is_smaller) {
  ReconOptions rehearsed = options;
  rehearsed.on_image = {};
  rehearsed.finished = nullptr;
  rehearsed.plans = nullptr;
  rehearsed.ranks = nullptr;
  rehearsed.keep_maps = rehearsed.keep_parts = rehearsed.keep_normals = false;
  if (is_smaller) rehearsed.normals = nullptr;
  return rehearsed;
}

// From a first run in the process, where there is one a second like it, and a third with more voxels.
StageSpeed speed_of(const std::string& stage, const std::vector<Measured>& runs) {
  const Measured& first = runs.front();
  const double units = recon::units_of(stage, first.work);
  if (units <= 0) return {first.seconds_of(stage), 0};
  const Measured& warm = runs.size() > 1 ? runs[1] : first;
  StageSpeed speed{0, warm.seconds_of(stage) / recon::units_of(stage, warm.work)};
  if (runs.size() > 2) {
    const double more = recon::units_of(stage, runs[2].work) - recon::units_of(stage, warm.work);
    const double longer = runs[2].seconds_of(stage) - warm.seconds_of(stage);
    // Where a part is the same for all sizes, the rest grows by less than in proportion. A solver has no such part; it
    // may take longer for each unit where a larger image leaves the cache.
    const double in_proportion = runs[2].seconds_of(stage) / recon::units_of(stage, runs[2].work);
    const double grown = more > 0 && longer > 0 ? longer / more : in_proportion;
    speed.per_unit = recon::is_solver(stage) ? std::clamp(grown, in_proportion, out_of_cache * in_proportion)
                                             : std::min(grown, in_proportion);
  }
  speed.once = std::max(first.seconds_of(stage) - speed.per_unit * units, 0.0);
  return speed;
}

std::string describe(const Scan& scan, const recon::Excerpt& excerpt, const recon::IterationCount& count, double most) {
  std::string image;
  for (const Index extent : excerpt.image) image += fmt::format("{}{}", image.empty() ? "" : " x ", extent);
  return fmt::format("Rehearsed: {} of {} frames, image of {}{}.", excerpt.frames, scan.frames.size(), image,
                     count.iterations > 0
                         ? fmt::format("; {:.3g} iterations are expected, {:.3g} at most", count.iterations, most)
                         : "");
}

}  // namespace

Rehearsal rehearse(const Context& ctx, const Scan& scan, const ReconOptions& options, const ReconPlan& plan) {
  const Context silent = ctx.with(std::shared_ptr<ProgressSink>());
  const ReconOptions tiled = with_plan(options, plan);
  const recon::Excerpt excerpt = recon::excerpt_for(ctx, scan, tiled, rehearsed_seconds, 1 / between_sizes);
  const bool is_smaller = excerpt.image != scan.image_shape();
  ReconOptions rehearsed = options_for(tiled, is_smaller);
  recon::Excerpt small = excerpt;
  if (is_smaller) small = recon::excerpt_for(ctx, scan, tiled, between_sizes * rehearsed_seconds);
  std::vector<Measured> runs;
  const auto run = [&](const recon::Excerpt& part, int iterations) {
    rehearsed.iterations = iterations;
    runs.push_back(measure(silent, recon::smaller_scan(ctx, scan, part), rehearsed, plan));
  };
  // An image of the scan's own size tells how many iterations it takes.
  run(small, is_smaller ? excerpt.iterations : options.iterations);
  if (is_smaller || excerpt.frames < std::ssize(scan.frames)) run(small, excerpt.iterations);
  if (small.image != excerpt.image) run(excerpt, excerpt.iterations);
  Rehearsal result;
  for (const auto& [stage, seconds] : runs.front().seconds) {
    result.speeds.stages.emplace_back(stage, speed_of(stage, runs));
  }
  recon::IterationCount count = recon::mean_count(runs.front().made.reports);
  if (is_smaller && count.iterations > 0) {
    rehearsed.iterations = options.iterations;
    count = recon::count_iterations(silent, scan, small, rehearsed, runs.front().made.lambdas);
  }
  const double most = recon::workload_of(ctx, scan, tiled).iterations;
  if (count.iterations < most) result.speeds.ended_after = count.iterations;
  if (count.iterations > 0) result.speeds.applications = count.applications / count.iterations;
  result.note = describe(scan, excerpt, count, most);
  Measured& last = runs.back();
  result.images = std::move(last.made.images);
  result.frames = std::move(last.made.frames);
  return result;
}

std::vector<std::pair<std::string, double>> predicted_seconds(const Context& ctx, const Scan& scan,
                                                              const ReconOptions& options, const ReconPlan& plan,
                                                              const ReconSpeeds& speeds) {
  recon::Workload work = recon::workload_of(ctx, scan, with_plan(options, plan));
  const double ends = speeds.ended_after > 0 ? speeds.ended_after : work.iterations;
  work.applications = std::min(work.iterations, ends) * speeds.applications;
  std::vector<std::pair<std::string, double>> seconds;
  for (const auto& [stage, speed] : speeds.stages) {
    seconds.emplace_back(stage, speed.once + speed.per_unit * recon::units_of(stage, work));
  }
  return seconds;
}

}  // namespace whorl
