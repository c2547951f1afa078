#include "whorl/recon/rehearsal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <utility>

#include "recon/memory.hpp"
#include "recon/rehearsal/count_iterations.hpp"
#include "recon/rehearsal/smaller_scan.hpp"
#include "recon/rehearsal/stage_work.hpp"
#include "recon/subspace/check_subspace.hpp"
#include "recon/subspace/slice_frames.hpp"
#include "whorl/core/error.hpp"
#include "whorl/recon/reconstruct.hpp"

namespace whorl {

namespace {

// Of the solver, by its model.
constexpr double rehearsed_seconds = 0.25;
// Within a subspace: the grids of all components leave the cache where those of an image do not, and that of a smaller image must, too.
constexpr double rehearsed_within = 1;
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
ReconPlan plan_of_part(const Context& ctx, const Scan& part, const ReconOptions& options,
                       const recon::MemoryNeeds& whole) {
  recon::MemoryNeeds needs = recon::memory_needs(ctx, part, options, whole.tiles);
  if (needs.tiles.solver) {
    const double resident = static_cast<double>(whole.resident_bytes) / static_cast<double>(whole.solver_bytes);
    needs.resident_bytes = static_cast<Index>(resident * static_cast<double>(needs.solver_bytes));
  }
  ReconPlan plan;
  plan.frames = std::ssize(part.frames);
  plan.needs = std::make_shared<const recon::MemoryNeeds>(std::move(needs));
  return plan;
}

// How parts of a scan are chosen and reconstructed.
struct Rehearsed {
  double seconds = rehearsed_seconds;
  bool counts_apart = false;  // iterations of an image of the whole's size, too
  std::function<recon::Excerpt(double seconds, double least)> excerpt;
  std::function<recon::Workload(const Scan&)> work;
  /// Plans the reconstruction of a part, with fewer iterations or all, and returns what does it.
  std::function<std::function<Reconstruction()>(std::shared_ptr<Scan>, int iterations)> ready;
  /// What a solver takes of a smaller image that is as hard to solve for, after the first part was reconstructed.
  std::function<recon::IterationCount(const recon::Excerpt&, const Reconstruction&)> count;
};

Measured measure(Scan scan, int iterations, const Rehearsed& what) {
  using Clock = std::chrono::steady_clock;
  recon::Workload work = what.work(scan);
  work.iterations = work.applications = iterations;
  const auto reconstruct = what.ready(std::make_shared<Scan>(std::move(scan)), iterations);
  const Clock::time_point start = Clock::now();
  Reconstruction made = reconstruct();
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

// Two or three parts of a scan, whose reconstruction has so many iterations; `most` as the solver counts them.
Rehearsal rehearse_parts(const Context& ctx, const Scan& scan, int iterations, double most, const Rehearsed& what) {
  const recon::Excerpt excerpt = what.excerpt(what.seconds, 1 / between_sizes);
  const bool is_smaller = excerpt.image != scan.image_shape();
  recon::Excerpt small = excerpt;
  if (is_smaller) small = what.excerpt(between_sizes * what.seconds, 1);
  std::vector<Measured> runs;
  const auto run = [&](const recon::Excerpt& part, int of_part) {
    runs.push_back(measure(recon::smaller_scan(ctx, scan, part), of_part, what));
  };
  // An image of the scan's own size tells how many iterations it takes.
  const bool counts = is_smaller || (what.counts_apart && excerpt.iterations < iterations);
  run(small, counts ? excerpt.iterations : iterations);
  if (counts || excerpt.frames < std::ssize(scan.frames)) run(small, excerpt.iterations);
  if (small.image != excerpt.image) run(excerpt, excerpt.iterations);
  Rehearsal result;
  for (const auto& [stage, seconds] : runs.front().seconds) {
    result.speeds.stages.emplace_back(stage, speed_of(stage, runs));
  }
  recon::IterationCount count = recon::mean_count(runs.front().made.reports);
  if (counts && count.iterations > 0) {
    count = what.count(what.counts_apart ? what.excerpt(rehearsed_seconds, 1) : small, runs.front().made);
  }
  if (count.iterations < most) result.speeds.ended_after = count.iterations;
  if (count.iterations > 0) result.speeds.applications = count.applications / count.iterations;
  result.note = describe(scan, excerpt, count, most);
  Measured& last = runs.back();
  result.images = std::move(last.made.images);
  result.frames = std::move(last.made.frames);
  return result;
}

std::vector<std::pair<std::string, double>> seconds_for(recon::Workload work, const ReconSpeeds& speeds) {
  const double ends = speeds.ended_after > 0 ? speeds.ended_after : work.iterations;
  work.applications = std::min(work.iterations, ends) * speeds.applications;
  std::vector<std::pair<std::string, double>> seconds;
  for (const auto& [stage, speed] : speeds.stages) {
    seconds.emplace_back(stage, speed.once + speed.per_unit * recon::units_of(stage, work));
  }
  return seconds;
}

// A copy of the first slice of a scan.
Scan first_slice(const Context& host, const Scan& scan) {
  const std::vector<recon::SliceFrames> slices = recon::frames_of_slices(scan);
  Scan slice;
  slice.source = scan.source;
  slice.matrix = scan.matrix;
  slice.coils = scan.coils;
  slice.trajectory_kind = scan.trajectory_kind;
  slice.noise = clone(host, scan.noise.ref());
  slice.noise_dwell_us = scan.noise_dwell_us;
  slice.dwell_us = scan.dwell_us;
  slice.coil_maps = clone(host, scan.coil_maps.ref());
  for (const ScanFrame* frame : slices.front().frames) {
    slice.frames.push_back(
        {frame->index, frame->trajectory, frame->weights, clone(host, frame->data.ref()), frame->geometry});
  }
  return slice;
}

}  // namespace

Rehearsal rehearse(const Context& ctx, const Scan& scan, const ReconOptions& options, const ReconPlan& plan) {
  const Context silent = ctx.with(std::shared_ptr<ProgressSink>());
  const ReconOptions tiled = with_plan(options, plan);
  const auto options_of = [&](const Scan& part, int iterations) {
    ReconOptions rehearsed = options_for(tiled, part.image_shape() != scan.image_shape());
    rehearsed.iterations = iterations;
    return rehearsed;
  };
  const Rehearsed what{
      .excerpt = [&](double seconds, double least) { return recon::excerpt_for(ctx, scan, tiled, seconds, least); },
      .work = [&](const Scan& part) { return recon::workload_of(silent, part, options_of(part, options.iterations)); },
      .ready =
          [&](std::shared_ptr<Scan> part, int iterations) {
            const ReconOptions rehearsed = options_of(*part, iterations);
            const ReconPlan with_tiles = plan_of_part(silent, *part, rehearsed, *plan.needs);
            return [&silent, part, rehearsed, with_tiles] {
              return reconstruct(silent, std::move(*part), rehearsed, with_tiles);
            };
          },
      .count =
          [&](const recon::Excerpt& small, const Reconstruction& made) {
            const ReconOptions counted = options_for(tiled, true);
            return recon::count_iterations(silent, scan, small, counted, made.lambdas);
          }};
  const double most = recon::workload_of(ctx, scan, tiled).iterations;
  return rehearse_parts(ctx, scan, options.iterations, most, what);
}

Rehearsal rehearse(const Context& ctx, const Scan& scan, const SubspaceBasis& basis, const ReconOptions& options) {
  recon::check_subspace(scan, basis, options);
  if (options.signal.any()) throw Unsupported("rehearsal: weighted samples in a subspace; leave one of both out");
  const Context silent = ctx.with(std::shared_ptr<ProgressSink>());
  const bool has_one = std::ssize(scan.frames) == basis.frames();
  const Scan copied = has_one ? Scan() : first_slice(ctx.host(), scan);
  const Scan& slice = has_one ? scan : copied;
  const auto with = [&](int iterations) {
    ReconOptions rehearsed = options_for(options, true);
    rehearsed.iterations = iterations;
    return rehearsed;
  };
  const Rehearsed what{
      .seconds = rehearsed_within,
      .counts_apart = true,
      .excerpt = [&](double seconds,
                     double least) { return recon::subspace_excerpt(ctx, slice, basis, options, seconds, least); },
      .work = [&](const Scan& part) { return recon::subspace_workload(silent, part, basis, options); },
      .ready =
          [&](std::shared_ptr<Scan> part, int iterations) {
            return [&silent, &basis, part, rehearsed = with(iterations)] {
              return reconstruct_subspace(silent, std::move(*part), basis, rehearsed);
            };
          },
      .count =
          [&](const recon::Excerpt& small, const Reconstruction&) {
            return recon::count_iterations(silent, slice, small, basis, with(options.iterations));
          }};
  return rehearse_parts(ctx, slice, options.iterations, options.iterations, what);
}

std::vector<std::pair<std::string, double>> predicted_seconds(const Context& ctx, const Scan& scan,
                                                              const ReconOptions& options, const ReconPlan& plan,
                                                              const ReconSpeeds& speeds) {
  return seconds_for(recon::workload_of(ctx, scan, with_plan(options, plan)), speeds);
}

std::vector<std::pair<std::string, double>> predicted_seconds(const Context& ctx, const Scan& scan,
                                                              const SubspaceBasis& basis, const ReconOptions& options,
                                                              const ReconSpeeds& speeds) {
  return seconds_for(recon::subspace_workload(ctx, scan, basis, options), speeds);
}

}  // namespace whorl
