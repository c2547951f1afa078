#include "recon/memory.hpp"

#include <algorithm>
#include <ranges>
#include <set>

#include "op/nufft_workload.hpp"
#include "recon/encoding/calibrate.hpp"
#include "recon/encoding/calibration_frame.hpp"
#include "recon/encoding/encoding.hpp"
#include "recon/encoding/penalty.hpp"
#include "recon/encoding/signal_model.hpp"
#include "recon/frame_groups.hpp"
#include "recon/gridding_recon.hpp"
#include "recon/least_squares_recon.hpp"
#include "recon/prepare.hpp"
#include "recon/quality/certify_frame.hpp"
#include "recon/quality/error_bars.hpp"
#include "recon/regularized/regularized_recon.hpp"
#include "recon/stage_memory.hpp"
#include "whorl/calib/nlinv.hpp"
#include "whorl/core/integer.hpp"
#include "whorl/op/block_diagonal.hpp"

namespace whorl {

namespace {

constexpr auto complex_bytes = static_cast<Index>(sizeof(std::complex<float>));

// Beyond this many frames at a time a GPU is busy, and a step becomes long to wait for. Threads of a CPU that have a frame
// each have as many as the others; but frames with regularizers have one rule for their end, and an image must not depend on
// the number of threads.
Index most_frames_together(const Context& ctx, const ReconOptions& options) {
  constexpr Index frames = 32;
  const bool end_alone = options.regularizers.empty();
  return ctx.device().kind == DeviceKind::cpu && end_alone ? round_up(frames, Index{ctx.threads()}) : frames;
}

// The most frames of a group that is solved at once, and the most trajectories that these have: the transform of each is
// kept meanwhile.
struct GroupSizes {
  Index frames = 1;
  Index trajectories = 1;
};

GroupSizes largest_group(const Context& ctx, const Scan& scan, const ReconOptions& options) {
  GroupSizes most;
  if (recon::frames_share(options) == recon::FramesShare::trajectory) {
    for (const recon::FrameGroup& group :
         recon::frame_groups(scan, most_frames_together(ctx, options), recon::solved_share(options))) {
      std::set<const Trajectory*> trajectories;
      for (const ScanFrame& frame : group.frames) trajectories.insert(frame.trajectory.get());
      most = {std::max(most.frames, static_cast<Index>(group.frames.size())),
              std::max(most.trajectories, std::ssize(trajectories))};
    }
    return most;
  }
  GroupSizes slice{0, 0};
  const ScanFrame* before = nullptr;
  for (const std::size_t number : recon::order_by_slice(scan)) {
    const ScanFrame& frame = scan.frames[number];
    if (before != nullptr && before->index.slice != frame.index.slice) slice = {0, 0};
    if (slice.frames == 0 || before->trajectory != frame.trajectory) ++slice.trajectories;
    ++slice.frames;
    before = &frame;
    most = {std::max(most.frames, slice.frames), std::max(most.trajectories, slice.trajectories)};
  }
  return most;
}

// The most frames, at least one, for which memory(frames), which grows, fits.
template <class Memory>
Index most_that_fit(Index room, Index most, const Memory& memory) {
  const auto frames = std::views::iota(Index{2}, most + 1);
  const auto too_many = std::ranges::partition_point(frames, [&](Index n) { return memory(n) <= room; });
  return 1 + static_cast<Index>(too_many - frames.begin());
}

// Replicas or probes of error bars that are solved together where there is room.
Index most_replicas(const StandardDeviationOptions& noise) {
  return std::clamp<Index>(noise.batch, 1, std::max(1, noise.count));
}

// Bytes that a GPU has of spilled arrays for a time.
struct Spilled {
  Index frame_data = 0;   // the samples of a frame, where all coils are taken at once
  Index group_image = 0;  // each image of a group while the group is solved
};

// The transforms of frames that are solved together, beside that of the first one.
struct OtherTransforms {
  Index most = 0;      // of a group
  Index kept = 0;      // bytes of each
  Index planning = 0;  // bytes in addition while they are made
  bool ahead = false;  // those of the next group are made while this one is solved

  Index held(Index frames) const { return std::min(frames - 1, most) * kept; }
  // The next group's, the last of which is being made.
  Index made_ahead(Index frames) const { return ahead ? std::min(frames, most + 1) * kept + planning : 0; }
};

// Frames that regularizers hold together are solved together, whatever they take; others as many as fit.
void add_regularized(const Context& ctx, recon::MemoryPlan& plan, const recon::LeastSquaresSizes& sizes,
                     Index most_frames, const Spilled& spilled, const ReconOptions& options,
                     recon::MemoryNeeds& needs) {
  const Index room = recon::usable_memory(ctx) - plan.held();
  const auto memory = [&](Index frames, Index replicas) {
    return recon::regularized_memory(sizes, frames, replicas, options) + frames * spilled.group_image;
  };
  const bool place = recon::frames_share(options) == recon::FramesShare::place;
  needs.frames = place ? most_frames : most_that_fit(room, most_frames, [&](Index n) { return memory(n, 1); });
  if (options.error_bars.standard_deviation) {
    needs.replicas =
        most_that_fit(room, most_replicas(options.error_bars.noise), [&](Index n) { return memory(needs.frames, n); });
  }
  // The largest eigenvalue is that of all frames together.
  const Index images = needs.frames * sizes.voxels * complex_bytes;
  plan.use(needs.frames * spilled.group_image + sizes.normal(needs.frames) + 3 * images, "largest eigenvalue");
  plan.use(memory(needs.frames, needs.replicas), "iterations");
}

// The stages of least squares beside the maps, the transform and the penalty of a slice: the more frames and replicas at
// a time, the more of what is left they take.
void add_least_squares(const Context& ctx, recon::MemoryPlan& plan, const recon::LeastSquaresSizes& sizes,
                       Index most_frames, OtherTransforms others, const Spilled& spilled, const ReconOptions& options,
                       recon::MemoryNeeds& needs) {
  const bool searches = options.lambda_search && options.lambda_search->method != LambdaMethod::spectrum;
  const Index searched = searches ? spilled.frame_data : 0;
  const Index room = recon::usable_memory(ctx) - plan.held();
  const auto memory = [&](Index frames) {
    const Index solving = recon::least_squares_memory(sizes, frames) + others.made_ahead(frames);
    return std::max(solving, others.planning) + others.held(frames) + frames * spilled.group_image;
  };
  others.ahead = others.ahead && memory(1) <= room;
  needs.plans_ahead = others.ahead;
  needs.frames = most_that_fit(room, most_frames, memory);
  plan.hold(needs.frames * spilled.group_image);
  plan.use(recon::slice_weight_memory(sizes, options) + searched, "largest eigenvalue and choice of lambda");
  plan.hold(others.held(needs.frames));
  plan.use(others.planning, "plan");
  plan.hold(others.made_ahead(needs.frames));
  plan.use(recon::least_squares_memory(sizes, needs.frames), "iterations");
  if (!options.error_bars.any()) return;
  const auto error_bars = [&](Index replicas) {
    return std::max(sizes.adjoint() + sizes.data, sizes.normal(replicas)) +
           recon::error_bar_memory(options.error_bars, sizes.voxels, replicas);
  };
  needs.replicas = most_that_fit(room, most_replicas(options.error_bars.noise), error_bars);
  plan.use(error_bars(needs.replicas), "error bars");
}

// What tiles of coils take beside the transform of some coils (SenseNufft): of a GPU their maps and their samples, and the
// image that a convolution makes of each. Encodings other than SenseNufft take the samples of all coils.
void add_tiles(const Context& ctx, const Shape& image, Index samples, Index coils, const ReconOptions& options,
               const recon::Tiles& tiles, NufftMemory& transform) {
  const bool on_host = ctx.device().kind == DeviceKind::cpu;
  const Index image_bytes = image.size() * complex_bytes;
  Index at_once = coils;
  if (options.transform == TransformMethod::nufft && !options.signal.any()) {
    const NufftWorkload work =
        nufft_workload<float>(ctx, image, samples, coils, recon::transform_options(ctx, image, samples, options));
    at_once = work.coils_at_once;
    const bool convolves = work.convolution || options.normals != nullptr || options.keep_normals;
    if (convolves && (tiles.single || (tiles.maps && !on_host))) transform.normal += image_bytes;
  }
  if (on_host) return;
  if (tiles.maps) {
    transform.normal += at_once * image_bytes;
    transform.adjoint += at_once * image_bytes;
  }
  if (tiles.data) transform.adjoint += at_once * samples * complex_bytes;
}

// The transform of the largest frame.
NufftMemory transform_of_frame(const Context& ctx, const Scan& scan, const recon::SignalMemory& evolution,
                               const ReconOptions& options, const recon::Tiles& tiles) {
  const Shape image = scan.image_shape();
  NufftMemory transform = recon::transform_memory(ctx, image, recon::largest_frame(scan).trajectory->points,
                                                  tiles.single ? 1 : recon::coils_used(scan, options), options);
  if (evolution.normal > 0) transform.normal = evolution.normal;
  return transform;
}

}  // namespace

const ScanFrame& recon::largest_frame(const Scan& scan) {
  return *std::max_element(scan.frames.begin(), scan.frames.end(), [](const ScanFrame& a, const ScanFrame& b) {
    return a.trajectory->samples() < b.trajectory->samples();
  });
}

Index recon::usable_memory(const Context& ctx) {
  const auto limit = static_cast<Index>(ctx.pool().limit());
  return limit - limit / 10;
}

Index recon::coils_used(const Scan& scan, const ReconOptions& options) {
  return options.virtual_coils > 0 ? std::min(options.virtual_coils, scan.coils) : scan.coils;
}

void recon::add_joined_maps(const Context& ctx, MemoryPlan& plan, const Scan& scan, const ScanFrame& frame, Index coils,
                            const ReconOptions& options, bool spilled) {
  ScanFrame joined{frame.index, recon::joined_trajectory(ctx, scan, frame, options), nullptr, {}, frame.geometry};
  const Index samples = joined.trajectory->samples();
  plan.hold(coils * samples * complex_bytes + joined.trajectory->points.size() * static_cast<Index>(sizeof(double)));
  if (options.coil_maps != CoilMapMethod::espirit && coils > 1) {
    const Shape image = scan.image_shape();
    const NufftMemory transform = recon::transform_memory(ctx, image, joined.trajectory->points, coils, options);
    plan.add({transform.plan, transform.plan + transform.planning});
    if (options.coil_maps == CoilMapMethod::walsh) {
      plan.add(recon::gridding_weights_memory(ctx, joined, image, options, false));
      plan.use(recon::gridding_memory(ctx, joined, image, coils, transform, options, {}));
    }
  }
  plan.add(recon::coil_map_memory(ctx, scan, joined, coils, options, spilled));
}

recon::MemoryNeeds recon::memory_needs(const Context& ctx, const Scan& scan, const ReconOptions& given,
                                       const Tiles& tiles) {
  MemoryNeeds needs{.tiles = tiles};
  ReconOptions options = given;
  if (tiles.pair) options.normal = NormalMethod::pair;
  if (scan.frames.empty()) return needs;
  const ScanFrame& frame = recon::largest_frame(scan);
  const Shape image = scan.image_shape();
  const auto frames = static_cast<Index>(scan.frames.size());
  const Index coils = coils_used(scan, options);
  const Index samples = frame.trajectory->samples();
  const recon::SignalMemory evolution = recon::signal_memory(ctx, scan, coils, options);
  const recon::StageMemory& signal = evolution.stage;
  NufftMemory transform = transform_of_frame(ctx, scan, evolution, options, tiles);
  const bool iterates = options.method == ReconMethod::cg_sense;
  const bool joint = options.method == ReconMethod::nlinv;
  const bool walsh = options.coil_maps == CoilMapMethod::walsh && coils > 1;
  // Walsh's method has the images of all coils on the device.
  const recon::Tiles whole{.data = tiles.data, .weights = tiles.weights};
  const bool on_host = ctx.device().kind == DeviceKind::cpu;
  const Index image_bytes = image.size() * complex_bytes;
  const Spilled spilled{.frame_data = tiles.data && !on_host ? coils * samples * complex_bytes : 0,
                        .group_image = tiles.images && !on_host ? image_bytes : 0};

  recon::MemoryPlan plan;
  const Index one_plan = transform.plan;
  const Index one_planning = transform.planning;
  if (recon::plan_is_kept(ctx, scan, frame, coils, options)) {
    plan.hold(one_plan);
    transform.plan = transform.planning = 0;
  }
  plan.add(recon::prepare_memory(ctx, scan, options, tiles), "preparation");
  if (!tiles.images) plan.hold(frames * image_bytes);
  const bool grids = !iterates && !joint;
  const bool needs_maps = recon::needs_coil_maps(options);
  const auto weights = [&] { return recon::gridding_weights_memory(ctx, frame, image, options, tiles.weights); };
  if (grids && !needs_maps) plan.add(weights(), "density weights");
  // The transform is planned before there are maps: in 3D planning takes more than anything after it.
  plan.add({transform.plan, transform.plan + transform.planning}, "plan");
  plan.add(signal, options.signal.any() ? "signal factors" : nullptr);
  if (needs_maps) {
    recon::MemoryPlan making;
    making.hold(plan.held());
    if (recon::joins_frames(scan, frame, options)) {
      add_joined_maps(ctx, making, scan, frame, coils, options, tiles.maps);
    } else {
      const recon::StageMemory maps = recon::coil_map_memory(ctx, scan, frame, coils, options, tiles.maps);
      making.add({maps.kept, maps.peak + (options.coil_maps == CoilMapMethod::nlinv ? spilled.frame_data : 0)});
      if (walsh && !joint) {
        making.add(weights());
        making.use(recon::gridding_memory(ctx, frame, image, coils, transform, options, whole));
      }
    }
    plan.use(making.peak() - plan.held(), "coil maps");
    if (!tiles.maps) plan.hold(coils * image_bytes);
  }
  if (joint) {
    plan.use(
        spilled.group_image + spilled.frame_data + nlinv_memory<float>(ctx, image, coils, options.nlinv, transform),
        "nlinv");
  } else if (grids) {
    if (needs_maps) plan.add(weights(), "density weights");
    plan.use(spilled.group_image + recon::gridding_memory(ctx, frame, image, coils, transform, options, tiles),
             "gridding");
  } else {
    const recon::StageMemory penalty = recon::penalty_memory(ctx, scan, options);
    plan.add(penalty, penalty.peak > 0 ? "penalty" : nullptr);
    const bool exact = options.transform == TransformMethod::exact;
    const auto at_once = [&](Index solved) { return BlockDiagonal<float>::at_once(ctx, solved, image.size()); };
    const auto in_tiles = [&](NufftMemory of_frame) {
      add_tiles(ctx, image, samples, coils, options, tiles, of_frame);
      return of_frame;
    };
    // Of one frame several replicas are solved together.
    const Index solved = options.error_bars.any() ? frames * (options.error_bars.noise.batch + 1) : frames;
    const NufftMemory beside = on_host && at_once(solved) > 1
                                   ? transform_of_frame(ctx.branch(nullptr, 0), scan, evolution, options, tiles)
                                   : transform;
    const recon::LeastSquaresSizes sizes{.transform = in_tiles(transform),
                                         .voxels = image.size(),
                                         .axes = image.rank(),
                                         .data = coils * samples * complex_bytes,
                                         .between = exact ? coils * image.size() * complex_bytes : 0,
                                         .penalized = options.penalty != PenaltyKind::tikhonov,
                                         .beside = in_tiles(beside),
                                         .at_once = at_once};
    plan.use(recon::certificate_memory(ctx, sizes, image, coils, options),
             options.certified_samples > 0 ? "certificate" : nullptr);
    GroupSizes group = largest_group(ctx, scan, options);
    if (options.regularizers.empty()) {
      // On a GPU the first group's transforms are planned beside nothing, the next one's beside the solver.
      constexpr Index most_of_several = 12;
      if (!on_host && group.trajectories > 1) {
        group = {std::min(group.frames, most_of_several), std::min(group.trajectories, most_of_several)};
      }
      // Each trajectory after the first one is planned beside the maps.
      const bool several = std::ranges::any_of(
          scan.frames, [&](const ScanFrame& other) { return other.trajectory != scan.frames.front().trajectory; });
      const Index planned_at_once = on_host ? at_once(group.trajectories - 1) : 1;
      const OtherTransforms others{.most = group.trajectories - 1,
                                   .kept = one_plan + signal.kept,
                                   .planning = several ? std::max(one_planning, planned_at_once * beside.planning) : 0,
                                   .ahead = several && !on_host};
      add_least_squares(ctx, plan, sizes, group.frames, others, spilled, options, needs);
    } else {
      plan.hold((group.trajectories - 1) * (one_plan + signal.kept));
      add_regularized(ctx, plan, sizes, group.frames, spilled, options, needs);
    }
  }
  // Filters come when the transforms are still there: what goes in, and two images in turns.
  if (options.filter) plan.use(3 * frames * image.size() * complex_bytes, "filter");
  needs.bytes = plan.peak();
  needs.stages = plan.stages();
  return needs;
}

}  // namespace whorl
