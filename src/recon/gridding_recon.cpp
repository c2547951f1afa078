#include "recon/gridding_recon.hpp"

#include "recon/gridding_scale.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl::recon {

GriddedImages gridded_coil_images(const Context& ctx, const ScanFrame& frame, Encodings& encodings, StageClock& clock,
                                  std::vector<std::string>& notes) {
  using Complex = std::complex<float>;
  const LinearOperator<float>& transform = encodings.transform(ctx, frame, clock);
  const Array<float>& weights = encodings.weights(ctx, frame, clock, notes);
  return clock.time("gridding", [&] {
    Array<Complex> images(ctx, transform.domain());
    {
      Array<Complex> weighted(ctx, transform.range());
      multiply_weights<float>(ctx, weights, frame.data, weighted);
      transform.adjoint(ctx, weighted, images);
    }
    const double scale =
        gridding_scale(ctx, transform, *frame.trajectory, encodings.scale_weights(), frame.data, images);
    axpby<float>(ctx, scale, images, 0, images);
    return GriddedImages{std::move(images), scale};
  });
}

}  // namespace whorl::recon
