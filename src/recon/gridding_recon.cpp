#include "recon/gridding_recon.hpp"

#include "whorl/math/blas1.hpp"

namespace whorl::recon {

GriddedImages gridded_coil_images(const Context& ctx, const ScanFrame& frame, Encodings& encodings, StageClock& clock,
                                  std::vector<std::string>& notes) {
  using Complex = std::complex<float>;
  const LinearOperator<float>& transform = encodings.transform(ctx, frame, clock);
  const Array<float>& weights = encodings.weights(ctx, frame, clock, notes);
  return clock.time("gridding", [&] {
    Array<Complex> weighted(ctx, transform.range());
    multiply_weights<float>(ctx, weights, frame.data, weighted);
    Array<Complex> images(ctx, transform.domain());
    transform.adjoint(ctx, weighted, images);

    // min over s of |s A x - d| in the norm weighted by w: s = <A x, W d> / <A x, W A x>. <A x, W d> is |x|^2, since
    // x = A^H W d.
    Array<Complex> predicted(ctx, transform.range());
    transform.forward(ctx, images, predicted);
    multiply_weights<float>(ctx, weights, predicted, weighted);
    const double energy = dot<float>(ctx, predicted, weighted).real();
    const double overlap = dot<float>(ctx, images, images).real();
    const double scale = energy > 0 ? overlap / energy : 1;
    axpby<float>(ctx, scale, images, 0, images);
    return GriddedImages{std::move(images), scale};
  });
}

}  // namespace whorl::recon
