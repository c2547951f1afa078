// Singular values of the patches of a series of images on a GPU: a block for each patch. The eigenvalues of its Gram
// matrix, which lies in shared memory, come from Jacobi's method with rotations of disjoint pairs at a time.
#include "kernels/penalties/low_rank.hpp"

#include "backend/cuda/device/block_sum.cuh"
#include "backend/cuda/device/complex.cuh"
#include "backend/cuda/device/total.cuh"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

constexpr int threads = 256;
constexpr int most_sweeps = 30;         // Jacobi converges quadratically; about 8 sweeps suffice
constexpr double off_diagonal = 1e-28;  // it ends at this fraction of the energy off the diagonal
constexpr int rows_at_once = 8;         // of M, when it is multiplied

// kernels::Patches in the form for kernels.
struct PatchLayout {
  int images;
  int extent[3];
  int patch[3];
  int shift[3];
  int count[3];
  int side;  // of the matrices in shared memory, even

  __device__ Index image() const { return Index{extent[0]} * extent[1] * extent[2]; }
};

PatchLayout layout_of(const kernels::Patches& what) {
  PatchLayout layout{};
  layout.images = static_cast<int>(what.images);
  for (int axis = 0; axis < 3; ++axis) {
    layout.extent[axis] = static_cast<int>(what.extent[axis]);
    layout.patch[axis] = static_cast<int>(what.patch[axis]);
    layout.shift[axis] = static_cast<int>(what.shift[axis]);
    layout.count[axis] = divide_up(layout.extent[axis], layout.patch[axis]);
  }
  layout.side = static_cast<int>(round_up(what.rank(), Index{2}));
  return layout;
}

Index patches_of(const PatchLayout& layout) { return Index{layout.count[0]} * layout.count[1] * layout.count[2]; }

// The patch of this block.
struct Patch {
  int first[3];
  int size[3];
  int pixels;
  bool tall;  // pixels are rows of the matrix A, images its columns; else the other way round
  int rows;
  int columns;

  __device__ explicit Patch(const PatchLayout& what) {
    int rest = blockIdx.x;
    pixels = 1;
#pragma unroll
    for (int axis = 2; axis >= 0; --axis) {
      const int place = rest % what.count[axis];
      rest /= what.count[axis];
      const int begin = place * what.patch[axis];
      first[axis] = begin + what.shift[axis];
      size[axis] = min(what.patch[axis], what.extent[axis] - begin);
      pixels *= size[axis];
    }
    tall = pixels >= what.images;
    rows = tall ? pixels : what.images;
    columns = tall ? what.images : pixels;
  }

  // Where the element of A is in the series.
  __device__ Index place(const PatchLayout& what, int row, int column) const {
    const int image = tall ? column : row;
    int rest = tall ? row : column;
    int at[3];
#pragma unroll
    for (int axis = 2; axis >= 0; --axis) {
      at[axis] = (first[axis] + rest % size[axis]) % what.extent[axis];
      rest /= size[axis];
    }
    return image * what.image() + (Index{at[0]} * what.extent[1] + at[1]) * what.extent[2] + at[2];
  }
};

struct Rotation {
  double c;
  double s;
  double2 phase;  // of the element that becomes 0
};

// The pairs of a round, as in a tournament of `side` players: all pairs meet once in side - 1 rounds.
__device__ void pair_of_round(int side, int round, int number, int& p, int& q) {
  const int others = side - 1;
  p = number == 0 ? others : (round + number) % others;
  q = (round + others - number) % others;
  if (p > q) {
    const int larger = p;
    p = q;
    q = larger;
  }
}

// gram = A^H A, with zeros beyond A's columns.
template <class Real>
__device__ void make_gram(const PatchLayout& what, const Patch& patch, const Complex2<Real>* series, double2* gram) {
  const int side = what.side;
  for (int t = threadIdx.x; t < side * side; t += threads) {
    const int i = t / side;
    const int j = t % side;
    if (i > j) continue;
    double2 sum{0, 0};
    if (j < patch.columns) {
      for (int row = 0; row < patch.rows; ++row) {
        const Complex2<Real> a = series[patch.place(what, row, i)];
        const Complex2<Real> b = series[patch.place(what, row, j)];
        sum = conjugate_multiply_add(double2{double(a.x), double(a.y)}, double2{double(b.x), double(b.y)}, sum);
      }
    }
    if (i == j) sum.y = 0;
    gram[i * side + j] = sum;
    gram[j * side + i] = {sum.x, -sum.y};
  }
  __syncthreads();
}

// x, y = c x - s conj(phase) y, s x + c conj(phase) y
__device__ void rotate(const Rotation& by, double2& x, double2& y) {
  const double2 turned{by.phase.x * y.x + by.phase.y * y.y, by.phase.x * y.y - by.phase.y * y.x};
  const double2 first{by.c * x.x - by.s * turned.x, by.c * x.y - by.s * turned.y};
  y = {by.s * x.x + by.c * turned.x, by.s * x.y + by.c * turned.y};
  x = first;
}

// Makes `gram` diagonal, so that it holds its eigenvalues. `vectors`, if not null, gets the eigenvectors as columns.
__device__ void diagonalize(int side, double2* gram, double2* vectors, Rotation* rotations) {
  __shared__ double beside;
  __shared__ double all;
  const int pairs = side / 2;
  if (vectors != nullptr) {
    for (int t = threadIdx.x; t < side * side; t += threads) vectors[t] = {t / side == t % side ? 1.0 : 0.0, 0};
  }
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double off = 0;
    double total = 0;
    for (int t = threadIdx.x; t < side * side; t += threads) {
      const double energy = gram[t].x * gram[t].x + gram[t].y * gram[t].y;
      total += energy;
      if (t / side != t % side) off += energy;
    }
    off = block_sum<threads>(off);
    total = block_sum<threads>(total);
    if (threadIdx.x == 0) {
      beside = off;
      all = total;
    }
    __syncthreads();
    const bool done = beside <= off_diagonal * all;
    __syncthreads();
    if (done) return;
    for (int round = 0; round + 1 < side; ++round) {
      for (int t = threadIdx.x; t < pairs; t += threads) {
        int p;
        int q;
        pair_of_round(side, round, t, p, q);
        const double2 g = gram[p * side + q];
        const double size = sqrt(g.x * g.x + g.y * g.y);
        Rotation by{1, 0, {1, 0}};
        if (size > 0) {
          const double tau = (gram[q * side + q].x - gram[p * side + p].x) / (2 * size);
          const double tangent = (tau >= 0 ? 1.0 : -1.0) / (fabs(tau) + sqrt(1 + tau * tau));
          by.c = 1 / sqrt(1 + tangent * tangent);
          by.s = tangent * by.c;
          by.phase = {g.x / size, g.y / size};
        }
        rotations[t] = by;
      }
      __syncthreads();
      // Columns, of the matrix and of the vectors.
      for (int t = threadIdx.x; t < pairs * side; t += threads) {
        const int row = t / pairs;
        int p;
        int q;
        pair_of_round(side, round, t % pairs, p, q);
        rotate(rotations[t % pairs], gram[row * side + p], gram[row * side + q]);
        if (vectors != nullptr) rotate(rotations[t % pairs], vectors[row * side + p], vectors[row * side + q]);
      }
      __syncthreads();
      // Rows, by the conjugate.
      for (int t = threadIdx.x; t < pairs * side; t += threads) {
        const int column = t % side;
        Rotation by = rotations[t / side];
        by.phase.y = -by.phase.y;
        int p;
        int q;
        pair_of_round(side, round, t / side, p, q);
        rotate(by, gram[p * side + column], gram[q * side + column]);
      }
      __syncthreads();
    }
  }
}

__device__ double singular_value(const double2* gram, int side, int i) { return sqrt(fmax(gram[i * side + i].x, 0.0)); }

template <class Real>
__global__ void __launch_bounds__(threads)
    shrink_patches(PatchLayout what, double threshold, Complex2<Real>* series, double* partial) {
  extern __shared__ double2 memory[];
  const Patch patch(what);
  const int side = what.side;
  double2* const gram = memory;
  double2* const vectors = gram + side * side;
  double2* const rows = vectors + side * side;
  auto* const rotations = reinterpret_cast<Rotation*>(rows + rows_at_once * side);
  auto* const factors = reinterpret_cast<double*>(rotations + side / 2);
  make_gram<Real>(what, patch, series, gram);
  diagonalize(side, gram, vectors, rotations);
  double left = 0;
  for (int i = threadIdx.x; i < side; i += threads) {
    const double singular = singular_value(gram, side, i);
    factors[i] = singular > threshold ? 1 - threshold / singular : 0;
    left += fmax(singular - threshold, 0.0);
  }
  left = block_sum<threads>(left);
  if (threadIdx.x == 0) partial[blockIdx.x] = left;
  __syncthreads();
  // V F V^H in the place of the Gram matrix.
  for (int t = threadIdx.x; t < side * side; t += threads) {
    double2 sum{0, 0};
    for (int k = 0; k < side; ++k) {
      const double2 right = vectors[t / side * side + k];
      const double2 left = vectors[t % side * side + k];
      sum = conjugate_multiply_add(left, double2{factors[k] * right.x, factors[k] * right.y}, sum);
    }
    gram[t] = sum;
  }
  for (int first = 0; first < patch.rows; first += rows_at_once) {
    const int count = min(rows_at_once, patch.rows - first) * patch.columns;
    for (int t = threadIdx.x; t < count; t += threads) {
      const Complex2<Real> value = series[patch.place(what, first + t / patch.columns, t % patch.columns)];
      rows[t] = {double(value.x), double(value.y)};
    }
    __syncthreads();
    for (int t = threadIdx.x; t < count; t += threads) {
      const int column = t % patch.columns;
      double2 sum{0, 0};
      for (int k = 0; k < patch.columns; ++k) {
        sum = multiply_add(rows[t - column + k], gram[k * side + column], sum);
      }
      series[patch.place(what, first + t / patch.columns, column)] = {static_cast<Real>(sum.x),
                                                                      static_cast<Real>(sum.y)};
    }
    __syncthreads();
  }
}

template <class Real>
__global__ void __launch_bounds__(threads)
    sum_patches(PatchLayout what, const Complex2<Real>* __restrict__ series, double* partial) {
  extern __shared__ double2 memory[];
  auto* const rotations = reinterpret_cast<Rotation*>(memory + what.side * what.side);
  const Patch patch(what);
  make_gram<Real>(what, patch, series, memory);
  diagonalize(what.side, memory, nullptr, rotations);
  double sum = 0;
  for (int i = threadIdx.x; i < what.side; i += threads) sum += singular_value(memory, what.side, i);
  sum = block_sum<threads>(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

// Shared memory of a block: the Gram matrix and the rotations; to shrink also the vectors, rows of A and factors.
std::size_t gram_bytes(int side) { return side * side * sizeof(double2) + side / 2 * sizeof(Rotation); }
std::size_t shrink_bytes(int side) {
  return gram_bytes(side) + (side * side + rows_at_once * side) * sizeof(double2) + side * sizeof(double);
}

template <class Real>
double shrink_singular_values(const Context& ctx, const kernels::Patches& what, double threshold,
                              std::complex<Real>* series) {
  const PatchLayout layout = layout_of(what);
  Array<double> partial(ctx, {patches_of(layout)});
  launch(ctx, "low rank", shrink_patches<Real>, {grid_of(patches_of(layout)), threads, shrink_bytes(layout.side)},
         layout, threshold, as_device(series), partial.data());
  return total_for_host(ctx, "low rank", partial);
}

template <class Real>
double nuclear_norm(const Context& ctx, const kernels::Patches& what, const std::complex<Real>* series) {
  const PatchLayout layout = layout_of(what);
  Array<double> partial(ctx, {patches_of(layout)});
  launch(ctx, "low rank", sum_patches<Real>, {grid_of(patches_of(layout)), threads, gram_bytes(layout.side)}, layout,
         as_device(series), partial.data());
  return total_for_host(ctx, "low rank", partial);
}

}  // namespace

void register_low_rank() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::shrink_singular_values<Real>.set(DeviceKind::cuda, shrink_singular_values<Real>);
    kernels::nuclear_norm<Real>.set(DeviceKind::cuda, nuclear_norm<Real>);
  });
}

}  // namespace whorl::backend::cuda
