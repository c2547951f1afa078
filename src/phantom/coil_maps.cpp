// Maps of the coils: a row of voxels at a time, as a product of matrices.
#include <complex>

#include "core/parallel.hpp"
#include "phantom/checks.hpp"
#include "phantom/figure_transform.hpp"
#include "whorl/phantom/coils.hpp"

namespace whorl {
namespace {

using RowMajor = Eigen::Matrix<std::complex<double>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

PhantomCoils uniform_phantom_coil(const Context& ctx, const std::array<Index, 3>& matrix) {
  PhantomCoils coil{matrix, zeros<double>(ctx, {1, detail::matrix_dim(matrix)}),
                    Array<std::complex<double>>(ctx, {1, 1})};
  coil.coefficients.data()[0] = 1;
  return coil;
}

template <Precision Real>
Array<std::complex<Real>> phantom_coil_maps(const Context& ctx, const PhantomCoils& coils) {
  const auto& matrix = coils.matrix;
  const Shape shape = detail::matrix_shape(matrix);
  const auto q = coils.frequencies.view<2>();
  const Eigen::Map<const RowMajor> a(coils.coefficients.data(), coils.coefficients.extent(0), q.extent(0));
  Array<std::complex<Real>> maps(ctx, shape.with_front(a.rows()));
  const Index voxels = shape.size();
  std::complex<Real>* out = maps.data();

  const auto cycles = [&](Index term, Index axis, Index voxel) {
    const Index center = matrix[static_cast<std::size_t>(axis)] / 2;
    return axis < q.extent(1) ? q(term, axis) * static_cast<double>(voxel - center) : 0;
  };
  Eigen::MatrixXd along_x(q.extent(0), matrix[0]);
  for (Index term = 0; term < q.extent(0); ++term) {
    for (Index x = 0; x < matrix[0]; ++x) along_x(term, x) = cycles(term, 0, x);
  }
  const Eigen::MatrixXcd phases = detail::turned(along_x);

  ProgressStage stage(ctx, "phantom: coil maps", matrix[2]);
  for (Index z = 0; z < matrix[2]; ++z) {
    detail::parallel_for(ctx, "phantom: coil maps", 0, matrix[1], [&](Index y) {
      Eigen::MatrixXd of_row(q.extent(0), 1);
      for (Index term = 0; term < q.extent(0); ++term) of_row(term) = cycles(term, 1, y) + cycles(term, 2, z);
      const Eigen::MatrixXcd row = a * detail::turned(of_row).asDiagonal() * phases;
      for (Index coil = 0; coil < row.rows(); ++coil) {
        std::complex<Real>* target = out + coil * voxels + (z * matrix[1] + y) * matrix[0];
        for (Index x = 0; x < matrix[0]; ++x) target[x] = std::complex<Real>(row(coil, x));
      }
    });
    stage.advance();
  }
  return maps;
}

template Array<std::complex<float>> phantom_coil_maps(const Context&, const PhantomCoils&);
template Array<std::complex<double>> phantom_coil_maps(const Context&, const PhantomCoils&);

}  // namespace whorl
