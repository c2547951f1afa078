#include "whorl/recon/rehearsal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "core/stopwatch.hpp"
#include "recon/memory.hpp"
#include "recon/ranks/on_devices.hpp"
#include "recon/ranks/share.hpp"
#include "recon/regularized/regularized_recon.hpp"
#include "recon/rehearsal/count_iterations.hpp"
#include "recon/rehearsal/measure_parts.hpp"
#include "recon/rehearsal/team_work.hpp"
#include "recon/subspace/check_subspace.hpp"
#include "recon/subspace/slice_frames.hpp"
#include "whorl/comm/agree.hpp"
#include "whorl/core/error.hpp"
#include "whorl/recon/reconstruct.hpp"

namespace whorl {

namespace {

// Of the solver, by its model.
constexpr double rehearsed_seconds = 0.25;
// Within a subspace: the grids of all components leave the cache where those of an image do not, and that of a smaller image must, too.
constexpr double rehearsed_within = 1;

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

std::string describe(const Scan& scan, const recon::Excerpt& excerpt, const recon::IterationCount& count, double most) {
  std::string image;
  for (const Index extent : excerpt.image) image += fmt::format("{}{}", image.empty() ? "" : " x ", extent);
  return fmt::format("Rehearsed: {} of {} frames, image of {}{}.", excerpt.frames, scan.frames.size(), image,
                     count.iterations > 0
                         ? fmt::format("; {:.3g} iterations are expected, {:.3g} at most", count.iterations, most)
                         : "");
}

// Of a reconstruction that has so many iterations; `most` as the solver counts them.
Rehearsal rehearse_parts(const Context& ctx, const Scan& scan, int iterations, double most,
                         const recon::Rehearsed& what) {
  recon::Parts parts = recon::measure_parts(ctx, scan, iterations, what);
  Rehearsal result;
  result.speeds.stages = parts.speeds();
  recon::IterationCount count = recon::mean_count(parts.runs.front().made.reports);
  if (parts.counts && count.iterations > 0) {
    count =
        what.count(what.counts_apart ? what.excerpt(rehearsed_seconds, 1) : parts.smallest, parts.runs.front().made);
  }
  if (count.iterations < most) result.speeds.ended_after = count.iterations;
  if (count.iterations > 0) result.speeds.applications = count.applications / count.iterations;
  result.note = describe(scan, parts.largest, count, most);
  recon::Measured& last = parts.runs.back();
  result.images = std::move(last.made.images);
  result.frames = std::move(last.made.frames);
  return result;
}

// How ranks share the whole.
struct Together {
  std::shared_ptr<Communicator> ranks;
  std::function<recon::Share()> share;
  std::function<double(Index ranks)> normal;  // units of A^H A, with the coils on so many ranks
  std::optional<Context> data;  // where the data lie that ranks get before the solver; none: they get none
};

// All teams rehearse at the same time, for processes of a machine share its cores and buses; their leaders, as the other ranks wait
// for these. Where coils are shared, what applies A^H A is rehearsed once more, by all ranks, with the coils of one rank, and
// messages are measured.
Rehearsal rehearse_together(const Context& ctx, const Scan& scan, int iterations, double most,
                            const recon::Rehearsed& what, const Together& together) {
  if (together.ranks == nullptr || together.ranks->size() == 1) {
    return rehearse_parts(ctx, scan, iterations, most, what);
  }
  agree(*together.ranks, [] {});  // a rank that failed before is not in the next call
  const Stopwatch watch;
  std::optional<recon::Share> share(together.share());
  double connecting = watch.seconds();
  Rehearsal result;
  agree(*together.ranks, [&] {
    if (share->leads()) result = rehearse_parts(ctx, scan, iterations, most, what);
  });
  const Index coils = share->coils().count;
  recon::StageSpeeds own;
  agree(*together.ranks, [&] {
    if (!share->spreads()) return;
    recon::Rehearsed of_coils = what;
    of_coils.excerpt = [&](double seconds, double least) {
      recon::Excerpt excerpt = what.excerpt(seconds, least);
      excerpt.coils = coils;
      return excerpt;
    };
    own = recon::measure_parts(ctx, scan, iterations, of_coils).speeds();
  });
  const Shape image = scan.image_shape();
  if (share->spreads()) {
    const recon::MessageSeconds messages = recon::message_seconds(ctx, share->team(), image);
    connecting += messages.first;
    if (together.data) {
      const double each = recon::scattering_seconds(*together.data, *share, scan);
      result.speeds.stages.emplace_back("scattering", StageSpeed{0, each});
    }
    const double message = messages.each / together.normal(share->team().size());
    for (auto& [stage, speed] : result.speeds.stages) {
      if (!recon::applies_normal(stage)) continue;
      const auto found = std::find_if(own.begin(), own.end(), [&](const auto& of) { return of.first == stage; });
      if (found != own.end()) speed.per_unit = found->second.per_unit + message;
    }
  }
  result.speeds.stages.emplace_back("collecting",
                                    StageSpeed{connecting, recon::collecting_seconds(ctx.host(), *share, image)});
  const Stopwatch leaving;  // NCCL takes its time, as it does to connect
  share.reset();
  result.speeds.stages.back().second.once += leaving.seconds();
  result.speeds.ranks = together.ranks->size();
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

// Of the team that takes longest.
std::vector<std::pair<std::string, double>> longest_seconds(
    const std::vector<recon::TeamWork>& teams, const ReconSpeeds& speeds,
    const std::function<recon::Workload(const recon::TeamWork&)>& work) {
  std::vector<std::pair<std::string, double>> longest;
  double most = -1;
  for (const recon::TeamWork& team : teams) {
    auto seconds = seconds_for(work(team), speeds);
    double sum = 0;
    for (const auto& stage : seconds) sum += stage.second;
    if (sum <= most) continue;
    most = sum;
    longest = std::move(seconds);
  }
  return longest;
}

int ranks_of(const ReconOptions& options) { return options.ranks != nullptr ? options.ranks->size() : 1; }

// Frames of a team: others have no time from each other.
Index most_frames(const std::vector<recon::TeamWork>& teams) {
  Index most = 1;
  for (const recon::TeamWork& team : teams) most = std::max<Index>(most, std::ssize(team.scan.frames));
  return most;
}

// A copy of the first slice of a scan.
Scan first_slice(const Context& host, const Scan& scan) {
  const std::vector<recon::SliceFrames> slices = recon::frames_of_slices(scan);
  Scan slice = clone_without_frames(host, scan);
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
  const Index together = plan.needs->frames;
  const Index of_team = most_frames(recon::work_of_teams(scan, tiled, together, ranks_of(options)));
  const recon::Rehearsed what{
      .seconds = rehearsed_seconds,
      .excerpt =
          [&](double seconds, double least) {
            recon::Excerpt excerpt = recon::excerpt_for(ctx, scan, tiled, seconds, least);
            // Frames that regularizers join are not shared.
            if (recon::frames_share(tiled) != recon::FramesShare::place) {
              excerpt.frames = std::min(excerpt.frames, of_team);
            }
            return excerpt;
          },
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
  const Together ranks{options.ranks,
                       [&] {
                         const Scan solved = recon::outline_as_solved(scan, tiled);
                         return recon::Share(silent, solved, recon::slices_of(solved), together, tiled);
                       },
                       [&](Index sharing) { return recon::workload_of(ctx, scan, tiled, sharing).normal; },
                       options.regularizers.empty() ? std::optional(silent) : std::nullopt};
  return rehearse_together(silent, scan, options.iterations, most, what, ranks);
}

Rehearsal rehearse(const Context& ctx, const Scan& scan, const SubspaceBasis& basis, const ReconOptions& options) {
  recon::check_subspace(scan, basis, options);
  const Context silent = ctx.with(std::shared_ptr<ProgressSink>());
  const bool has_one = std::ssize(scan.frames) == basis.frames();
  const Scan copied = has_one ? Scan() : first_slice(ctx.host(), scan);
  const Scan& slice = has_one ? scan : copied;
  const auto with = [&](int iterations) {
    ReconOptions rehearsed = options_for(options, true);
    rehearsed.iterations = iterations;
    return rehearsed;
  };
  const recon::Rehearsed what{
      .seconds = rehearsed_within,
      .counts_apart = !options.signal.any(),  // weights belong to all samples of a trajectory
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
  const Index coils = recon::coils_used(scan, options);
  const Together ranks{
      options.ranks,
      [&] { return recon::Share(silent, options.ranks, recon::slice_units(scan, options), coils, coils, "slices"); },
      [&](Index sharing) { return recon::subspace_workload(ctx, slice, basis, options, sharing).normal; }, ctx.host()};
  return rehearse_together(silent, slice, options.iterations, options.iterations, what, ranks);
}

namespace {

// The first rank's. Each copies the data of its frames.
template <class Rehearse>
Rehearsal rehearse_on(std::span<const Context> devices, const Scan& scan, const ReconOptions& options,
                      const Rehearse& rehearse_one) {
  if (devices.size() == 1) return rehearse_one(devices.front(), options);
  Rehearsal result;
  recon::on_devices(devices, options, [&](const Context& ctx, const ReconOptions& own) {
    Rehearsal made = rehearse_one(ctx, own);
    const ArrayRef<const std::complex<float>> data = scan.frames.front().data;
    agree(*own.ranks, [] {});  // all copy at the same time
    const Stopwatch watch;
    static_cast<void>(clone(ctx.host(), data));
    const double seconds = watch.seconds();
    auto& stages = made.speeds.stages;
    stages.emplace(stages.begin(), "reading", StageSpeed{0, seconds / static_cast<double>(data.size())});
    if (own.ranks->rank() == 0) result = std::move(made);
  });
  return result;
}

}  // namespace

Rehearsal rehearse(std::span<const Context> devices, const Scan& scan, const ReconOptions& options,
                   const ReconPlan& plan) {
  return rehearse_on(devices, scan, options,
                     [&](const Context& ctx, const ReconOptions& own) { return rehearse(ctx, scan, own, plan); });
}

Rehearsal rehearse(std::span<const Context> devices, const Scan& scan, const SubspaceBasis& basis,
                   const ReconOptions& options) {
  return rehearse_on(devices, scan, options,
                     [&](const Context& ctx, const ReconOptions& own) { return rehearse(ctx, scan, basis, own); });
}

std::vector<std::pair<std::string, double>> predicted_seconds(const Context& ctx, const Scan& scan,
                                                              const ReconOptions& options, const ReconPlan& plan,
                                                              const ReconSpeeds& speeds) {
  const ReconOptions tiled = with_plan(options, plan);
  return longest_seconds(
      recon::work_of_teams(scan, tiled, plan.needs->frames, speeds.ranks), speeds,
      [&](const recon::TeamWork& team) { return recon::workload_of(ctx, team.scan, tiled, team.ranks); });
}

std::vector<std::pair<std::string, double>> predicted_seconds(const Context& ctx, const Scan& scan,
                                                              const SubspaceBasis& basis, const ReconOptions& options,
                                                              const ReconSpeeds& speeds) {
  return longest_seconds(recon::subspace_work_of_teams(scan, options, speeds.ranks), speeds,
                         [&](const recon::TeamWork& team) {
                           return recon::subspace_workload(ctx, team.scan, basis, options, team.ranks);
                         });
}

}  // namespace whorl
