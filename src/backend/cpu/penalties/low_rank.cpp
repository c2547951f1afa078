// Singular values of the patches of a series of images on a CPU.
#include "kernels/penalties/low_rank.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include "backend/cpu/parallel.hpp"
#include "core/parallel.hpp"
#include "math/decompositions.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

namespace {

using Matrix = detail::Matrix<double>;

std::array<Index, 3> patch_counts(const kernels::Patches& what) {
  return {divide_up(what.extent[0], what.patch[0]), divide_up(what.extent[1], what.patch[1]),
          divide_up(what.extent[2], what.patch[2])};
}

Index patch_count(const kernels::Patches& what) {
  const auto [nz, ny, nx] = patch_counts(what);
  return nz * ny * nx;
}

// The pixels of patch `number` in an image.
std::vector<Index> pixels_of_patch(const kernels::Patches& what, Index number) {
  const auto [nz, ny, nx] = patch_counts(what);
  const std::array<Index, 3> place{number / nx / ny, number / nx % ny, number % nx};
  std::array<std::vector<Index>, 3> along;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Index first = place[axis] * what.patch[axis];
    const Index last = std::min(first + what.patch[axis], what.extent[axis]);
    for (Index i = first; i < last; ++i) along[axis].push_back((i + what.shift[axis]) % what.extent[axis]);
  }
  std::vector<Index> pixels;
  for (const Index z : along[0]) {
    for (const Index y : along[1]) {
      for (const Index x : along[2]) pixels.push_back((z * what.extent[1] + y) * what.extent[2] + x);
    }
  }
  return pixels;
}

// M, transposed where it has fewer rows than columns.
template <class Real>
Matrix gathered(const kernels::Patches& what, const std::vector<Index>& pixels, const std::complex<Real>* series) {
  const Index image = what.extent[0] * what.extent[1] * what.extent[2];
  const auto rows = static_cast<Index>(pixels.size());
  const bool tall = rows >= what.images;
  Matrix matrix(tall ? rows : what.images, tall ? what.images : rows);
  for (Index t = 0; t < what.images; ++t) {
    for (Index r = 0; r < rows; ++r) {
      const std::complex<double> value = series[t * image + pixels[static_cast<std::size_t>(r)]];
      matrix(tall ? r : t, tall ? t : r) = value;
    }
  }
  return matrix;
}

template <class Real>
void scatter(const kernels::Patches& what, const std::vector<Index>& pixels, const Matrix& matrix,
             std::complex<Real>* series) {
  const Index image = what.extent[0] * what.extent[1] * what.extent[2];
  const auto rows = static_cast<Index>(pixels.size());
  const bool tall = rows >= what.images;
  for (Index t = 0; t < what.images; ++t) {
    for (Index r = 0; r < rows; ++r) {
      series[t * image + pixels[static_cast<std::size_t>(r)]] =
          static_cast<std::complex<Real>>(matrix(tall ? r : t, tall ? t : r));
    }
  }
}

// Calls work(number, pixels) for each patch.
template <class Work>
void for_patches(const Context& ctx, const kernels::Patches& what, const Work& work) {
  const Index patches = patch_count(what);
  const Index operations = 32 * what.images * what.rank() * what.extent[0] * what.extent[1] * what.extent[2];
  detail::parallel_for(ctx, threads_for(ctx, operations), "low rank", 0, patches,
                       [&](Index number) { work(number, pixels_of_patch(what, number)); });
}

template <class Real>
double shrink_singular_values(const Context& ctx, const kernels::Patches& what, double threshold,
                              std::complex<Real>* series) {
  std::vector<double> of_patch(static_cast<std::size_t>(patch_count(what)));
  for_patches(ctx, what, [&](Index number, const std::vector<Index>& pixels) {
    const Matrix matrix = gathered(what, pixels, series);
    auto [factors, vectors] = detail::eigenpairs(Matrix(matrix.adjoint() * matrix));
    for (double& factor : factors) {
      const double singular = std::sqrt(std::max(factor, 0.0));
      of_patch[static_cast<std::size_t>(number)] += std::max(singular - threshold, 0.0);
      factor = singular > threshold ? 1 - threshold / singular : 0;
    }
    scatter(what, pixels, Matrix(matrix * (vectors * factors.asDiagonal() * vectors.adjoint())), series);
  });
  return std::accumulate(of_patch.begin(), of_patch.end(), 0.0);
}

template <class Real>
double nuclear_norm(const Context& ctx, const kernels::Patches& what, const std::complex<Real>* series) {
  std::vector<double> of_patch(static_cast<std::size_t>(patch_count(what)));
  for_patches(ctx, what, [&](Index number, const std::vector<Index>& pixels) {
    const Matrix matrix = gathered(what, pixels, series);
    const Eigen::VectorXd squares = detail::eigenvalues(matrix.adjoint() * matrix);
    of_patch[static_cast<std::size_t>(number)] = squares.cwiseMax(0).cwiseSqrt().sum();
  });
  return std::accumulate(of_patch.begin(), of_patch.end(), 0.0);
}

}  // namespace

void register_low_rank() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::shrink_singular_values<Real>.set(DeviceKind::cpu, shrink_singular_values<Real>);
    kernels::nuclear_norm<Real>.set(DeviceKind::cpu, nuclear_norm<Real>);
  });
}

}  // namespace whorl::backend::cpu
