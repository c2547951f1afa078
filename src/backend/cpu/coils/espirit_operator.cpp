// The operator of ESPIRiT from the singular vectors of the calibration's patches.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "kernels/coil_maps.hpp"
#include "math/column_product.hpp"
#include "math/leading_eigenvectors.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

namespace {

using detail::as_matrix;
using detail::ConstMatrixMap;
using detail::LeadingEigenvectors;
using detail::Matrix;
using detail::MatrixArray;
using detail::MatrixMap;

// Patches of the calibration region that are multiplied at a time.
constexpr Index patches_at_once = 128;

// Gives the elements [coil, z, y, x] of patch number `patch` of the calibration data to put(row, value).
template <class Real, class Put>
void copy_patch(const View<const std::complex<Real>, 4>& data, const std::array<Index, 3>& kernel, Index patch,
                const Put& put) {
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
          put(row++, std::complex<double>(data(coil, first_z + z, first_y + y, first_x + x)));
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
  void copy(const Context& ctx, Index first, MatrixMap columns) const {
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
    for (Index column = 0; column < columns.cols(); ++column) {
      copy_patch(data_, kernel_, first + column,
                 [&](Index row, std::complex<double> value) { columns(row, column) = value; });
    }
  }

  // The patches for products of real columns, one of each element: real and imaginary parts of all patches, x + i y, as [x, y] in
  // `plain` and [y, -x] in `turned`. So a b^* is the sum of plain_a plain_b + i turned_a plain_b.
  void copy_parts(const Context& ctx, Index first, Index count, Eigen::Map<Eigen::MatrixXd>& plain,
                  Eigen::Map<Eigen::MatrixXd>& turned) const {
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
    for (Index patch = 0; patch < count; ++patch) {
      copy_patch(data_, kernel_, first + patch, [&](Index row, std::complex<double> value) {
        plain(patch, row) = value.real();
        plain(patch + count, row) = value.imag();
        turned(patch, row) = value.imag();
        turned(patch + count, row) = -value.real();
      });
    }
  }

 private:
  View<const std::complex<Real>, 4> data_;
  std::array<Index, 3> kernel_;
  PatchSizes sizes_;
};

// Row and column of an element of a lower triangle, row >= column: of a pair of coils, or of squares of a matrix.
std::pair<Index, Index> row_and_column(Index number) {
  Index row = 0;
  while (kernels::pair_index(row + 1, 0) <= number) ++row;
  return {row, number - kernels::pair_index(row, 0)};
}

// sum over all patches a of a a^H, in squares of which each belongs to one thread. Only those on and below the diagonal are set.
// The sums do not depend on the number of threads.
template <class Real>
MatrixArray gram_of_patches(const Context& ctx, const Patches<Real>& patches) {
  constexpr Index square = 64;
  const auto [count, size] = patches.sizes();
  const Index at_once = std::min(patches_at_once, count);
  MatrixArray gram_array = zeros<std::complex<double>>(ctx, {size, size});
  Array<double> parts(ctx, {2, size, 2 * at_once});
  const auto part = [&](Index number) {
    return Eigen::Map<Eigen::MatrixXd>(parts.data() + number * size * 2 * at_once, 2 * at_once, size);
  };
  Eigen::Map<Eigen::MatrixXd> plain = part(0);
  Eigen::Map<Eigen::MatrixXd> turned = part(1);
  MatrixMap gram = as_matrix(gram_array);
  const Index squares = divide_up(size, square);
  const Index triangle = squares * (squares + 1) / 2;
  ProgressStage stage(ctx, "ESPIRiT: correlations", divide_up(count, at_once));
  for (Index first = 0; first < count; first += at_once) {
    const Index some = std::min(at_once, count - first);
    patches.copy_parts(ctx, first, some, plain, turned);
    detail::parallel_for(ctx, "ESPIRiT", 0, triangle, [&](Index number) {
      const auto [row, column] = row_and_column(number);
      const Index height = std::min(square, size - row * square);
      const Index width = std::min(square, size - column * square);
      const auto right = plain.block(0, column * square, 2 * some, width);
      auto here = gram.block(row * square, column * square, height, width);
      here.real() += detail::column_product(plain.block(0, row * square, 2 * some, height), right);
      here.imag() += detail::column_product(turned.block(0, row * square, 2 * some, height), right);
    });
    stage.advance();
  }
  return gram_array;
}

// a^H b of all pairs of patches a and b. Only blocks on and below the diagonal are set.
MatrixArray gram_between_patches(const Context& ctx, const ConstMatrixMap& patches) {
  const Index count = patches.cols();
  constexpr Index block = 64;
  MatrixArray gram_array(ctx, {count, count});
  MatrixMap gram = as_matrix(gram_array);
  ProgressStage stage(ctx, "ESPIRiT: correlations", divide_up(count, block));
  for (Index first = 0; first < count; first += block) {
    const auto left = patches.middleCols(first, std::min(block, count - first));
    detail::parallel_for(ctx, "ESPIRiT", 0, first / block + 1, [&](Index number) {
      const Index other = number * block;
      const auto right = patches.middleCols(other, std::min(block, count - other));
      gram.block(first, other, left.cols(), right.cols()).noalias() = left.adjoint() * right;
    });
    stage.advance();
  }
  return gram_array;
}

// Vectors of the basis that are summed at a time, which no number of threads changes; each thread makes as many.
constexpr Index vectors_at_once = 64;

// An orthonormal basis of the space that the patches span, in parts: left singular vectors above the threshold.
template <class Real>
class SignalSpace {
 public:
  SignalSpace(const Context& ctx, const kernels::EspiritCalibration<Real>& calibration)
      : coils_(calibration.coils),
        patches_(patches_of(ctx, calibration)),
        vectors_(ctx, "ESPIRiT: signal space", gram_of(ctx, calibration),
                 calibration.singular_value_threshold * calibration.singular_value_threshold),
        at_once_(std::min(vectors_at_once * ctx.threads(), vectors_.count())),
        made_(ctx, {at_once_, vectors_.size()}),
        basis_(patches_.size() > 0 ? MatrixArray(ctx, {at_once_, patches_.extent(1)}) : MatrixArray()) {}

  Index count() const { return vectors_.count(); }
  Index at_once() const { return at_once_; }

  // Vectors from number `first` on, until the next call.
  ConstMatrixMap vectors(const Context& ctx, Index first) {
    const Index count = std::min(at_once_, vectors_.count() - first);
    MatrixMap made(made_.data(), vectors_.size(), count);
    detail::parallel_for(ctx, "ESPIRiT", 0, divide_up(count, vectors_at_once), [&](Index part) {
      const Index start = part * vectors_at_once;
      vectors_.write(first + start, made.middleCols(start, std::min(vectors_at_once, count - start)));
    });
    if (patches_.size() == 0) return {made.data(), made.rows(), made.cols()};
    for (Index i = 0; i < count; ++i) made.col(i) /= std::sqrt(vectors_.value(first + i));
    const MatrixMap all = as_matrix(patches_);
    MatrixMap basis(basis_.data(), all.rows(), count);
    const Index patch = all.rows() / coils_;
    detail::parallel_for(ctx, "ESPIRiT", 0, coils_, [&](Index coil) {
      basis.middleRows(coil * patch, patch).noalias() = all.middleRows(coil * patch, patch) * made;
    });
    return {basis.data(), basis.rows(), basis.cols()};
  }

 private:
  // Where there are fewer than numbers of one, all patches: none otherwise.
  static MatrixArray patches_of(const Context& ctx, const kernels::EspiritCalibration<Real>& calibration) {
    const Patches<Real> patches(calibration);
    if (!takes_small_gram(patches.sizes(), calibration.singular_value_threshold)) return {};
    MatrixArray all(ctx, {patches.sizes().patches, patches.sizes().rows});
    patches.copy(ctx, 0, as_matrix(all));
    return all;
  }

  MatrixArray gram_of(const Context& ctx, const kernels::EspiritCalibration<Real>& calibration) {
    if (patches_.size() == 0) return gram_of_patches(ctx, Patches<Real>(calibration));
    const MatrixMap all = as_matrix(patches_);
    return gram_between_patches(ctx, {all.data(), all.rows(), all.cols()});
  }

  Index coils_;
  MatrixArray patches_;
  LeadingEigenvectors vectors_;
  Index at_once_;
  MatrixArray made_;
  MatrixArray basis_;
};

template <class Real>
kernels::EspiritOperator make_espirit_operator(const Context& ctx,
                                               const kernels::EspiritCalibration<Real>& calibration) {
  const auto& kernel = calibration.kernel;
  SignalSpace<Real> space(ctx, calibration);
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
  const Index of_pair = std::max<Index>(1, patch * patch * space.at_once());
  const Index pairs_at_once = std::clamp<Index>(products_at_once / of_pair, 1, pairs) * ctx.threads();
  ProgressStage stage(ctx, "ESPIRiT: operator", space.count());
  for (Index start = 0; start < space.count(); start += space.at_once()) {
    const ConstMatrixMap basis = space.vectors(ctx, start);
    for (Index first = 0; first < pairs; first += pairs_at_once) {
      const Index end = std::min(pairs, first + pairs_at_once);
      detail::parallel_for(ctx, "ESPIRiT", first, end, [&](Index pair) {
        const auto [row, column] = row_and_column(pair);
        Matrix<double>& projector = blocks[static_cast<std::size_t>(omp_get_thread_num())];
        std::complex<double>* g = result.coefficients.data() + pair * terms + terms / 2;
        for (Index part = 0; part < basis.cols(); part += vectors_at_once) {
          const auto some = basis.middleCols(part, std::min<Index>(vectors_at_once, basis.cols() - part));
          projector.noalias() = some.middleRows(row * patch, patch) * some.middleRows(column * patch, patch).adjoint();
          for (Index q = 0; q < patch; ++q) {
            std::complex<double>* const from_q = g + offset[static_cast<std::size_t>(q)];
            for (Index p = 0; p < patch; ++p) {
              from_q[-offset[static_cast<std::size_t>(p)]] += projector(p, q) / static_cast<double>(patch);
            }
          }
        }
      });
      ctx.check_cancel("ESPIRiT");
    }
    stage.advance(basis.cols());
  }
  return result;
}

// The patches where they are few, their Gram matrix, and first what it is made of, twice, then its rotations, and some vectors at a
// time. Afterwards the polynomial, and a row of matrices for each thread, in double.
Index espirit_memory(const Context& ctx, const kernels::EspiritSizes& sizes, Index) {
  constexpr auto double_bytes = static_cast<Index>(sizeof(std::complex<double>));
  const auto [patches, rows] = patch_sizes(sizes.coils, sizes.calibration, sizes.kernel);
  Index terms = 1;
  for (const Index extent : sizes.kernel) terms *= 2 * extent - 1;
  // A threshold so low that the large matrix is used in spite of few patches is rare, and known only later.
  const bool few = patches < rows;
  const Index size = std::min(patches, rows);
  const Index vectors = std::min(vectors_at_once * ctx.threads(), size);
  const Index pairs = sizes.coils * (sizes.coils + 1) / 2;
  const Index polynomial = pairs * terms * double_bytes;
  const Index solving =
      LeadingEigenvectors::most_bytes(size) + polynomial + vectors * (size + (few ? rows : 0)) * double_bytes;
  const Index making = few ? 0 : 2 * std::min(patches_at_once, patches) * rows * double_bytes;
  const Index kept = ((few ? rows * patches : 0) + size * size) * double_bytes;
  return std::max(kept + std::max(making, solving), polynomial + pairs * ctx.threads() * sizes.image[2] * double_bytes);
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
