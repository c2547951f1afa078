// Products of small complex matrices on a CPU. A strip of columns of B is copied to where its rows lie one after another,
// since rows that are a power of two apart evict each other from the cache; all rows of A then take it from there.
#include "kernels/matrix_products.hpp"

#include <omp.h>

#include <algorithm>

#include "backend/cpu/parallel.hpp"
#include "backend/cpu/vectors/matrix_strip.hpp"
#include "whorl/core/array.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

namespace {

// [depth, columns of a strip], 0 beyond the last column.
template <class Real>
void pack(Index depth, Index columns, const std::complex<Real>* b, Index b_row, std::complex<Real>* strip) {
  for (Index k = 0; k < depth; ++k, strip += strip_columns<Real>) {
    std::copy_n(b + k * b_row, columns, strip);
    std::fill(strip + columns, strip + strip_columns<Real>, std::complex<Real>(0));
  }
}

template <class Real>
void matrix_products(const Context& ctx, const kernels::MatrixProducts& of, const std::complex<Real>* a,
                     const std::complex<Real>* b, std::complex<Real>* c) {
  // Matrices that all multiply one B are the rows of a single one.
  const Index batch = of.one_b && !of.one_a ? 1 : of.batch;
  const Index rows = of.one_b && !of.one_a ? of.batch * of.rows : of.rows;
  const Index strips = divide_up(of.columns, strip_columns<Real>);
  const int threads = threads_for(ctx, of.batch * of.rows * of.depth * of.columns);
  // With fewer strips than threads, each strip's rows are shared too.
  const Index blocks = std::clamp<Index>(divide_up(Index{threads}, batch * strips), 1, rows);
  const Index most = divide_up(rows, blocks);
  const Index size = of.depth * strip_columns<Real>;
  Array<std::complex<Real>> packed(ctx, {threads, size});
#pragma omp parallel for collapse(3) schedule(static) num_threads(threads)
  for (Index i = 0; i < batch; ++i) {
    for (Index s = 0; s < strips; ++s) {
      for (Index block = 0; block < blocks; ++block) {
        const Index first = block * most;
        const Index count = std::min(rows - first, most);
        if (count <= 0) continue;
        std::complex<Real>* strip = packed.data() + omp_get_thread_num() * size;
        const Index column = s * strip_columns<Real>;
        const Index columns = std::min(of.columns - column, strip_columns<Real>);
        pack(of.depth, columns, b + (of.one_b ? 0 : i * of.depth * of.columns) + column, of.columns, strip);
        multiply_strip(count, of.depth, a + (of.one_a ? 0 : i * of.rows * of.depth) + first * of.depth, strip, columns,
                       c + (i * of.rows + first) * of.columns + column, of.columns);
      }
    }
  }
}

}  // namespace

void register_matrix_products() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::matrix_products<Real>.set(DeviceKind::cpu, matrix_products<Real>);
  });
}

}  // namespace whorl::backend::cpu
