#include <algorithm>

#include "density/density_memory.hpp"
#include "recon/encoding/calibrate.hpp"
#include "recon/encoding/encoding.hpp"
#include "recon/encoding/penalty.hpp"
#include "recon/field_of_view.hpp"
#include "recon/quality/error_bars.hpp"
#include "whorl/recon/reconstruct.hpp"

namespace whorl {

namespace {

constexpr auto complex_bytes = static_cast<Index>(sizeof(std::complex<float>));

// Density weights of a frame and their impulse response.
Index weights_memory(const Context& ctx, const ScanFrame& frame, const Shape& image, const ReconOptions& options) {
  const Index samples = frame.trajectory->samples();
  const bool iterates = options.density == DensityMethod::pipe_menon ||
                        (options.density == DensityMethod::automatic && frame.weights == nullptr &&
                         automatic_density(ctx, *frame.trajectory, image) == DensityMethod::pipe_menon);
  const Index weights = samples * static_cast<Index>(sizeof(float));
  return std::max(iterates ? detail::pipe_menon_memory<float>(ctx, samples, image) : weights,
                  weights + detail::impulse_response_memory<float>(ctx, samples, image));
}

// From data to images of the coils: two sets of weights. Then the images, a second time without their corners where the
// field of view is round, with data before or behind a transform; then the images with predicted and weighted data.
Index gridding_memory(const Context& ctx, const ScanFrame& frame, const Shape& image, Index coils,
                      const NufftMemory& nufft, const ReconOptions& options) {
  const Index samples = frame.trajectory->samples();
  const Index images = (recon::has_round_field_of_view(*frame.trajectory) ? 2 : 1) * image.size();
  const Index transforming = nufft.work + coils * (samples + images) * complex_bytes;
  const Index comparing = coils * (2 * samples + image.size()) * complex_bytes;
  const Index gridding = 2 * samples * static_cast<Index>(sizeof(float)) + std::max(transforming, comparing);
  return std::max(weights_memory(ctx, frame, image, options), gridding);
}

// Bytes at the peak, and the batch of replicas that it holds.
struct Peak {
  Index bytes;
  Index batch;
};

Peak peak_of(const Context& ctx, const Scan& scan, const ReconOptions& options) {
  if (scan.frames.empty()) return {0, 1};
  const Shape image = scan.image_shape();
  const Index coils = options.virtual_coils > 0 ? std::min(options.virtual_coils, scan.coils) : scan.coils;
  Index data = 0;
  const ScanFrame* largest = &scan.frames.front();
  for (const ScanFrame& frame : scan.frames) {
    data += scan.coils * frame.trajectory->samples() * complex_bytes;
    if (frame.trajectory->samples() > largest->trajectory->samples()) largest = &frame;
  }
  const Index samples = largest->trajectory->samples();
  const Index trajectory = samples * scan.dim() * static_cast<Index>(sizeof(double));
  const Index images = static_cast<Index>(scan.frames.size()) * image.size() * complex_bytes;
  const NufftMemory transform = recon::transform_memory(ctx, image, samples, coils, options);
  const Index before = data + trajectory + images;
  // Filters come after all else, when the transforms are still there: what goes in, and two images in turns.
  const Index filtering = options.filter ? 3 * images : 0;

  const bool has_maps = options.method == ReconMethod::cg_sense || options.combination == CombinationMethod::matched;
  const Index map_bytes = has_maps ? coils * image.size() * complex_bytes : 0;
  // Maps that came with the scan are there before those that are made of them.
  const Index given = has_maps && options.coil_maps == CoilMapMethod::file ? map_bytes : 0;
  const bool grids = options.method == ReconMethod::gridding || options.coil_maps == CoilMapMethod::walsh;
  const Index gridding = grids ? gridding_memory(ctx, *largest, image, coils, transform, options) : 0;
  // The maps of the first frame are made before its transform is planned.
  Index making_maps = has_maps ? recon::coil_map_memory(ctx, scan, *largest, coils, options) : 0;
  if (scan.frames.size() > 1) making_maps += transform.plan;

  if (options.method == ReconMethod::gridding) {
    return {before + given + std::max(making_maps, map_bytes + transform.plan + std::max(gridding, filtering)), 1};
  }
  // The images of the coils before and after an exact transform; a NUFFT makes none.
  const Index between = options.transform == TransformMethod::exact ? coils * image.size() * complex_bytes : 0;
  // The right-hand side.
  const Index start = transform.work + between + image.size() * complex_bytes;
  // The right-hand side and the residual, direction and image of conjugate gradient; W^H W x takes the place of what
  // the normal operator needed.
  const Index iteration = transform.normal + 2 * between + 4 * image.size() * complex_bytes;
  // Predicted data, the last two images, and each probe with its solution.
  const Index search =
      options.lambda_search
          ? (coils * samples + (2 + 2 * options.lambda_search->sweep.probes) * image.size()) * complex_bytes
          : 0;
  const recon::PenaltyMemory penalty = recon::penalty_memory(ctx, scan, options);
  Index solving = std::max({transform.planning, penalty.making, std::max(start, iteration) + search});
  Index batch = 1;
  if (options.error_bars.any()) {
    // Noise in the place of the data, or the normal operator.
    const Index applying = std::max(start + coils * samples * complex_bytes, transform.normal + 2 * between);
    const Index room =
        static_cast<Index>(ctx.pool().limit()) - before - given - map_bytes - penalty.kept - transform.plan - applying;
    batch = recon::error_bar_batch(options.error_bars, image.size(), room);
    solving = std::max(solving, applying + recon::error_bar_memory(options.error_bars, image.size(), batch));
  }
  return {
      before + given + penalty.kept +
          std::max({making_maps, transform.plan + gridding, map_bytes + transform.plan + std::max(solving, filtering)}),
      batch};
}

}  // namespace

Index reconstruction_memory(const Context& ctx, const Scan& scan, const ReconOptions& options) {
  return peak_of(ctx, scan, options).bytes;
}

Index recon::error_bar_batch(const Context& ctx, const Scan& scan, const ReconOptions& options) {
  return peak_of(ctx, scan, options).batch;
}

}  // namespace whorl
