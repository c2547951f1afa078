// A library's product would compute both triangles, and its first call takes a tenth of a second, more than all
// products of a scan with few coils.
#include "backend/cuda/coils/hermitian_product.hpp"

#include "backend/cuda/device/complex.cuh"
#include "backend/cuda/launch.hpp"

namespace whorl::backend::cuda {

namespace {

// A block computes `tile` rows and columns, over `depth` inner elements at a time. Each thread computes 2 x 2 elements.
constexpr int tile = 32;
constexpr int half = tile / 2;
constexpr int depth = 16;
constexpr int tile_threads = half * half;
constexpr int loads = tile * depth / tile_threads;

using Tile = double2[depth][tile + 1];

// The elements of a thread in a tile of a matrix, 0 outside it.
struct Loader {
  int n;
  int inner;
  int first_row;

  __device__ void load(const double2* __restrict__ matrix, int first, double2 (&values)[loads]) const {
#pragma unroll
    for (int i = 0; i < loads; ++i) {
      const int place = static_cast<int>(threadIdx.x) + i * tile_threads;
      const int row = first_row + place % tile;
      const int column = first + place / tile;
      values[i] = row < n && column < inner ? matrix[Index{column} * n + row] : double2{0, 0};
    }
  }
  __device__ static void store(const double2 (&values)[loads], Tile& to) {
#pragma unroll
    for (int i = 0; i < loads; ++i) {
      const int place = static_cast<int>(threadIdx.x) + i * tile_threads;
      to[place / tile][place % tile] = values[i];
    }
  }
};

// Blocks: tiles on and below the diagonal. The next tiles are on their way while these are multiplied.
__global__ void __launch_bounds__(tile_threads)
    product_kernel(int n, int inner, const double2* __restrict__ a, const double2* __restrict__ b, double weight,
                   double2* __restrict__ c) {
  __shared__ Tile rows;
  __shared__ Tile columns;
  int tile_row = 0;
  while ((tile_row + 1) * (tile_row + 2) / 2 <= static_cast<int>(blockIdx.x)) ++tile_row;
  const int tile_column = static_cast<int>(blockIdx.x) - tile_row * (tile_row + 1) / 2;
  const Loader of_rows{n, inner, tile * tile_row};
  const Loader of_columns{n, inner, tile * tile_column};
  const int row = static_cast<int>(threadIdx.x) / half;
  const int column = static_cast<int>(threadIdx.x) % half;
  double2 next_rows[loads];
  double2 next_columns[loads];
  of_rows.load(a, 0, next_rows);
  of_columns.load(b, 0, next_columns);
  double2 sum[2][2]{};
  for (int first = 0; first < inner; first += depth) {
    Loader::store(next_rows, rows);
    Loader::store(next_columns, columns);
    __syncthreads();
    of_rows.load(a, first + depth, next_rows);
    of_columns.load(b, first + depth, next_columns);
#pragma unroll
    for (int k = 0; k < depth; ++k) {
      const double2 x[2] = {rows[k][row], rows[k][row + half]};
      const double2 y[2] = {columns[k][column], columns[k][column + half]};
#pragma unroll
      for (int i = 0; i < 2; ++i) {
#pragma unroll
        for (int j = 0; j < 2; ++j) sum[i][j] = conjugate_multiply_add(y[j], x[i], sum[i][j]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const int r = of_rows.first_row + row + i * half;
      const int s = of_columns.first_row + column + j * half;
      if (r >= n || s > r) continue;
      double2& lower = c[Index{s} * n + r];
      const double2 before = weight == 0 ? double2{0, 0} : lower;
      const double2 value{sum[i][j].x + weight * before.x, r == s ? 0 : sum[i][j].y + weight * before.y};
      lower = value;
      if (r != s) c[Index{r} * n + s] = {value.x, -value.y};
    }
  }
}

}  // namespace

void hermitian_product(const Context& ctx, Index n, Index inner, const std::complex<double>* a,
                       const std::complex<double>* b, double weight, std::complex<double>* c) {
  const Index along = divide_up(n, Index{tile});
  launch(ctx, "Hermitian product", product_kernel, {grid_of(along * (along + 1) / 2), tile_threads},
         static_cast<int>(n), static_cast<int>(inner), as_device(a), as_device(b), weight, as_device(c));
}

}  // namespace whorl::backend::cuda
