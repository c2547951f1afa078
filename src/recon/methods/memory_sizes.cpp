#include "recon/methods/memory_sizes.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <ranges>
#include <set>

#include "core/block_source.hpp"
#include "op/nufft_workload.hpp"
#include "recon/encoding/calibrate.hpp"
#include "recon/encoding/encoding.hpp"
#include "recon/encoding/penalty.hpp"
#include "recon/frame_groups.hpp"
#include "recon/quality/certify_frame.hpp"
#include "recon/regularized/regularized_memory.hpp"
#include "whorl/core/integer.hpp"
#include "whorl/op/block_diagonal.hpp"

namespace whorl::recon {

namespace {

// Beyond this many frames at a time a GPU is busy, and a step becomes long to wait for. Threads of a CPU that have a frame
// each have as many as the others. But frames with regularizers have one rule for their end, and an image must depend neither
// on the number of threads nor on the memory that is there. So many voxels keep a GPU busy with them.
Index most_frames_together(const Context& ctx, const Scan& scan, const ReconOptions& options) {
  constexpr Index frames = 32;
  constexpr Index voxels = Index{1} << 21;
  if (!options.regularized.terms.empty()) return std::clamp<Index>(voxels / scan.image_shape().size(), 1, frames);
  return ctx.device().kind == DeviceKind::cpu ? round_up(frames, Index{ctx.threads()}) : frames;
}

// What tiles of coils take beside the transform of some coils (SenseNufft): of a GPU their maps and their samples. Where
// the solver is spilled, what an operator takes and gives. Encodings other
// than SenseNufft take the samples of all coils.
NufftMemory with_tiles(const MemorySizes& sizes, NufftMemory transform) {
  const Tiles& tiles = sizes.tiles;
  const ReconOptions& options = sizes.options;
  const Index image_bytes = sizes.image_bytes();
  Index at_once = sizes.coils;
  if (options.transform == TransformMethod::nufft && !options.signal.any()) {
    const NufftWorkload work =
        nufft_workload<float>(sizes.ctx, sizes.image, sizes.samples(), sizes.coils,
                              transform_options(sizes.ctx, sizes.image, sizes.samples(), options));
    at_once = tiles.single ? 1 : work.coils_at_once;
  }
  if (sizes.on_host()) return transform;
  if (tiles.single && sizes.coils > 1) {  // the second half of the sum over coils, which one coil alone has not
    transform.normal += image_bytes;
    transform.adjoint += image_bytes;
  }
  if (tiles.solver) {
    transform.normal += 2 * image_bytes;
    transform.adjoint += image_bytes + sizes.data;
  }
  if (tiles.maps) {
    transform.normal += at_once * image_bytes;
    transform.adjoint += at_once * image_bytes;
  }
  if (tiles.data) transform.adjoint += sizes.data / sizes.coils * at_once;
  return transform;
}

}  // namespace

double MemorySizes::blocks() const {
  double most = 1;
  for (const Index bytes : {image_bytes(), coils * image_bytes()}) {
    const auto block = static_cast<double>(bytes_of_block(static_cast<std::size_t>(bytes)));
    most = std::max(most, block / static_cast<double>(bytes));
  }
  return most;
}

namespace {

NufftMemory transform_of_scan(const Context& ctx, const MemorySizes& sizes, const PlannedScan& of) {
  const Array<double>& points = of.largest.trajectory->points;
  NufftMemory transform = transform_memory(ctx, sizes.image, points, sizes.tiles.single ? 1 : of.coils, of.options);
  if (sizes.tiles.spectrum) {
    // Beside the spectrum, which is made on the host, that of a transform without one.
    ReconOptions pair = of.options;
    pair.normal = NormalMethod::pair;
    transform.planning = transform_memory(ctx, sizes.image, points, of.coils, pair).planning +
                         normal_grid(sizes.image).size() * static_cast<Index>(sizeof(float));
  }
  return transform;
}

}  // namespace

NufftMemory transform_of_frame(const Context& ctx, const MemorySizes& sizes) {
  if (sizes.tiles.files) return {};
  NufftMemory all = transform_of_scan(ctx, sizes, sizes.scans.front());
  for (std::size_t s = 1; s < sizes.scans.size(); ++s) {
    const NufftMemory one = transform_of_scan(ctx, sizes, sizes.scans[s]);
    all.planning = std::max(all.planning, one.planning);
    all.plan += one.plan;
    all.forward = std::max(all.forward, one.forward);
    all.adjoint = std::max(all.adjoint, one.adjoint);
    all.normal = std::max(all.normal, one.normal);
  }
  if (sizes.evolution.normal > 0) {
    all.normal = sizes.scans.size() > 1 ? std::max(all.normal, sizes.evolution.normal) : sizes.evolution.normal;
  }
  if (sizes.scans.size() > 1) {  // the image of one scan beside the sum
    all.adjoint += sizes.image_bytes();
    all.normal += sizes.image_bytes();
  }
  return all;
}

LeastSquaresSizes add_least_squares(const MemorySizes& sizes, MemoryPlan& plan) {
  const ReconOptions& options = sizes.options;
  const StageMemory penalty = penalty_memory(sizes.ctx, sizes.scan, options);
  plan.add(penalty, when(penalty.peak > 0, stages::prior));
  const auto at_once = [&ctx = sizes.ctx, voxels = sizes.image.size()](Index solved) {
    return BlockDiagonal<float>::at_once(ctx, solved, voxels);
  };
  // For one frame several replicas are solved together.
  const Index replicas = options.error_bars.any() ? options.error_bars.noise.batch : 0;
  const NufftMemory beside = sizes.on_host() && at_once(sizes.images * (replicas + 1)) > 1
                                 ? transform_of_frame(sizes.ctx.branch(nullptr, 0), sizes)
                                 : sizes.transform;
  const bool exact = options.transform == TransformMethod::exact;
  LeastSquaresSizes solved{.transform = with_tiles(sizes, sizes.transform),
                           .voxels = sizes.image.size(),
                           .axes = sizes.image.rank(),
                           .data = sizes.data,
                           .between = exact ? sizes.coils * sizes.image_bytes() : 0,
                           .penalized = options.cg_sense.penalty != PenaltyKind::tikhonov,
                           .beside = with_tiles(sizes, beside),
                           .at_once = at_once};
  plan.use(certificate_memory(sizes.ctx, solved, sizes.image, sizes.coils, options),
           when(options.certified_samples > 0, stages::certificate));
  return solved;
}

GroupSizes largest_group(const MemorySizes& sizes) {
  const Scan& scan = sizes.scan;
  const ReconOptions& options = sizes.options;
  GroupSizes most;
  const auto& trajectories_of = sizes.trajectories;
  if (frames_share(options) == FramesShare::trajectory) {
    for (const FrameGroup& group :
         frame_groups(scan, most_frames_together(sizes.ctx, scan, options), solved_share(options))) {
      const auto first = trajectories_of.begin() + group.first;
      const std::set trajectories(first, first + std::ssize(group.frames));
      most = {std::max(most.frames, static_cast<Index>(group.frames.size())),
              std::max(most.trajectories, std::ssize(trajectories))};
    }
    return most;
  }
  GroupSizes slice{0, 0};
  std::optional<std::size_t> before;
  for (const std::size_t number : order_by_slice(scan)) {
    if (before && scan.frames[*before].index.slice != scan.frames[number].index.slice) slice = {0, 0};
    if (slice.frames == 0 || !before || trajectories_of[*before] != trajectories_of[number]) ++slice.trajectories;
    ++slice.frames;
    before = number;
    most = {std::max(most.frames, slice.frames), std::max(most.trajectories, slice.trajectories)};
  }
  return most;
}

Index most_that_fit(Index room, Index most, const std::function<Index(Index)>& memory) {
  const auto frames = std::views::iota(Index{2}, most + 1);
  const auto too_many = std::ranges::partition_point(frames, [&](Index n) { return memory(n) <= room; });
  return 1 + static_cast<Index>(too_many - frames.begin());
}

void add_regularized(const MemorySizes& sizes, const LeastSquaresSizes& solved, Index images, MemoryPlan& plan,
                     MemoryNeeds& needs) {
  const ReconOptions& options = sizes.options;
  const Index group_images = images * sizes.spilled_group_image();
  const auto memory = [&](Index replicas) { return regularized_memory(solved, images, replicas, options); };
  const auto on_device = [&](Index replicas) {
    return needs.tiles.solver ? memory(replicas).encoding : memory(replicas).bytes + group_images;
  };
  if (options.regularized.keep_parts && sizes.on_host()) plan.hold(2 * sizes.images * sizes.image_bytes());
  if (options.error_bars.standard_deviation) {
    const Index most = most_replicas(options.error_bars.noise);
    needs.replicas = most_that_fit(sizes.room() - plan.held(), most, on_device);
    if (needs.tiles.solver) {
      needs.replicas = most_that_fit(room_for_solver(sizes.ctx) - group_images, needs.replicas,
                                     [&](Index replicas) { return memory(replicas).arrays; });
    }
  }
  if (needs.tiles.solver) {
    needs.solver_bytes = memory(needs.replicas).arrays + group_images;
    // Nearly all arrays have this size, or a multiple of it, in blocks of the pool.
    const auto each = static_cast<Index>(bytes_of_block(static_cast<std::size_t>(images * sizes.image_bytes())));
    const Index left = sizes.room() - plan.held() - on_device(needs.replicas);
    needs.resident_bytes = std::clamp<Index>(left / each * each, 0, needs.solver_bytes);
  } else {
    // The largest eigenvalue is that of all images together.
    plan.use(group_images + solved.normal(images) + 3 * images * sizes.image_bytes(), stages::largest_eigenvalue);
  }
  plan.use(on_device(needs.replicas) + needs.resident_bytes, stages::regularized_least_squares);
}

Index most_replicas(const StandardDeviationOptions& noise) {
  return std::clamp<Index>(noise.batch, 1, std::max(1, noise.count));
}

}  // namespace whorl::recon
