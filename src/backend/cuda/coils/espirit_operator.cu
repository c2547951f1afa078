// The operator of ESPIRiT from the projector on the space of the calibration's patches, using only matrix products.
//
// The eigenvectors themselves are not needed. The projector on those whose eigenvalue of the Gram matrix G exceeds a
// limit is (1 + sign(G - limit))/2. The sign of a Hermitian matrix is the limit of Newton and Schulz' iteration
// X <- X (3 - X^2)/2; its steps are scaled here as in Chen and Chow, "A stable scaling of Newton-Schulz for improving
// the sign function computation of a Hermitian matrix" (Argonne National Laboratory, ANL/MCS-P5059-0114, 2014).
//
// Coil maps and weights on a GPU: Coil-by-coil matrices are computed on the device and processed on the host. ESPIRiT's
// projector is the sign function of the calibration's Gram matrix, which takes only matrix products
// (backend/cuda/coils/espirit_operator). The eigenvectors of all voxels, for ESPIRiT and Walsh's method, come from
// repeated squaring of each matrix in shared memory (dominant_vectors). Voronoi cells, analytic weights and the choice
// of the samples at the edge of k-space stay on the host.
#include <algorithm>
#include <cmath>
#include <utility>

#include "backend/cuda/coils/hermitian_product.hpp"
#include "backend/cuda/coils/row_batches.hpp"
#include "backend/cuda/device/block_sum.cuh"
#include "backend/cuda/device/complex.cuh"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "kernels/blas1.hpp"
#include "kernels/coil_maps.hpp"

namespace whorl::backend::cuda {

namespace {

using Complex = std::complex<double>;

// Patches of the calibration region that are multiplied at a time.
constexpr Index patches_at_once = 2048;

struct Patches {
  int coils;
  int3 extent;  // of the calibration region
  int3 kernel;
  __host__ __device__ int patch() const { return kernel.x * kernel.y * kernel.z; }
  __host__ __device__ int rows() const { return coils * patch(); }
  __host__ __device__ Index count() const {
    return Index{extent.x - kernel.x + 1} * (extent.y - kernel.y + 1) * (extent.z - kernel.z + 1);
  }
};

// Patches from number `first` on as columns [coil, z, y, x].
template <class Real>
__global__ void copy_patches(Patches patches, const Complex2<Real>* __restrict__ data, Index first, Index count,
                             double2* __restrict__ columns) {
  const int rows = patches.rows();
  const int3 extent = patches.extent;
  const int along_x = extent.x - patches.kernel.x + 1;
  const int along_y = extent.y - patches.kernel.y + 1;
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count * rows; i += stride) {
    const auto row = static_cast<int>(i % rows);
    const auto number = static_cast<int>(first + i / rows);
    const int coil = row / patches.patch();
    const int in_patch = row % patches.patch();
    const int x = number % along_x + in_patch % patches.kernel.x;
    const int y = number / along_x % along_y + in_patch / patches.kernel.x % patches.kernel.y;
    const int z = number / along_x / along_y + in_patch / patches.kernel.x / patches.kernel.y;
    const Complex2<Real> value = data[((Index{coil} * extent.z + z) * extent.y + y) * extent.x + x];
    columns[i] = {value.x, value.y};
  }
}

__global__ void __launch_bounds__(loop_threads) trace_kernel(int n, const double2* matrix, double* trace) {
  double sum = 0;
  for (int i = threadIdx.x; i < n; i += loop_threads) sum += matrix[Index{i} * n + i].x;
  sum = block_sum<loop_threads>(sum);
  if (threadIdx.x == 0) *trace = sum;
}

__global__ void divide(Index count, const double* __restrict__ divisor, double2* values) {
  const double factor = 1 / *divisor;
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    values[i] = {factor * values[i].x, factor * values[i].y};
  }
}

// to = a from + b
__global__ void scale_and_shift(int n, double a, double b, const double2* from, double2* to) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < Index{n} * n; i += stride) {
    const double2 value = from[i];
    to[i] = {a * value.x + (i % n == i / n ? b : 0), a * value.y};
  }
}

// g_cd(delta) = 1/patch sum over p of P_(c,p),(d,p+delta), P = (1 + sign)/2. Blocks along y: pairs.
__global__ void coefficients_kernel(Patches patches, const double2* __restrict__ sign, double2* __restrict__ g) {
  const int3 kernel = patches.kernel;
  const int3 support{2 * kernel.x - 1, 2 * kernel.y - 1, 2 * kernel.z - 1};
  const int terms = support.x * support.y * support.z;
  const int term = blockIdx.x * blockDim.x + threadIdx.x;
  if (term >= terms) return;
  const int3 delta{term % support.x - kernel.x + 1, term / support.x % support.y - kernel.y + 1,
                   term / support.x / support.y - kernel.z + 1};
  int c = 0;
  while ((c + 1) * (c + 2) / 2 <= static_cast<int>(blockIdx.y)) ++c;
  const int d = static_cast<int>(blockIdx.y) - c * (c + 1) / 2;
  const int n = patches.rows();
  double2 sum{0, 0};
  for (int z = max(0, -delta.z); z < min(kernel.z, kernel.z - delta.z); ++z) {
    for (int y = max(0, -delta.y); y < min(kernel.y, kernel.y - delta.y); ++y) {
      for (int x = max(0, -delta.x); x < min(kernel.x, kernel.x - delta.x); ++x) {
        const int row = c * patches.patch() + (z * kernel.y + y) * kernel.x + x;
        const int column = d * patches.patch() + ((z + delta.z) * kernel.y + y + delta.y) * kernel.x + x + delta.x;
        // Element (row, column) of a Hermitian matrix, read so that neighboring threads read neighboring elements.
        const double2 value = sign[Index{row} * n + column];
        sum = {sum.x + value.x + (row == column ? 1 : 0), sum.y - value.y};
      }
    }
  }
  g[Index{blockIdx.y} * terms + term] = {0.5 * sum.x / patches.patch(), 0.5 * sum.y / patches.patch()};
}

/// Hermitian matrices of one extent, [n, n].
class Matrices {
 public:
  Matrices(const Context& ctx, Index n) : ctx_(ctx), n_(n), trace_(ctx, {1}) {}

  Array<Complex> make() const { return Array<Complex>(ctx_, {n_, n_}); }

  /// of matrices that commute
  void product(const Array<Complex>& a, const Array<Complex>& b, Array<Complex>& c) const {
    hermitian_product(ctx_, n_, n_, a.data(), b.data(), 0, c.data());
  }

  void divide_by_trace(Array<Complex>& a) {
    launch(ctx_, "trace", trace_kernel, {1, loop_threads}, static_cast<int>(n_), as_device(a.data()), trace_.data());
    launch_loop(ctx_, "divide", divide, a.size(), a.size(), trace_.data(), as_device(a.data()));
  }

  /// to = a from + b
  void scaled_and_shifted(double a, double b, const Array<Complex>& from, Array<Complex>& to) const {
    launch_loop(ctx_, "scale_and_shift", scale_and_shift, from.size(), static_cast<int>(n_), a, b,
                as_device(from.data()), as_device(to.data()));
  }

  /// Largest eigenvalue of a matrix without negative eigenvalues: the Rayleigh quotient of its 2^20-th power, in which
  /// only eigenvalues that agree with the largest to six digits are left.
  double largest_eigenvalue(const Array<Complex>& a) {
    constexpr int squarings = 20;
    Array<Complex> power = clone<const Complex>(ctx_, a);
    Array<Complex> next = make();
    divide_by_trace(power);
    for (int i = 0; i < squarings; ++i) {
      product(power, power, next);
      std::swap(power, next);
      divide_by_trace(power);
    }
    return kernels::dot<double>(ctx_, a.size(), power.data(), a.data()).real();
  }

  /// The sign of a matrix with eigenvalues in [-1, 1], computed in its memory. For eigenvalues within 1e-10 of 0 the
  /// result may lie between -1 and 1.
  Array<Complex> sign(Array<Complex> x) {
    constexpr double least = 1e-10;
    constexpr double largest_scale = 1.69770248525577;  // a larger one would make eigenvalues at 1 small
    Array<Complex> factor = make();
    Array<Complex> next = make();
    for (double l = least; 1 - l > 1e-15;) {
      const double scale = std::min(largest_scale, std::sqrt(3 / (1 + l + l * l)));
      const double cube = scale * scale * scale;
      product(x, x, next);
      scaled_and_shifted(-0.5 * cube, 1.5 * scale, next, factor);
      product(x, factor, next);
      std::swap(x, next);
      l = 1.5 * scale * l - 0.5 * cube * l * l * l;
    }
    return x;
  }

 private:
  const Context& ctx_;
  Index n_;
  Array<double> trace_;
};

// sum over all patches a of a a^H
template <class Real>
Array<Complex> gram_of_patches(const Context& ctx, const Patches& patches, const std::complex<Real>* data) {
  const int n = patches.rows();
  Array<Complex> gram(ctx, {n, n});
  Array<Complex> columns(ctx, {std::min(patches.count(), patches_at_once), n});
  ProgressStage stage(ctx, "ESPIRiT: correlations", divide_up(patches.count(), patches_at_once));
  for (Index first = 0; first < patches.count(); first += patches_at_once) {
    const Index count = std::min(patches_at_once, patches.count() - first);
    launch_loop(ctx, "copy_patches", copy_patches<Real>, count * n, patches, as_device(data), first, count,
                as_device(columns.data()));
    hermitian_product(ctx, n, count, columns.data(), columns.data(), first == 0 ? 0 : 1, gram.data());
    stage.advance();
  }
  return gram;
}

template <class Real>
kernels::EspiritOperator make_espirit_operator(const Context& ctx,
                                               const kernels::EspiritCalibration<Real>& calibration) {
  const auto to_int3 = [](const std::array<Index, 3>& zyx) {
    return int3{static_cast<int>(zyx[2]), static_cast<int>(zyx[1]), static_cast<int>(zyx[0])};
  };
  const Patches patches{static_cast<int>(calibration.coils), to_int3(calibration.extent), to_int3(calibration.kernel)};
  Array<Complex> gram = gram_of_patches(ctx, patches, calibration.data);
  Matrices matrices(ctx, patches.rows());
  const double largest = matrices.largest_eigenvalue(gram);
  ctx.check_cancel("ESPIRiT");
  // Eigenvalues are squares of the singular values.
  const double threshold = calibration.singular_value_threshold * calibration.singular_value_threshold;
  Array<Complex> shifted = matrices.make();
  matrices.scaled_and_shifted(1 / largest, -threshold, gram, shifted);
  const Array<Complex> sign = matrices.sign(std::move(shifted));

  kernels::EspiritOperator result;
  result.coils = calibration.coils;
  for (std::size_t axis = 0; axis < 3; ++axis) result.support[axis] = 2 * calibration.kernel[axis] - 1;
  const Index terms = result.support[0] * result.support[1] * result.support[2];
  const Index pairs = result.coils * (result.coils + 1) / 2;
  result.coefficients = Array<Complex>(ctx, {pairs, terms});
  const dim3 blocks = grid_of(divide_up(terms, loop_threads), pairs);
  launch(ctx, "espirit_coefficients", coefficients_kernel, {blocks, loop_threads}, patches, as_device(sign.data()),
         as_device(result.coefficients.data()));
  return result;
}

// First the patches and the Gram matrix, which is summed from them; then the matrices of the sign's iteration; then the
// polynomial and the part of the maps' matrices that is evaluated at a time.
Index espirit_memory(const Context&, const kernels::EspiritSizes& sizes, Index real_bytes) {
  constexpr auto double_bytes = static_cast<Index>(sizeof(std::complex<double>));
  Index rows = sizes.coils;
  Index patches = 1;
  Index terms = 1;
  std::array<Index, 3> support{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    rows *= sizes.kernel[axis];
    patches *= sizes.calibration[axis] - sizes.kernel[axis] + 1;
    support[axis] = 2 * sizes.kernel[axis] - 1;
    terms *= support[axis];
  }
  constexpr Index matrices_of_sign = 4;
  const Index making =
      std::max(matrices_of_sign * rows * rows, rows * rows + std::min(patches, patches_at_once) * rows);

  const Index pairs = sizes.coils * (sizes.coils + 1) / 2;
  const auto& image = sizes.image;
  Index evaluating = 0;
  for_each_row_batch(image, row_batch_bytes / (pairs * image[2] * 2 * real_bytes), [&](const RowBatch& batch) {
    const Index of_slices = batch.slices * pairs * support[1] * support[2];
    const Index of_rows = batch.slices * batch.rows * pairs * support[2];
    const Index matrices = pairs * batch.voxels(image) * 2 * real_bytes;
    evaluating = std::max(evaluating, (of_slices + of_rows) * double_bytes + matrices);
  });
  return std::max(making * double_bytes, pairs * terms * double_bytes + evaluating);
}

}  // namespace

void register_espirit_operator() {
  kernels::espirit_memory.set(DeviceKind::cuda, espirit_memory);
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::make_espirit_operator<Real>.set(DeviceKind::cuda, make_espirit_operator<Real>);
  });
}

}  // namespace whorl::backend::cuda
