#include "recon/memory.hpp"

#include <algorithm>
#include <limits>
#include <ranges>
#include <set>

#include "core/block_source.hpp"
#include "op/nufft_workload.hpp"
#include "recon/encoding/calibrate.hpp"
#include "recon/encoding/calibration_frame.hpp"
#include "recon/encoding/encoding.hpp"
#include "recon/encoding/penalty.hpp"
#include "recon/encoding/signal_model.hpp"
#include "recon/field_of_view.hpp"
#include "recon/frame_groups.hpp"
#include "recon/gridding_recon.hpp"
#include "recon/joint_recon.hpp"
#include "recon/least_squares_recon.hpp"
#include "recon/prepare.hpp"
#include "recon/quality/certify_frame.hpp"
#include "recon/quality/error_bars.hpp"
#include "recon/regularized/regularized_recon.hpp"
#include "recon/stage_memory.hpp"
#include "whorl/core/integer.hpp"
#include "whorl/op/block_diagonal.hpp"

namespace whorl {

namespace {

constexpr auto complex_bytes = static_cast<Index>(sizeof(std::complex<float>));

// Beyond this many frames at a time a GPU is busy, and a step becomes long to wait for. Threads of a CPU that have a frame
// each have as many as the others. But frames with regularizers have one rule for their end, and an image must depend neither
// on the number of threads nor on the memory that is there. So many voxels keep a GPU busy with them.
Index most_frames_together(const Context& ctx, const Scan& scan, const ReconOptions& options) {
  constexpr Index frames = 32;
  constexpr Index voxels = Index{1} << 21;
  if (!options.regularizers.empty()) return std::clamp<Index>(voxels / scan.image_shape().size(), 1, frames);
  return ctx.device().kind == DeviceKind::cpu ? round_up(frames, Index{ctx.threads()}) : frames;
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
         recon::frame_groups(scan, most_frames_together(ctx, scan, options), recon::solved_share(options))) {
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

// Frames that regularizers hold together, or one rule for their end, are solved together, whatever they take: `frames` of those of
// the scan.
void add_regularized(const Context& ctx, recon::MemoryPlan& plan, const recon::LeastSquaresSizes& sizes, Index frames,
                     Index scan_frames, const Spilled& spilled, const ReconOptions& options,
                     recon::MemoryNeeds& needs) {
  const Index group_images = frames * spilled.group_image;
  const auto memory = [&](Index replicas) { return recon::regularized_memory(sizes, frames, replicas, options); };
  const auto on_device = [&](Index replicas) {
    return needs.tiles.solver ? memory(replicas).encoding : memory(replicas).bytes + group_images;
  };
  needs.frames = frames;
  if (options.keep_parts && ctx.device().kind == DeviceKind::cpu) {
    plan.hold(2 * scan_frames * sizes.voxels * complex_bytes);
  }
  if (options.error_bars.standard_deviation) {
    const Index most = most_replicas(options.error_bars.noise);
    needs.replicas = most_that_fit(recon::usable_memory(ctx) - plan.held(), most, on_device);
    if (needs.tiles.solver) {
      needs.replicas = most_that_fit(recon::room_for_solver(ctx) - group_images, needs.replicas,
                                     [&](Index replicas) { return memory(replicas).arrays; });
    }
  }
  if (needs.tiles.solver) {
    needs.solver_bytes = memory(needs.replicas).arrays + group_images;
    // Nearly all arrays have this size, or a multiple of it, in blocks of the pool.
    const auto each =
        static_cast<Index>(bytes_of_block(static_cast<std::size_t>(frames * sizes.voxels * complex_bytes)));
    const Index left = recon::usable_memory(ctx) - plan.held() - on_device(needs.replicas);
    needs.resident_bytes = std::clamp<Index>(left / each * each, 0, needs.solver_bytes);
  } else {
    // The largest eigenvalue is that of all frames together.
    const Index images = frames * sizes.voxels * complex_bytes;
    plan.use(group_images + sizes.normal(frames) + 3 * images, "largest eigenvalue");
  }
  plan.use(on_device(needs.replicas) + needs.resident_bytes, "iterations");
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

// Maps by Walsh's method, beside density weights and transform: images of the coils, and the maps from these.
void add_walsh_maps(const Context& ctx, recon::MemoryPlan& plan, const Scan& scan, const ScanFrame& frame, Index coils,
                    const NufftMemory& transform, const ReconOptions& options, const recon::Tiles& tiles) {
  const Shape image = scan.image_shape();
  const recon::Tiles of_images{
      .data = tiles.data, .coils = tiles.maps, .weights = tiles.weights, .single = tiles.single};
  plan.use(recon::gridding_memory(ctx, frame, image, coils, transform, options, of_images));
  plan.add(recon::coil_map_memory(ctx, scan, frame, coils, options, tiles));
}

// What tiles of coils take beside the transform of some coils (SenseNufft): of a GPU their maps and their samples, and the
// image that a convolution makes of each. Where the solver is spilled, what an operator takes and gives. Encodings other
// than SenseNufft take the samples of all coils.
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
  if (tiles.solver) {
    transform.normal += 2 * image_bytes;
    transform.adjoint += image_bytes + coils * samples * complex_bytes;
  }
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
  if (tiles.files) return {};
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

Index recon::room_for_solver(const Context& ctx) {
  if (ctx.device().kind == DeviceKind::cpu) return std::numeric_limits<Index>::max();
  return static_cast<Index>(ctx.spilled().pool().limit());
}

Index recon::coils_used(const Scan& scan, const ReconOptions& options) {
  return options.virtual_coils > 0 ? std::min(options.virtual_coils, scan.coils) : scan.coils;
}

void recon::add_joined_maps(const Context& ctx, MemoryPlan& plan, const Scan& scan, const ScanFrame& frame, Index coils,
                            const ReconOptions& options, const Tiles& tiles) {
  recon::Tiles here = tiles;
  here.data = false;
  ScanFrame joined{frame.index, recon::joined_trajectory(ctx, scan, frame, options), nullptr, {}, frame.geometry};
  const Index samples = joined.trajectory->samples();
  plan.hold(coils * samples * complex_bytes + joined.trajectory->points.size() * static_cast<Index>(sizeof(double)));
  if (options.coil_maps != CoilMapMethod::espirit && coils > 1) {
    const Shape image = scan.image_shape();
    const NufftMemory transform =
        tiles.files ? NufftMemory{}
                    : recon::transform_memory(ctx, image, joined.trajectory->points, tiles.single ? 1 : coils, options);
    if (options.coil_maps == CoilMapMethod::walsh) {
      plan.add(recon::gridding_weights_memory(ctx, joined, image, options, tiles.weights));
    }
    plan.add({transform.plan, transform.plan + transform.planning});
    if (options.coil_maps == CoilMapMethod::walsh) {
      return add_walsh_maps(ctx, plan, scan, joined, coils, transform, options, here);
    }
  }
  plan.add(recon::coil_map_memory(ctx, scan, joined, coils, options, here));
}

ReconOptions recon::with_needs(ReconOptions options, const MemoryNeeds& needs) {
  if (needs.tiles.pair) options.normal = NormalMethod::pair;
  options.error_bars.noise.batch = needs.replicas;
  return options;
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
  const bool walsh = recon::weighs_for_maps(scan, frame, coils, options);
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
  plan.add(recon::support_memory(ctx, scan, options));
  const bool grids = !iterates && !joint;
  const bool needs_maps = recon::needs_coil_maps(options);
  const auto weights = [&] { return recon::gridding_weights_memory(ctx, frame, image, options, tiles.weights); };
  const bool weighs_first = (grids && !needs_maps) || walsh;
  if (weighs_first) plan.add(weights(), "density weights");
  // The transform is planned before there are maps: in 3D planning takes more than anything after it.
  plan.add({transform.plan, transform.plan + transform.planning}, "plan");
  plan.add(signal, options.signal.any() ? "signal factors" : nullptr);
  if (needs_maps) {
    recon::MemoryPlan making;
    making.hold(plan.held());
    if (recon::joins_frames(scan, frame, options)) {
      add_joined_maps(ctx, making, scan, frame, coils, options, tiles);
    } else if (walsh) {
      add_walsh_maps(ctx, making, scan, frame, coils, transform, options, tiles);
    } else {
      making.add(recon::coil_map_memory(ctx, scan, frame, coils, options, tiles));
    }
    plan.use(making.peak() - plan.held(), "coil maps");
    if (!tiles.maps) plan.hold(coils * image_bytes);
  }
  if (joint) {
    plan.use(spilled.group_image + recon::joint_memory(ctx, image, frame, coils, transform, options, tiles), "nlinv");
  } else if (grids) {
    if (!weighs_first) plan.add(weights(), "density weights");
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
      add_regularized(ctx, plan, sizes, group.frames, frames, spilled, options, needs);
    }
  }
  // Filters come when the transforms are still there: what goes in, and two images in turns.
  if (options.filter) plan.use(3 * frames * image.size() * complex_bytes, "filter");
  needs.bytes = plan.peak();
  needs.stages = plan.stages();
  return needs;
}

}  // namespace whorl
