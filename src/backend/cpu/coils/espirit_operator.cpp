// The operator of ESPIRiT from the eigenvectors of the calibration's Gram matrix.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/coil_maps.hpp"
#include "math/matrix_types.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

namespace {

using detail::Matrix;

// Patches of the calibration region that a thread multiplies at a time.
constexpr Index patches_at_once = 256;

// Copies patch number `patch` of the calibration data to a column [coil, z, y, x].
template <class Real, class Column>
void copy_patch(const View<const std::complex<Real>, 4>& data, const std::array<Index, 3>& kernel, Index patch,
                Column column) {
  const Index along_x = data.extent(3) - kernel[2] + 1;
  const Index along_y = data.extent(2) - kernel[1] + 1;
  const Index first_x = patch % along_x;
  const Index first_y = patch / along_x % along_y;
  const Index first_z = patch / along_x / along_y;
  Eigen::Index row = 0;
  for (Index coil = 0; coil < data.extent(0); ++coil) {
    for (Index z = 0; z < kernel[0]; ++z) {
      for (Index y = 0; y < kernel[1]; ++y) {
        for (Index x = 0; x < kernel[2]; ++x) {
          column(row++) = std::complex<double>(data(coil, first_z + z, first_y + y, first_x + x));
        }
      }
    }
  }
}

// sum over all patches a of a a^H. Each thread has its own sum. Only the lower triangle is set.
template <class Real>
Matrix<double> gram_of_patches(const Context& ctx, const kernels::EspiritCalibration<Real>& calibration) {
  const auto& kernel = calibration.kernel;
  const auto [nz, ny, nx] = calibration.extent;
  const View<const std::complex<Real>, 4> data(calibration.data, {calibration.coils, nz, ny, nx});
  Index patches = 1;
  Index size = data.extent(0);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    patches *= data.extent(static_cast<int>(axis) + 1) - kernel[axis] + 1;
    size *= kernel[axis];
  }
  const Index blocks = divide_up(patches, patches_at_once);
  const Index parts = std::min<Index>(ctx.threads(), blocks);
  std::vector<Matrix<double>> grams(static_cast<std::size_t>(parts), Matrix<double>::Zero(size, size));
  std::vector<Matrix<double>> columns(static_cast<std::size_t>(parts), Matrix<double>(size, patches_at_once));
  ProgressStage stage(ctx, "ESPIRiT: correlations", divide_up(blocks, parts));
  for (Index first_block = 0; first_block < blocks; first_block += parts) {
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
    for (Index part = 0; part < std::min(parts, blocks - first_block); ++part) {
      auto& some = columns[static_cast<std::size_t>(part)];
      const Index first = (first_block + part) * patches_at_once;
      const Index count = std::min(patches_at_once, patches - first);
      for (Index column = 0; column < count; ++column) copy_patch(data, kernel, first + column, some.col(column));
      grams[static_cast<std::size_t>(part)].template selfadjointView<Eigen::Lower>().rankUpdate(some.leftCols(count));
    }
    stage.advance();
  }
  for (std::size_t part = 1; part < grams.size(); ++part) grams.front() += grams[part];
  return std::move(grams.front());
}

// Orthonormal basis of the space that the patches span: eigenvectors above the threshold.
Matrix<double> signal_space(const Matrix<double>& gram, double singular_value_threshold) {
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> eigen(gram);
  const auto& values = eigen.eigenvalues();  // rising, squares of the singular values
  const double limit = singular_value_threshold * singular_value_threshold * values(values.size() - 1);
  const auto first = std::lower_bound(values.begin(), values.end(), limit);
  return eigen.eigenvectors().rightCols(values.end() - first);
}

template <class Real>
kernels::EspiritOperator make_espirit_operator(const Context& ctx,
                                               const kernels::EspiritCalibration<Real>& calibration) {
  const auto& kernel = calibration.kernel;
  const Matrix<double> basis = signal_space(gram_of_patches(ctx, calibration), calibration.singular_value_threshold);
  ctx.check_cancel("ESPIRiT");
  const Index patch = kernel[0] * kernel[1] * kernel[2];
  kernels::EspiritOperator result;
  result.coils = calibration.coils;
  for (std::size_t axis = 0; axis < 3; ++axis) result.support[axis] = 2 * kernel[axis] - 1;
  const Index terms = result.support[0] * result.support[1] * result.support[2];
  const Index pairs = result.coils * (result.coils + 1) / 2;
  result.coefficients = zeros<std::complex<double>>(ctx, {pairs, terms});

  // Position of p' - p in `support` is that of p' minus that of p plus a constant.
  std::vector<Index> offset(static_cast<std::size_t>(patch));
  for (Index p = 0; p < patch; ++p) {
    const Index z = p / (kernel[2] * kernel[1]);
    const Index y = p / kernel[2] % kernel[1];
    offset[static_cast<std::size_t>(p)] = (z * result.support[1] + y) * result.support[2] + p % kernel[2];
  }
  std::vector<Matrix<double>> blocks(static_cast<std::size_t>(ctx.threads()), Matrix<double>(patch, patch));
#pragma omp parallel for num_threads(ctx.threads()) schedule(dynamic)
  for (Index row = 0; row < result.coils; ++row) {
    Matrix<double>& projector = blocks[static_cast<std::size_t>(omp_get_thread_num())];
    for (Index column = 0; column <= row; ++column) {
      projector.noalias() = basis.middleRows(row * patch, patch) * basis.middleRows(column * patch, patch).adjoint();
      std::complex<double>* g = result.coefficients.data() + kernels::pair_index(row, column) * terms;
      for (Index q = 0; q < patch; ++q) {
        for (Index p = 0; p < patch; ++p) {
          g[terms / 2 + offset[static_cast<std::size_t>(q)] - offset[static_cast<std::size_t>(p)]] +=
              projector(p, q) / static_cast<double>(patch);
        }
      }
    }
  }
  return result;
}

// Each thread sums the Gram matrix of its own patches; its eigenvectors are found in a copy, and those of the signal
// copied once more. Then the polynomial and a row of matrices for each thread, in double.
Index espirit_memory(const Context& ctx, const kernels::EspiritSizes& sizes, Index) {
  constexpr auto double_bytes = static_cast<Index>(sizeof(std::complex<double>));
  Index rows = sizes.coils;
  Index terms = 1;
  for (const Index extent : sizes.kernel) {
    rows *= extent;
    terms *= 2 * extent - 1;
  }
  const Index matrix = rows * rows;
  const Index making = std::max(ctx.threads() * (matrix + patches_at_once * rows), 3 * matrix);
  const Index pairs = sizes.coils * (sizes.coils + 1) / 2;
  return double_bytes * std::max(making, pairs * (terms + ctx.threads() * sizes.image[2]));
}

}  // namespace

void register_espirit_operator() {
  kernels::espirit_memory.set(DeviceKind::cpu, espirit_memory);
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::make_espirit_operator<Real>.set(DeviceKind::cpu, make_espirit_operator<Real>);
  });
}

}  // namespace whorl::backend::cpu
