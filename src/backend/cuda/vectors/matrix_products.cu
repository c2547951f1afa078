// Products of small complex matrices on a GPU. A block owns a tile of C, and takes tiles of A and B through shared memory.
// The first call of cuBLAS would take a tenth of a second, which is longer than all that these products are for.
#include "backend/cuda/device/complex.cuh"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "kernels/matrix_products.hpp"

namespace whorl::backend::cuda {

namespace {

constexpr int side = 32;              // of a tile
constexpr int half = side / 2;        // threads along each side of it: each has 2 x 2 values
constexpr Index most_blocks = 65535;  // along y and z of a launch

struct Sizes {
  Index batch;
  Index rows;
  Index depth;
  Index columns;
  Index a_step;  // from matrix to matrix
  Index b_step;
};

// tile = m[first_row..., first_column...] of a matrix [rows, columns], 0 outside of it
template <class Complex>
__device__ void load_tile(const Complex* __restrict__ m, Index rows, Index columns, Index first_row, Index first_column,
                          Complex (*tile)[side + 1]) {
  for (int r = threadIdx.y; r < side; r += half) {
    for (int c = threadIdx.x; c < side; c += half) {
      const Index row = first_row + r;
      const Index column = first_column + c;
      tile[r][c] = row < rows && column < columns ? m[row * columns + column] : Complex{0, 0};
    }
  }
}

template <class Complex>
__global__ void multiply_tiles(Sizes of, Index first_tile, const Complex* __restrict__ a, const Complex* __restrict__ b,
                               Complex* __restrict__ c) {
  __shared__ Complex a_tile[side][side + 1];
  __shared__ Complex b_tile[side][side + 1];
  const Index column = Index{blockIdx.x} * side;
  const Index row = (first_tile + blockIdx.y) * side;
  for (Index i = blockIdx.z; i < of.batch; i += gridDim.z) {
    Complex sum[2][2] = {};
    for (Index k = 0; k < of.depth; k += side) {
      load_tile(a + i * of.a_step, of.rows, of.depth, row, k, a_tile);
      load_tile(b + i * of.b_step, of.depth, of.columns, k, column, b_tile);
      __syncthreads();
#pragma unroll 8
      for (int l = 0; l < side; ++l) {
        const Complex b0 = b_tile[l][threadIdx.x];
        const Complex b1 = b_tile[l][threadIdx.x + half];
        const Complex a0 = a_tile[threadIdx.y][l];
        const Complex a1 = a_tile[threadIdx.y + half][l];
        sum[0][0] = multiply_add(a0, b0, sum[0][0]);
        sum[0][1] = multiply_add(a0, b1, sum[0][1]);
        sum[1][0] = multiply_add(a1, b0, sum[1][0]);
        sum[1][1] = multiply_add(a1, b1, sum[1][1]);
      }
      __syncthreads();
    }
    for (int r = 0; r < 2; ++r) {
      for (int s = 0; s < 2; ++s) {
        const Index to_row = row + threadIdx.y + r * half;
        const Index to_column = column + threadIdx.x + s * half;
        if (to_row < of.rows && to_column < of.columns) {
          c[(i * of.rows + to_row) * of.columns + to_column] = sum[r][s];
        }
      }
    }
  }
}

template <class Real>
void matrix_products(const Context& ctx, const kernels::MatrixProducts& of, const std::complex<Real>* a,
                     const std::complex<Real>* b, std::complex<Real>* c) {
  Sizes sizes{
      of.batch, of.rows, of.depth, of.columns, of.one_a ? 0 : of.rows * of.depth, of.one_b ? 0 : of.depth * of.columns};
  // Matrices that all multiply one B are the rows of a single one.
  if (of.one_b && !of.one_a) {
    sizes.rows *= sizes.batch;
    sizes.batch = 1;
  }
  const Index tiles = divide_up(sizes.rows, side);
  for (Index first = 0; first < tiles; first += most_blocks) {
    launch(ctx, "matrix products", multiply_tiles<Complex2<Real>>,
           {grid_of(divide_up(sizes.columns, side), std::min(tiles - first, most_blocks),
                    std::min(sizes.batch, most_blocks)),
            dim3(half, half)},
           sizes, first, as_device(a), as_device(b), as_device(c));
  }
}

}  // namespace

void register_matrix_products() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::matrix_products<Real>.set(DeviceKind::cuda, matrix_products<Real>);
  });
}

}  // namespace whorl::backend::cuda
