#include "recon/gridding/gridding_recon.hpp"

#include <algorithm>

#include "density/density_memory.hpp"
#include "op/nufft_workload.hpp"
#include "recon/field_of_view.hpp"
#include "whorl/calib/combine.hpp"
#include "whorl/core/on_device.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl::recon {

using Complex = std::complex<float>;

GriddedImages gridded_coil_images(Run& run, const ScanFrame& frame, Encodings& encodings, const Spill* spill) {
  const Context& ctx = run.ctx;
  const GriddingWeights& weights = encodings.weights(run, frame);
  const CoilTransform& transform = encodings.transform(run, frame);
  return run.time(stages::gridding, [&] {
    const Shape all = transform.of_coils().domain();
    const Index coils = all[0];
    const Index tile = spill != nullptr && transform.takes_some_coils() ? transform.coils_at_once() : coils;
    Array<Complex> images = spill != nullptr ? spill->make(all) : Array<Complex>(ctx, all);
    const bool here = images.device() == ctx.device();
    GriddingScale scale;
    for (Index first = 0; first < coils; first += tile) {
      const Index count = std::min(tile, coils - first);
      Operator<float> some;
      if (count < coils) some = transform.of_some_coils(count);
      const LinearOperator<float>& of_tile = count < coils ? *some : transform.of_coils();
      const OnDevice<Complex> data(ctx, frame.data.ref().range(first, first + count));  // spilled, they lie on the host
      const ArrayRef<Complex> place = images.ref().range(first, first + count);
      Array<Complex> apart;
      if (!here) apart = Array<Complex>(ctx, place.shape());
      const ArrayRef<Complex> made = here ? place : apart.ref();
      {
        Array<Complex> weighted(ctx, of_tile.range());
        multiply_weights<float>(ctx, weights.density, data.get(), weighted);
        of_tile.adjoint(ctx, weighted, made);
      }
      scale.add(ctx, of_tile, weights, data.get(), made);
      if (!here) copy<Complex>(ctx, made, place);
    }
    const double factor = scale.scale();
    axpby<float>(context_at(ctx, images.device()), factor, images, 0, images);
    return GriddedImages{std::move(images), factor};
  });
}

namespace {

// Some voxels [coil, voxel] of arrays of coils, on the context's device.
Array<Complex> voxels_of(const Context& ctx, ArrayRef<const Complex> coils, Index first, Index end) {
  Array<Complex> some(ctx, {coils.extent(0), end - first});
  const ArrayRef<const Complex> all = coils.reshape({coils.extent(0), coils.size() / coils.extent(0)});
  for (Index coil = 0; coil < coils.extent(0); ++coil) {
    copy<Complex>(ctx, all.slice(coil).range(first, end), some.slice(coil));
  }
  return some;
}

void combine(const Context& ctx, ArrayRef<const Complex> images, ArrayRef<const Complex> maps, CombinationMethod method,
             ArrayRef<Complex> image) {
  if (method == CombinationMethod::matched) {
    copy<Complex>(ctx, matched_combination<float>(ctx, images, maps), image);
  } else {
    to_complex<float>(ctx, root_sum_of_squares<float>(ctx, images), image);
  }
}

}  // namespace

void combine_coils(Run& run, ArrayRef<const std::complex<float>> images, ArrayRef<const std::complex<float>> maps,
                   CombinationMethod method, ArrayRef<std::complex<float>> image) {
  run.time(stages::coil_combination, [&] {
    const Context& ctx = run.ctx;
    if (images.device() == ctx.device() && (maps.size() == 0 || maps.device() == ctx.device())) {
      return combine(ctx, images, maps, method, image);
    }
    // As many voxels at a time as all coils have in the room of one image.
    const ArrayRef<Complex> voxels = image.reshape({image.size()});
    const Index step = std::max<Index>(image.size() / images.extent(0), 1);
    for (Index first = 0; first < voxels.size(); first += step) {
      const Index end = std::min(first + step, voxels.size());
      const Array<Complex> of_images = voxels_of(ctx, images, first, end);
      const Array<Complex> of_maps = maps.size() > 0 ? voxels_of(ctx, maps, first, end) : Array<Complex>();
      combine(ctx, of_images, of_maps, method, voxels.range(first, end));
    }
  });
}

StageMemory gridding_weights_memory(const Context& ctx, const ScanFrame& frame, const Shape& image,
                                    const ReconOptions& options, bool spilled) {
  const Array<double>& points = frame.trajectory->points;
  // Weights that depend on the trajectory count as iterated: to find out takes as long as the weights themselves.
  const bool iterates = options.density == DensityMethod::pipe_menon ||
                        (options.density == DensityMethod::automatic && frame.weights == nullptr);
  const Index weights = frame.trajectory->samples() * static_cast<Index>(sizeof(float));
  const Index kept = 2 * weights;
  if (spilled && ctx.device().kind != DeviceKind::cpu) return {kept, kept};
  return {kept, std::max({kept, iterates ? detail::pipe_menon_memory<float>(ctx, points, image, spilled) : 0,
                          weights + detail::impulse_response_memory<float>(ctx, points, image)})};
}

// From data to images of the coils. With weighted data before the adjoint transform;
// with predicted data behind the forward one, which takes the images without their corners where the field of view is
// round; with predicted and weighted data. In tiles all of that of some coils.
Index gridding_memory(const Context& ctx, const ScanFrame& frame, const Shape& image, Index coils,
                      const NufftMemory& transform, const ReconOptions& options, const Tiles& tiles) {
  const bool on_host = ctx.device().kind == DeviceKind::cpu;
  const Index samples = frame.trajectory->samples();
  Index at_once = coils;
  if (tiles.coils && options.transform == TransformMethod::nufft && !options.signal.any()) {
    const NufftOptions nufft = transform_options(ctx, image, samples, options);
    at_once = tiles.single ? 1 : nufft_workload<float>(ctx, image, samples, coils, nufft).coils_at_once;
  }
  const Index data = at_once * samples * complex_bytes;
  const Index images = at_once * image.size() * complex_bytes;
  const Index made = tiles.coils && on_host ? 0 : images;
  const Index given = tiles.data && !on_host ? data : 0;
  const Index predicting = transform.forward + data + (has_round_field_of_view(*frame.trajectory) ? images : 0);
  const Index gridding = made + given + std::max({transform.adjoint + data, predicting, 2 * data});
  const Index combining = tiles.coils ? 3 * image.size() * complex_bytes : 0;
  return std::max(gridding, combining);
}

}  // namespace whorl::recon
