#include "recon/rehearsal/measure_parts.hpp"

#include <algorithm>

#include "core/stopwatch.hpp"

namespace whorl::recon {

namespace {

// One over the other, of voxels, of the two smaller images that tell how a stage's time grows.
constexpr double between_sizes = 0.4;
// What a unit of a large image takes at most, of what it takes of a smaller one.
constexpr double out_of_cache = 1.15;
// What no stage takes: memory of images, for one.
constexpr const char* no_stage = "other";

Measured measure(Scan scan, int iterations, const Rehearsed& what) {
  Workload work = what.work(scan);
  work.iterations = work.applications = iterations;
  const auto reconstruct = what.ready(std::make_shared<Scan>(std::move(scan)), iterations);
  const Stopwatch watch;
  Reconstruction made = reconstruct();
  double left = watch.seconds();
  if (const IterationCount done = mean_count(made.reports); done.iterations > 0) {
    work.applications = done.applications;
  }
  auto seconds = made.stage_seconds;
  for (const auto& stage : seconds) left -= stage.second;
  seconds.emplace_back(no_stage, std::max(left, 0.0));
  return {work, std::move(seconds), std::move(made)};
}

// From a first run in the process, where there is one a second like it, and a third with more voxels.
StageSpeed speed_of(const std::string& stage, const std::vector<Measured>& runs) {
  const Measured& first = runs.front();
  const double units = units_of(stage, first.work);
  if (units <= 0) return {first.seconds_of(stage), 0};
  const Measured& warm = runs.size() > 1 ? runs[1] : first;
  StageSpeed speed{0, warm.seconds_of(stage) / units_of(stage, warm.work)};
  if (runs.size() > 2) {
    const double more = units_of(stage, runs[2].work) - units_of(stage, warm.work);
    const double longer = runs[2].seconds_of(stage) - warm.seconds_of(stage);
    // Where a part is the same for all sizes, the rest grows by less than in proportion. A solver has no such part; it
    // may take longer for each unit where a larger image leaves the cache.
    const double in_proportion = runs[2].seconds_of(stage) / units_of(stage, runs[2].work);
    const double grown = more > 0 && longer > 0 ? longer / more : in_proportion;
    speed.per_unit = is_solver(stage) ? std::clamp(grown, in_proportion, out_of_cache * in_proportion)
                                      : std::min(grown, in_proportion);
  }
  speed.once = std::max(first.seconds_of(stage) - speed.per_unit * units, 0.0);
  return speed;
}

}  // namespace

double Measured::seconds_of(const std::string& stage) const {
  const auto found = std::find_if(seconds.begin(), seconds.end(), [&](const auto& of) { return of.first == stage; });
  return found == seconds.end() ? 0 : found->second;
}

StageSpeeds Parts::speeds() const {
  StageSpeeds all;
  for (const auto& [stage, seconds] : runs.front().seconds) all.emplace_back(stage, speed_of(stage, runs));
  return all;
}

Parts measure_parts(const Context& ctx, const Scan& scan, int iterations, const Rehearsed& what) {
  const Excerpt excerpt = what.excerpt(what.seconds, 1 / between_sizes);
  const bool is_smaller = excerpt.image != scan.image_shape();
  Parts parts{is_smaller ? what.excerpt(between_sizes * what.seconds, 1) : excerpt, excerpt};
  // An image of the scan's own size tells how many iterations it takes.
  parts.counts = is_smaller || (what.counts_apart && excerpt.iterations < iterations);
  const auto run = [&](const Excerpt& part, int of_part) {
    parts.runs.push_back(measure(smaller_scan(ctx, scan, part), of_part, what));
  };
  const Excerpt& small = parts.smallest;
  run(small, parts.counts ? excerpt.iterations : iterations);
  if (parts.counts || excerpt.frames < std::ssize(scan.frames)) run(small, excerpt.iterations);
  if (small.image != excerpt.image) run(excerpt, excerpt.iterations);
  return parts;
}

}  // namespace whorl::recon
