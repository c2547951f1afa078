#include <algorithm>
#include <cmath>
#include <utility>

#include "core/parallel.hpp"
#include "phantom/checks.hpp"
#include "phantom/figure_transform.hpp"
#include "whorl/core/integer.hpp"
#include "whorl/phantom/coils.hpp"

namespace whorl {
namespace {

using RowMajor = Eigen::Matrix<std::complex<double>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr Index block_samples = 64;
constexpr Index blocks_per_step = 16;  // and thread: between two looks at the cancel flag

detail::TransformGeometry make_geometry(const PhantomCoils& coils, int dim, ArrayRef<const double> points) {
  detail::TransformGeometry geometry;
  geometry.dim = dim;
  const auto q = coils.frequencies.view<2>();
  geometry.frequencies = Eigen::Matrix3Xd::Zero(3, q.extent(0));
  for (int axis = 0; axis < 3; ++axis) {
    const auto d = static_cast<std::size_t>(axis);
    geometry.half[d] = axis < dim ? static_cast<double>(coils.matrix[d]) / 2 : 1;
    for (Index term = 0; axis < dim && term < q.extent(0); ++term) geometry.frequencies(axis, term) = q(term, axis);
  }
  const auto k = points.view<2>();
  for (Index sample = 0; sample < k.extent(0); ++sample) {
    geometry.largest_k = std::max(geometry.largest_k, std::hypot(k(sample, 0), k(sample, 1)));
  }
  return geometry;
}

detail::FigureTransforms make_transforms(const Phantom& phantom, const detail::TransformGeometry& geometry) {
  detail::FigureTransforms transforms = detail::make_solid_transforms(phantom.regions, geometry);
  for (auto& transform : detail::make_contour_transforms(phantom.regions, geometry)) {
    transforms.push_back(std::move(transform));
  }
  return transforms;
}

// The samples first to first + count of all coils: the object at k - q for each term q, and the sums for each coil.
class BlockOfSamples {
 public:
  BlockOfSamples(const Phantom& phantom, const PhantomCoils& coils, ArrayRef<const double> points, int dim)
      : points_(points.view<2>()),
        geometry_(make_geometry(coils, dim, points)),
        transforms_(make_transforms(phantom, geometry_)) {
    const auto& matrix = coils.matrix;
    const double voxels =
        static_cast<double>(matrix[0]) * static_cast<double>(matrix[1]) * static_cast<double>(matrix[2]);
    const auto& a = coils.coefficients;
    coefficients_ = Eigen::Map<const RowMajor>(a.data(), a.extent(0), a.extent(1)) / std::sqrt(voxels);
  }

  Eigen::MatrixXcd operator()(Index first, Index count) const {
    Eigen::Matrix3Xd k = Eigen::Matrix3Xd::Zero(3, count);
    for (Index sample = 0; sample < count; ++sample) {
      for (int axis = 0; axis < geometry_.dim; ++axis) k(axis, sample) = points_(first + sample, axis);
    }
    Eigen::MatrixXcd object = Eigen::MatrixXcd::Zero(coefficients_.cols(), count);
    for (const auto& transform : transforms_) transform->add(k, object);
    return coefficients_ * object;
  }

 private:
  View<const double, 2> points_;
  detail::TransformGeometry geometry_;
  detail::FigureTransforms transforms_;
  Eigen::MatrixXcd coefficients_;
};

}  // namespace

template <Precision Real>
Array<std::complex<Real>> phantom_coil_samples(const Context& ctx, const Phantom& phantom, const PhantomCoils& coils,
                                               ArrayRef<const double> points) {
  const int dim = detail::matrix_dim(coils.matrix);
  detail::check_phantom(phantom, coils.matrix);
  detail::check_points(points, dim);
  const BlockOfSamples block_of(phantom, coils, points, dim);
  const Index samples = points.extent(0);
  const Index channels = coils.coefficients.extent(0);
  Array<std::complex<Real>> result(ctx, {channels, samples});
  std::complex<Real>* out = result.data();

  const Index blocks = divide_up(samples, block_samples);
  const Index step = blocks_per_step * ctx.threads();
  ProgressStage stage(ctx, "phantom: samples", blocks);
  for (Index start = 0; start < blocks; start += step) {
    const Index end = std::min(blocks, start + step);
    detail::parallel_for(ctx, "phantom: samples", start, end, [&](Index block) {
      const Index first = block * block_samples;
      const Eigen::MatrixXcd values = block_of(first, std::min(block_samples, samples - first));
      for (Index channel = 0; channel < channels; ++channel) {
        for (Index i = 0; i < values.cols(); ++i) {
          out[channel * samples + first + i] = std::complex<Real>(values(channel, i));
        }
      }
    });
    stage.advance(end - start);
  }
  return result;
}

Array<std::complex<double>> phantom_samples(const Context& ctx, const Phantom& phantom,
                                            const std::array<Index, 3>& matrix, ArrayRef<const double> points) {
  auto samples = phantom_coil_samples<double>(ctx, phantom, uniform_phantom_coil(ctx, matrix), points);
  samples.reshape({points.extent(0)});
  return samples;
}

template Array<std::complex<float>> phantom_coil_samples(const Context&, const Phantom&, const PhantomCoils&,
                                                         ArrayRef<const double>);
template Array<std::complex<double>> phantom_coil_samples(const Context&, const Phantom&, const PhantomCoils&,
                                                          ArrayRef<const double>);

}  // namespace whorl
