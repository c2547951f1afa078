// The operator of ESPIRiT from the singular vectors of the calibration's patches.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "backend/cpu/coils/signal_space.hpp"
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

struct PatchSizes {
  Index patches = 1;  // of the calibration region
  Index rows;         // of a patch of all coils
};

PatchSizes patch_sizes(Index coils, const std::array<Index, 3>& calibration, const std::array<Index, 3>& kernel) {
  PatchSizes sizes{1, coils};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    sizes.patches *= calibration[axis] - kernel[axis] + 1;
    sizes.rows *= kernel[axis];
  }
  return sizes;
}

// The singular vectors of the patches A are the eigenvectors of A A^H. They are also A v / sigma with the eigenvectors
// v of A^H A, but then orthonormal only to rounding times the largest over the smallest used eigenvalue: 1e-8 leaves 8
// digits.
bool takes_small_gram(const PatchSizes& sizes, double singular_value_threshold) {
  constexpr double least_eigenvalue = 1e-8;
  return sizes.patches < sizes.rows && singular_value_threshold * singular_value_threshold >= least_eigenvalue;
}

// The patches of a calibration region.
template <class Real>
class Patches {
 public:
  explicit Patches(const kernels::EspiritCalibration<Real>& calibration)
      : data_(calibration.data,
              {calibration.coils, calibration.extent[0], calibration.extent[1], calibration.extent[2]}),
        kernel_(calibration.kernel),
        sizes_(patch_sizes(calibration.coils, calibration.extent, calibration.kernel)) {}

  const PatchSizes& sizes() const { return sizes_; }

  // Patches from number `first` on, one in each column.
  template <class Columns>
  void copy(Index first, Columns&& columns) const {
    for (Eigen::Index column = 0; column < columns.cols(); ++column) {
      copy_patch(data_, kernel_, first + column, columns.col(column));
    }
  }

 private:
  View<const std::complex<Real>, 4> data_;
  std::array<Index, 3> kernel_;
  PatchSizes sizes_;
};

// sum over all patches a of a a^H. Each thread has its own sum. Only the lower triangle is set.
template <class Real>
Matrix<double> gram_of_patches(const Context& ctx, const Patches<Real>& patches) {
  const auto [count_of_patches, size] = patches.sizes();
  const Index blocks = divide_up(count_of_patches, patches_at_once);
  const Index parts = std::min<Index>(ctx.threads(), blocks);
  std::vector<Matrix<double>> grams(static_cast<std::size_t>(parts), Matrix<double>::Zero(size, size));
  std::vector<Matrix<double>> columns(static_cast<std::size_t>(parts), Matrix<double>(size, patches_at_once));
  ProgressStage stage(ctx, "ESPIRiT: correlations", divide_up(blocks, parts));
  for (Index first_block = 0; first_block < blocks; first_block += parts) {
    const Index end = std::min(parts, blocks - first_block);
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
    for (Index part = 0; part < end; ++part) {
      const Index first = (first_block + part) * patches_at_once;
      auto some =
          columns[static_cast<std::size_t>(part)].leftCols(std::min(patches_at_once, patches.sizes().patches - first));
      patches.copy(first, some);
      grams[static_cast<std::size_t>(part)].template selfadjointView<Eigen::Lower>().rankUpdate(some);
    }
    stage.advance();
  }
  for (std::size_t part = 1; part < grams.size(); ++part) grams.front() += grams[part];
  return std::move(grams.front());
}

// a^H b of all pairs of patches a and b. Only blocks on and below the diagonal are set.
Matrix<double> gram_between_patches(const Context& ctx, const Matrix<double>& patches) {
  const Eigen::Index count = patches.cols();
  constexpr Eigen::Index block = 64;
  Matrix<double> gram(count, count);
  ProgressStage stage(ctx, "ESPIRiT: correlations", divide_up(count, block));
  for (Eigen::Index first = 0; first < count; first += block) {
    const auto left = patches.middleCols(first, std::min(block, count - first));
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
    for (Eigen::Index other = 0; other <= first; other += block) {
      const auto right = patches.middleCols(other, std::min(block, count - other));
      gram.block(first, other, left.cols(), right.cols()).noalias() = left.adjoint() * right;
    }
    stage.advance();
  }
  return gram;
}

// Orthonormal basis of the space that the patches span: left singular vectors above the threshold.
template <class Real>
Matrix<double> signal_space(const Context& ctx, const kernels::EspiritCalibration<Real>& calibration) {
  const Patches<Real> patches(calibration);
  const double limit = calibration.singular_value_threshold * calibration.singular_value_threshold;
  if (!takes_small_gram(patches.sizes(), calibration.singular_value_threshold)) {
    return leading_eigenvectors(ctx, gram_of_patches(ctx, patches), limit).vectors;
  }
  const auto [count, rows] = patches.sizes();
  Matrix<double> all(rows, count);
  constexpr Index at_once = 16;
  const Index patches_copied = count;
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
  for (Index first = 0; first < patches_copied; first += at_once) {
    patches.copy(first, all.middleCols(first, std::min(at_once, patches_copied - first)));
  }
  LeadingEigenvectors right = leading_eigenvectors(ctx, gram_between_patches(ctx, all), limit);
  right.vectors *= right.values.cwiseSqrt().cwiseInverse().asDiagonal();
  Matrix<double> basis(rows, right.vectors.cols());
  const Index patch = rows / calibration.coils;
  const Index coils = calibration.coils;
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
  for (Index coil = 0; coil < coils; ++coil) {
    basis.middleRows(coil * patch, patch).noalias() = all.middleRows(coil * patch, patch) * right.vectors;
  }
  return basis;
}

// Row and column of a pair of coils, row >= column.
std::pair<Index, Index> coils_of_pair(Index pair) {
  Index row = 0;
  while (kernels::pair_index(row + 1, 0) <= pair) ++row;
  return {row, pair - kernels::pair_index(row, 0)};
}

template <class Real>
kernels::EspiritOperator make_espirit_operator(const Context& ctx,
                                               const kernels::EspiritCalibration<Real>& calibration) {
  const auto& kernel = calibration.kernel;
  const Matrix<double> basis = signal_space(ctx, calibration);
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
  // Enough work for each thread between two looks at the cancel flag: some hundredths of a second.
  constexpr Index products_at_once = Index{1} << 25U;
  const Index of_pair = std::max<Index>(1, patch * patch * basis.cols());
  const Index pairs_at_once = std::clamp<Index>(products_at_once / of_pair, 1, pairs) * ctx.threads();
  ProgressStage stage(ctx, "ESPIRiT: operator", pairs);
  for (Index first = 0; first < pairs; first += pairs_at_once) {
    const Index end = std::min(pairs, first + pairs_at_once);
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
    for (Index pair = first; pair < end; ++pair) {
      const auto [row, column] = coils_of_pair(pair);
      Matrix<double>& projector = blocks[static_cast<std::size_t>(omp_get_thread_num())];
      projector.noalias() = basis.middleRows(row * patch, patch) * basis.middleRows(column * patch, patch).adjoint();
      std::complex<double>* g = result.coefficients.data() + pair * terms;
      for (Index q = 0; q < patch; ++q) {
        for (Index p = 0; p < patch; ++p) {
          g[terms / 2 + offset[static_cast<std::size_t>(q)] - offset[static_cast<std::size_t>(p)]] +=
              projector(p, q) / static_cast<double>(patch);
        }
      }
    }
    stage.advance(end - first);
  }
  return result;
}

// Either the patches, their Gram matrix, its eigenvectors, and the products of both; or one of the larger Gram matrices
// for each thread, which sums its own patches. The eigenvectors of the tridiagonal matrix take little memory compared
// with these. Afterwards the polynomial, and a row of matrices for each thread, in double.
Index espirit_memory(const Context& ctx, const kernels::EspiritSizes& sizes, Index) {
  constexpr auto double_bytes = static_cast<Index>(sizeof(std::complex<double>));
  const auto [patches, rows] = patch_sizes(sizes.coils, sizes.calibration, sizes.kernel);
  Index terms = 1;
  for (const Index extent : sizes.kernel) terms *= 2 * extent - 1;
  const Index matrix = rows * rows;
  const Index large = std::max(ctx.threads() * (matrix + patches_at_once * rows), 3 * matrix);
  // A threshold so low that the large matrix is used in spite of few patches is rare, and known only later.
  const Index making = patches < rows ? 2 * rows * patches + 3 * patches * patches : large;
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
