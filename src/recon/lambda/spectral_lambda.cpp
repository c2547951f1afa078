#include "whorl/recon/spectral_lambda.hpp"

#include <fmt/format.h>

#include "recon/lambda/spectral_choice.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

template <Precision Real>
LambdaChoice spectral_lambda(const Context& ctx, const Trajectory& trajectory, const Shape& image_shape,
                             ArrayRef<const std::complex<Real>> data, double eigenvalue, double unit) {
  if (data.rank() != 2 || data.extent(1) != trajectory.samples() || trajectory.dim() != image_shape.rank()) {
    throw ShapeError(
        fmt::format("choice of lambda: data {} for a trajectory of {} samples in {} dimensions and an image "
                    "{}; expected [coil, sample] of these samples, and as many dimensions",
                    to_string(data.shape()), trajectory.samples(), trajectory.dim(), to_string(image_shape)));
  }
  const double noise = static_cast<double>(data.extent(0)) / (unit * unit);
  return recon::spectral_choice(recon::power_shells<Real>(ctx, trajectory, image_shape, data, noise), image_shape,
                                eigenvalue, unit);
}

template LambdaChoice spectral_lambda<float>(const Context&, const Trajectory&, const Shape&,
                                             ArrayRef<const std::complex<float>>, double, double);
template LambdaChoice spectral_lambda<double>(const Context&, const Trajectory&, const Shape&,
                                              ArrayRef<const std::complex<double>>, double, double);

}  // namespace whorl
