#include "phantom/evolving_samples.hpp"

#include <cmath>

#include "phantom/checks.hpp"
#include "whorl/op/exact_signal.hpp"

namespace whorl::detail {

Array<std::complex<float>> evolving_samples(const Context& ctx, const Phantom& phantom, const PhantomCoils& coils,
                                            ArrayRef<const double> points, ArrayRef<const double> times,
                                            int per_voxel) {
  // A grid finer by this factor, whose origin is that of the image: positions there are s r, frequencies k / s.
  const int dim = matrix_dim(coils.matrix);
  const auto s = static_cast<double>(per_voxel);
  std::array<Index, 3> fine = coils.matrix;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dim); ++axis) fine[axis] *= per_voxel;
  PhantomCoils fine_coils{fine, clone(ctx, coils.frequencies.ref()), clone(ctx, coils.coefficients.ref())};
  for (double& frequency : fine_coils.frequencies.span()) frequency /= s;
  Array<double> fine_points = clone(ctx, points);
  for (double& k : fine_points.span()) k /= s;

  const Array<double> object = rasterize<double>(ctx, phantom, fine, dim == 2 ? 8 : 3);
  Array<std::complex<double>> image(ctx, object.shape());
  std::copy(object.span().begin(), object.span().end(), image.span().begin());
  const auto signal = exponential_signal(ctx, r2_star_map(ctx, phantom, fine), field_map(ctx, phantom, fine));
  const auto samples = exact_signal(ctx, phantom_coil_maps<double>(ctx, fine_coils), image, signal, fine_points, times);
  // Each point has the area s^-dim, and exact_signal divides by the root of s^dim times as many points as voxels.
  const double scale = std::pow(s, -0.5 * dim);
  Array<std::complex<float>> result(ctx, samples.shape());
  for (Index i = 0; i < samples.size(); ++i) result.data()[i] = std::complex<float>(scale * samples.data()[i]);
  return result;
}

}  // namespace whorl::detail
