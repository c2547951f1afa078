#include "whorl/recon/rehearsal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "recon/rehearsal/smaller_scan.hpp"
#include "recon/rehearsal/stage_work.hpp"
#include "whorl/recon/reconstruct.hpp"

namespace whorl {

namespace {

// Of the solver, by its model.
constexpr double rehearsed_seconds = 0.25;
// One over the other, of voxels, of the two smaller images that tell how a stage's time grows.
constexpr double between_sizes = 0.4;
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

double mean_iterations(const Reconstruction& made) {
  if (made.reports.empty()) return 0;
  const double sum = std::accumulate(made.reports.begin(), made.reports.end(), 0.0,
                                     [](double all, const SolverReport& of) { return all + of.iterations; });
  return sum / static_cast<double>(made.reports.size());
}

Measured measure(const Context& ctx, Scan scan, const ReconOptions& options) {
  using Clock = std::chrono::steady_clock;
  recon::Workload work = recon::workload_of(ctx, scan, options);
  const Clock::time_point start = Clock::now();
  Reconstruction made = reconstruct(ctx, std::move(scan), options);
  double left = std::chrono::duration<double>(Clock::now() - start).count();
  if (const double done = mean_iterations(made); done > 0) work.iterations = done;
  auto seconds = made.stage_seconds;
  for (const auto& stage : seconds) left -= stage.second;
  seconds.emplace_back(no_stage, std::max(left, 0.0));
  return {work, std::move(seconds), std::move(made)};
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
    // No more than if all of it grew.
    speed.per_unit = runs[2].seconds_of(stage) / recon::units_of(stage, runs[2].work);
    if (more > 0 && longer > 0) speed.per_unit = std::min(speed.per_unit, longer / more);
  }
  speed.once = std::max(first.seconds_of(stage) - speed.per_unit * units, 0.0);
  return speed;
}

std::string describe(const Scan& scan, const recon::Excerpt& excerpt, const Measured& measured) {
  std::string image;
  for (const Index extent : excerpt.image) image += fmt::format("{}{}", image.empty() ? "" : " x ", extent);
  return fmt::format("Rehearsed: {} of {} frames, image of {}{}.", excerpt.frames, scan.frames.size(), image,
                     measured.made.reports.empty() ? "" : fmt::format(", {:.3g} iterations", measured.work.iterations));
}

}  // namespace

Rehearsal rehearse(const Context& ctx, const Scan& scan, const ReconOptions& options) {
  const Context silent = ctx.with(std::shared_ptr<ProgressSink>());
  const recon::Excerpt excerpt = recon::excerpt_for(ctx, scan, options, rehearsed_seconds);
  const bool is_smaller = excerpt.image != scan.image_shape();
  ReconOptions rehearsed = options_for(options, is_smaller);
  recon::Excerpt small = excerpt;
  if (is_smaller) small = recon::excerpt_for(ctx, scan, options, between_sizes * rehearsed_seconds);
  // The first, with all iterations: a solver that ends before its limit does so there, too. Then one of the same size, and one
  // with more voxels.
  std::vector<Measured> runs;
  const auto run = [&](const recon::Excerpt& part, int iterations) {
    rehearsed.iterations = iterations;
    runs.push_back(measure(silent, recon::smaller_scan(ctx, scan, part), rehearsed));
  };
  run(small, options.iterations);
  if (is_smaller || excerpt.frames < static_cast<Index>(scan.frames.size())) run(small, excerpt.iterations);
  if (small.image != excerpt.image) run(excerpt, excerpt.iterations);
  Rehearsal result;
  for (const auto& [stage, seconds] : runs.front().seconds) {
    result.speeds.stages.emplace_back(stage, speed_of(stage, runs));
  }
  const double iterations = runs.front().work.iterations;
  if (iterations < recon::workload_of(ctx, scan, options).iterations) result.speeds.ended_after = iterations;
  result.note = describe(scan, excerpt, runs.front());
  Measured& last = runs.back();
  result.images = std::move(last.made.images);
  result.frames = std::move(last.made.frames);
  return result;
}

std::vector<std::pair<std::string, double>> predicted_seconds(const Context& ctx, const Scan& scan,
                                                              const ReconOptions& options, const ReconSpeeds& speeds) {
  recon::Workload work = recon::workload_of(ctx, scan, options);
  if (speeds.ended_after > 0) work.iterations = std::min(work.iterations, speeds.ended_after);
  std::vector<std::pair<std::string, double>> seconds;
  for (const auto& [stage, speed] : speeds.stages) {
    seconds.emplace_back(stage, speed.once + speed.per_unit * recon::units_of(stage, work));
  }
  return seconds;
}

}  // namespace whorl
