#include "recon/gridding_recon.hpp"

#include <algorithm>

#include "density/density_memory.hpp"
#include "recon/field_of_view.hpp"
#include "whorl/calib/combine.hpp"
#include "whorl/core/on_device.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl::recon {

GriddedImages gridded_coil_images(Run& run, const ScanFrame& frame, Encodings& encodings) {
  using Complex = std::complex<float>;
  const Context& ctx = run.ctx;
  const LinearOperator<float>& transform = encodings.transform(run, frame).of_coils();
  const GriddingWeights& weights = encodings.weights(run, frame);
  return run.time("gridding", [&] {
    const OnDevice<Complex> data(ctx, frame.data);  // spilled data lie on the host
    Array<Complex> images(ctx, transform.domain());
    {
      Array<Complex> weighted(ctx, transform.range());
      multiply_weights<float>(ctx, weights.density, data.get(), weighted);
      transform.adjoint(ctx, weighted, images);
    }
    const double scale = gridding_scale(ctx, transform, weights, data.get(), images);
    axpby<float>(ctx, scale, images, 0, images);
    return GriddedImages{std::move(images), scale};
  });
}

namespace {

constexpr auto complex_bytes = static_cast<Index>(sizeof(std::complex<float>));

// Density weights of a frame and their impulse response.
Index weights_memory(const Context& ctx, const ScanFrame& frame, const Shape& image, const ReconOptions& options) {
  const Array<double>& points = frame.trajectory->points;
  // Those that the trajectory will decide count as iterated: to find out takes as long as the weights themselves.
  const bool iterates = options.density == DensityMethod::pipe_menon ||
                        (options.density == DensityMethod::automatic && frame.weights == nullptr);
  const Index weights = frame.trajectory->samples() * static_cast<Index>(sizeof(float));
  return std::max(iterates ? detail::pipe_menon_memory<float>(ctx, points, image) : weights,
                  weights + detail::impulse_response_memory<float>(ctx, points, image));
}

}  // namespace

// From data to images of the coils: two sets of weights, and the images. With weighted data before the adjoint transform;
// with predicted data behind the forward one, which takes the images without their corners where the field of view is
// round; with predicted and weighted data.
void combine_coils(Run& run, ArrayRef<const std::complex<float>> images, ArrayRef<const std::complex<float>> maps,
                   CombinationMethod method, ArrayRef<std::complex<float>> image) {
  run.time("coil combination", [&] {
    if (method == CombinationMethod::matched) {
      copy<std::complex<float>>(run.ctx, matched_combination<float>(run.ctx, images, maps), image);
    } else {
      to_complex<float>(run.ctx, root_sum_of_squares<float>(run.ctx, images), image);
    }
  });
}

Index gridding_memory(const Context& ctx, const ScanFrame& frame, const Shape& image, Index coils,
                      const NufftMemory& transform, const ReconOptions& options) {
  const Index samples = frame.trajectory->samples();
  const Index data = coils * samples * complex_bytes;
  const Index images = coils * image.size() * complex_bytes;
  const Index predicting = transform.forward + data + (has_round_field_of_view(*frame.trajectory) ? images : 0);
  const Index gridding = 2 * samples * static_cast<Index>(sizeof(float)) + images +
                         std::max({transform.adjoint + data, predicting, 2 * data});
  return std::max(weights_memory(ctx, frame, image, options), gridding);
}

}  // namespace whorl::recon
