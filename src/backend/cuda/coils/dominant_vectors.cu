// Each voxel's matrix G is divided by its trace and squared repeatedly, until the trace of the square is that of a
// matrix of rank one, v v^H: with eigenvalues l1 > l2 the k-th square contains (l2/l1)^(2^k) of the second vector. A
// GPU is fast at products of small matrices, and the number of squarings depends only on the gap of the eigenvalues.
// The traces s_k of the squares give the eigenvalue: l1 = s_0 s_1^(1/2) s_2^(1/4) ...
//
// Which kernel takes which matrices, and why:
//
//   up to 4 coils      dominant_vectors<4>     about one lane for each 2 x 2 elements of half the matrix;
//   up to 8            dominant_vectors<8>     matrices share a warp
//   up to 32           dominant_vectors<32>    a warp for a matrix, four of them in a block
//   more               dominant_vectors<256>   a block for a matrix; in global memory where shared memory is too small
#include "backend/cuda/coils/dominant_vectors.hpp"

#include <algorithm>
#include <limits>

#include "backend/cuda/coils/lane_group.cuh"
#include "backend/cuda/device/complex.cuh"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

// The 2^20-th power: it does not matter which of two vectors is found if their eigenvalues agree to six digits.
constexpr int most_squarings = 20;
// If the second eigenvalue is below half of this fraction, it falls to its square in the next squaring, and so on.
constexpr double nearly_rank_one = 1e-3;
template <class Real>
constexpr int squarings_then = sizeof(Real) == sizeof(float) ? 2 : 3;

template <class Real>
struct Problem {
  int coils;
  Index voxels;  // of the image
  Index first;
  Index count;
  Real threshold;
  const Complex2<Real>* triangles;
  const Complex2<Real>* reference;
  Complex2<Real>* maps;
  Real* eigenvalues;
  unsigned long long* inside;
  Complex2<Real>* scratch;  // for matrices that do not fit into shared memory; otherwise null
};

__host__ __device__ constexpr int threads_of(int lanes) { return lanes > 128 ? lanes : 128; }
__host__ __device__ constexpr int groups_of(int lanes) { return threads_of(lanes) / lanes; }

// Matrices are padded to an even extent. Each group has memory for two matrices and one more row, so that the groups of
// a warp do not all use the same banks.
__host__ __device__ constexpr int even(int coils) { return coils + coils % 2; }
__host__ __device__ constexpr int elements_per_group(int coils) { return 2 * even(coils) * even(coils) + even(coils); }

struct Pair {
  int row;
  int column;
};

// The inverse of kernels::pair_index.
__device__ Pair pair_at(int index) {
  int row = static_cast<int>((sqrtf(8.0f * index + 1) - 1) / 2);
  while ((row + 1) * (row + 2) / 2 <= index) ++row;
  while (row * (row + 1) / 2 > index) --row;
  return {row, index - row * (row + 1) / 2};
}

// All threads of the block expand lower triangles to full matrices in the first half of each group's memory.
template <class Real, int lanes>
__device__ void load(const Problem<Real>& problem, Index first, Complex2<Real>* block_memory) {
  constexpr int groups = groups_of(lanes);
  const int n = even(problem.coils);
  const int pairs = n * (n + 1) / 2;
  for (int i = threadIdx.x; i < pairs * groups; i += threads_of(lanes)) {
    const int group = i % groups;
    const Pair pair = pair_at(i / groups);
    Complex2<Real> value{0, 0};
    if (first + group < problem.count && pair.row < problem.coils) {
      value = problem.triangles[(i / groups) * problem.count + first + group];
    }
    if (pair.row == pair.column) value.y = 0;
    Complex2<Real>* matrix = block_memory + group * elements_per_group(problem.coils);
    matrix[pair.row * n + pair.column] = value;
    matrix[pair.column * n + pair.row] = {value.x, -value.y};
  }
}

template <class Real, int lanes>
__device__ Real trace(const LaneGroup<lanes>& group, int n, const Complex2<Real>* matrix) {
  Real sum = 0;
  for (int i = group.lane(); i < n; i += lanes) sum += matrix[i * n + i].x;
  return group.sum(sum);
}

// to = (factor from)^2, 2 x 2 elements at a time: element (i, j) is the sum of conj(from(k, i)) from(k, j).
template <class Real, int lanes>
__device__ void square(const LaneGroup<lanes>& group, int n, Real factor, const Complex2<Real>* from,
                       Complex2<Real>* to) {
  const int along = n / 2;
  const Real scale = factor * factor;
  for (int tile = group.lane(); tile < along * (along + 1) / 2; tile += lanes) {
    const Pair at = pair_at(tile);
    Complex2<Real> sum[2][2]{};
    for (int k = 0; k < n; ++k) {
      const Complex2<Real> a[2] = {from[k * n + 2 * at.row], from[k * n + 2 * at.row + 1]};
      const Complex2<Real> b[2] = {from[k * n + 2 * at.column], from[k * n + 2 * at.column + 1]};
#pragma unroll
      for (int i = 0; i < 2; ++i) {
#pragma unroll
        for (int j = 0; j < 2; ++j) sum[i][j] = conjugate_multiply_add(a[i], b[j], sum[i][j]);
      }
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const Complex2<Real> value{scale * sum[i][j].x, scale * sum[i][j].y};
        to[(2 * at.row + i) * n + 2 * at.column + j] = value;
        to[(2 * at.column + j) * n + 2 * at.row + i] = {value.x, -value.y};
      }
    }
  }
  group.sync();
}

// The vector of a matrix v v^H: its column with the largest diagonal element.
template <class Real, int lanes>
__device__ void extract(const LaneGroup<lanes>& group, int n, const Complex2<Real>* matrix,
                        const Complex2<Real>* reference, int coils, Complex2<Real>* vector) {
  int best = 0;
  for (int i = 1; i < n; ++i) {
    if (matrix[i * n + i].x > matrix[best * n + best].x) best = i;
  }
  Real power = 0;
  Complex2<Real> seen{0, 0};
  for (int i = group.lane(); i < coils; i += lanes) {
    const Complex2<Real> x = matrix[i * n + best];
    power += x.x * x.x + x.y * x.y;
    seen = conjugate_multiply_add(reference[i], x, seen);
  }
  power = group.sum(power);
  seen = {group.sum(seen.x), group.sum(seen.y)};
  const Real norm = sqrt(power);
  const Real magnitude = sqrt(seen.x * seen.x + seen.y * seen.y);
  const Real scale = norm > 0 ? 1 / norm : 0;
  const Complex2<Real> turn = magnitude > 0 ? Complex2<Real>{scale * seen.x / magnitude, -scale * seen.y / magnitude}
                                            : Complex2<Real>{scale, 0};
  for (int i = group.lane(); i < coils; i += lanes) vector[i] = multiply(turn, matrix[i * n + best]);
}

template <class Real, int lanes>
__global__ void __launch_bounds__(threads_of(lanes)) dominant_vectors(const Problem<Real> problem) {
  using Complex = Complex2<Real>;
  constexpr int groups = groups_of(lanes);
  extern __shared__ double2 shared[];  // double2: aligned for two floats of a complex number, twice
  const int n = even(problem.coils);
  const int per_group = elements_per_group(problem.coils);
  Complex* block_memory = problem.scratch != nullptr ? problem.scratch + Index{blockIdx.x} * groups * per_group
                                                     : reinterpret_cast<Complex*>(shared);
  const LaneGroup<lanes> group;
  Complex* matrix = block_memory + group.index() * per_group;
  Complex* other = matrix + n * n;
  for (Index first = Index{blockIdx.x} * groups; first < problem.count; first += Index{gridDim.x} * groups) {
    load<Real, lanes>(problem, first, block_memory);
    __syncthreads();
    Complex* from = matrix;
    Complex* to = other;
    Real size = trace<Real, lanes>(group, n, from);
    Real eigenvalue = size;
    double power = 0.5;
    double logarithm = 0;
    // All groups of a warp continue until the last one is done. Those that are done keep what they have, so the result does
    // not depend on the voxels beside.
    int left = most_squarings;
    for (int done = 0; group.any(done < left); ++done) {
      square<Real, lanes>(group, n, size > 0 ? 1 / size : Real(0), from, to);
      const Real squared = trace<Real, lanes>(group, n, to);
      if (done >= left) continue;
      size = squared;
      if (1 - size < Real(nearly_rank_one)) left = min(left, done + 1 + squarings_then<Real>);
      if (size > 0) logarithm += power * log(static_cast<double>(size));
      power /= 2;
      Complex* swapped = from;
      from = to;
      to = swapped;
    }
    eigenvalue *= static_cast<Real>(exp(logarithm));
    extract<Real, lanes>(group, n, from, problem.reference, problem.coils, to);
    const Index voxel = first + group.index();
    const bool there = voxel < problem.count;
    const bool inside = there && eigenvalue >= problem.threshold;
    if (there && group.lane() == 0 && problem.eigenvalues != nullptr) {
      problem.eigenvalues[problem.first + voxel] = eigenvalue;
    }
    if (!inside) {
      for (int i = group.lane(); i < problem.coils; i += lanes) to[i] = {0, 0};
    }
    // Copies the vectors to the start of the group's memory, where the block finds the vectors of all groups.
    group.sync();
    if (to != matrix) {
      for (int i = group.lane(); i < problem.coils; i += lanes) matrix[i] = to[i];
    }
    const int count = __syncthreads_count(inside && group.lane() == 0);
    if (count > 0 && threadIdx.x == 0) atomicAdd(problem.inside, static_cast<unsigned long long>(count));
    for (int i = threadIdx.x; i < problem.coils * groups; i += threads_of(lanes)) {
      if (first + i % groups >= problem.count) continue;
      problem.maps[(i / groups) * problem.voxels + problem.first + first + i % groups] =
          block_memory[(i % groups) * per_group + i / groups];
    }
    __syncthreads();
  }
}

}  // namespace

template <class Real>
DominantVectors<Real>::DominantVectors(const Context& ctx, const kernels::MapTarget<Real>& target, Real threshold,
                                       Real* eigenvalues)
    : coils_(static_cast<Index>(target.reference.size())),
      voxels_(target.image[0] * target.image[1] * target.image[2]),
      maps_(target.maps),
      eigenvalues_(eigenvalues),
      threshold_(threshold),
      reference_(upload<std::complex<Real>>(ctx, target.reference)),
      inside_(zeros<Index>(ctx, {1})) {}

template <class Real>
template <int lanes>
void DominantVectors<Real>::solve_with(const Context& ctx, const VoxelMatrices<Real>& matrices) {
  constexpr int groups = groups_of(lanes);
  const auto n = static_cast<int>(coils_);
  const std::size_t block_bytes = groups * static_cast<std::size_t>(elements_per_group(n)) * sizeof(Complex2<Real>);
  const bool fits = block_bytes <= properties_of(ctx).sharedMemPerBlockOptin;
  const Index most_blocks = fits ? Index{1} << 20 : Index{2} * properties_of(ctx).multiProcessorCount;
  const Index blocks = std::min(divide_up(matrices.count, groups), most_blocks);
  Array<std::complex<Real>> scratch;
  if (!fits) scratch = Array<std::complex<Real>>(ctx, {blocks, groups * elements_per_group(n)});
  const Problem<Real> problem{.coils = n,
                              .voxels = voxels_,
                              .first = matrices.first,
                              .count = matrices.count,
                              .threshold = threshold_,
                              .triangles = as_device(matrices.triangles),
                              .reference = as_device(reference_.data()),
                              .maps = as_device(maps_),
                              .eigenvalues = eigenvalues_,
                              .inside = reinterpret_cast<unsigned long long*>(inside_.data()),
                              .scratch = fits ? nullptr : as_device(scratch.data())};
  launch(ctx, "dominant_vectors", dominant_vectors<Real, lanes>,
         {grid_of(blocks), threads_of(lanes), fits ? block_bytes : 0}, problem);
}

template <class Real>
void DominantVectors<Real>::solve(const Context& ctx, const VoxelMatrices<Real>& matrices) {
  // About as many lanes as a matrix has tiles of 2 x 2; small matrices share a warp.
  if (coils_ <= 4) return solve_with<4>(ctx, matrices);
  if (coils_ <= 8) return solve_with<8>(ctx, matrices);
  const std::size_t of_warp =
      groups_of(32) * static_cast<std::size_t>(elements_per_group(static_cast<int>(coils_))) * sizeof(Complex2<Real>);
  if (coils_ <= 32 && of_warp <= properties_of(ctx).sharedMemPerBlockOptin) return solve_with<32>(ctx, matrices);
  solve_with<256>(ctx, matrices);
}

template <class Real>
Index DominantVectors<Real>::inside(const Context& ctx) const {
  return to_host(ctx, inside_).data()[0];
}

template class DominantVectors<float>;
template class DominantVectors<double>;

}  // namespace whorl::backend::cuda
