// Exact sums on a CPU: the entry of this folder. Which code takes which input, and why:
//
//   samples and the pixels of a grid  dft.cpp, grid_sums_hwy.cpp              a phase is the product of a factor for each
//                                                                             axis: products of real matrices
//   the same to a tolerance           single_dft.cpp, single_sums_hwy.cpp      single precision, from samples to pixels
//   samples and positions anywhere    position_dft.cpp, position_sums_hwy.cpp a sine and a cosine for each pair; sorted
//                                                                             into tiles, in which phases are small
//
// On a grid all arithmetic is in double, whatever the data, unless a tolerance is given: this is the oracle of the tests.
#include "kernels/dft.hpp"

#include <omp.h>

#include <algorithm>
#include <array>

#include "backend/cpu/exact/grid_sums.hpp"
#include "backend/cpu/exact/single_dft.hpp"
#include "backend/cpu/exact/split_positions.hpp"
#include "backend/cpu/exact/sum_progress.hpp"
#include "backend/cpu/lines/folded_lines.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

namespace {

constexpr Index pairs_per_round = Index{1} << 31;  // between two checks for cancellation: about a second

std::size_t size(Index count) { return static_cast<std::size_t>(count); }

// The factors of a block of the forward transform, in panels, which are stored from `memory` on.
BlockFactors factors_of(const SplitPositions& k, Index first, const std::array<Index, 3>& image, double* memory) {
  const auto width = static_cast<Index>(panel_width());
  const auto [nz, ny, nx] = image;
  const Index half = nx / 2;
  const Index rows = folded_rows(nx);
  constexpr auto samples = static_cast<Index>(forward_samples);
  double* const x = memory;
  double* const y = x + samples * rows;
  double* const z = y + samples * 2 * ny;
  for (Index panel = 0; panel < samples / width; ++panel) {
    const Index j = first + panel * width;
    double* const cosines = x + panel * rows * width;
    std::fill(cosines, cosines + width, 1.0);
    phase_rows(k.axis(0, j), size(width), 1, size(half), cosines + width, cosines + (half + 1) * width, size(width));
    double* const y_rows = y + panel * ny * 2 * width;
    phase_rows(k.axis(1, j), size(width), -(ny / 2), size(ny), y_rows, y_rows + width, size(2 * width));
    double* const z_rows = z + panel * nz * 2 * width;
    phase_rows(k.axis(2, j), size(width), -(nz / 2), size(nz), z_rows, z_rows + width, size(2 * width));
  }
  return {x, y, z, size(ny), size(nz)};
}

// The factors of a block of the adjoint transform, which all threads share, and the values that they multiply.
class AdjointBlock {
 public:
  AdjointBlock(const Context& ctx, const std::array<Index, 3>& image, Index batch)
      : image_(image),
        width_(static_cast<Index>(panel_width())),
        panels_(divide_up(image[1], width_)),
        rows_(round_up(folded_rows(image[2]), Index{row_group})),
        x_(zeros<double>(ctx, {rows_, length})),
        y_(ctx, {2, length, panels_ * width_}),
        z_(ctx, {image[0], 2, length}),
        values_(ctx, {batch, 2, length}) {}

  static constexpr auto length = static_cast<Index>(adjoint_samples);

  Index width() const { return width_; }
  Index rows() const { return rows_; }
  Index panels() const { return panels_; }
  Index panel_size() const { return 2 * rows_ * width_; }

  /// Fills the tables for samples from `first` on. All threads of a team call it together.
  template <class Real>
  void fill(const SplitPositions& k, Index first, const std::complex<Real>* samples, Index count, Index batch) {
    const Index nz = image_[0];
    const Index ny = image_[1];
    const Index nx = image_[2];
    const Index half = nx / 2;
    double* const x = x_.data();
    double* const y = y_.data();
    const Index y_stride = panels_ * width_;
    const AxisPositions ky = k.axis(1, first);
#pragma omp for schedule(static) nowait
    for (Index r = 0; r <= half; ++r) {
      if (r == 0) {
        std::fill(x, x + length, 1.0);
      } else {
        phase_rows(k.axis(0, first), adjoint_samples, r, 1, x + r * length, x + (half + r) * length, adjoint_samples);
      }
    }
#pragma omp for schedule(static) nowait
    for (Index j = 0; j < length; ++j) {
      phase_row(ky.leading[j], ky.rest[j], -(ny / 2), size(y_stride), y + j * y_stride, y + (length + j) * y_stride);
    }
#pragma omp for schedule(static) nowait
    for (Index iz = 0; iz < nz; ++iz) {
      double* const z = z_.data() + iz * 2 * length;
      phase_rows(k.axis(2, first), adjoint_samples, iz - nz / 2, 1, z, z + length, adjoint_samples);
    }
#pragma omp for schedule(static)
    for (Index b = 0; b < batch; ++b) {
      double* const values = values_.data() + b * 2 * length;
      for (Index j = 0; j < length; ++j) {
        const bool there = first + j < count;
        values[j] = there ? static_cast<double>(samples[b * count + first + j].real()) : 0.0;
        values[length + j] = there ? static_cast<double>(samples[b * count + first + j].imag()) : 0.0;
      }
    }
  }

  /// Adds the contribution of the block to panel number `index` of [batch, z, panel].
  void add_to(Index index, double* sums) const {
    const Index y = index % panels_ * width_;
    const Index z = index / panels_ % image_[0];
    const double* const values = values_.data() + index / panels_ / image_[0] * 2 * length;
    const double* const z_row = z_.data() + z * 2 * length;
    const Index y_stride = panels_ * width_;
    add_to_lines({y_.data() + y, y_.data() + length * y_stride + y, size(y_stride), z_row, z_row + length, values,
                  values + length},
                 x_.data(), size(rows_), sums + index * panel_size());
  }

 private:
  std::array<Index, 3> image_;
  Index width_;
  Index panels_;
  Index rows_;
  Array<double> x_;       ///< [row][sample]
  Array<double> y_;       ///< [cosines, sines][sample][y]
  Array<double> z_;       ///< [z][cosines, sines][sample]
  Array<double> values_;  ///< [batch][real, imaginary][sample]
};

template <class Real>
void dft_forward(const Context& ctx, const kernels::DftGeometry& geometry, const std::complex<Real>* images,
                 std::complex<Real>* samples, Index batch) {
  constexpr auto block = static_cast<Index>(forward_samples);
  const auto [nz, ny, nx] = geometry.image;
  const Index count = geometry.points.extent(0);
  const Index rows = folded_rows(nx);
  const Index lines = ny * nz;
  const Index folded_size = divide_up(lines, 2) * 4 * rows;
  Array<double> folded(ctx, {batch, folded_size});
  for (Index b = 0; b < batch; ++b) {
    fold_lines(ctx, images + b * lines * nx, lines, nx, folded.data() + b * folded_size);
  }
  const SplitPositions k(ctx, geometry.points, block);
  Array<double> memory(ctx, {ctx.threads(), block * (rows + 2 * ny + 2 * nz)});
  const Index blocks = divide_up(count, block);
  const Index round = ctx.threads() * std::max<Index>(1, pairs_per_round / (block * lines * nx * batch));
  SumProgress progress(ctx, count, lines * nx * batch);
  for (Index from = 0; from < blocks; from += round) {
    const Index to = std::min(blocks, from + round);
#pragma omp parallel for schedule(dynamic) num_threads(ctx.threads())
    for (Index i = from; i < to; ++i) {
      const Index first = i * block;
      double* const mine = memory.data() + omp_get_thread_num() * memory.extent(1);
      const BlockFactors factors = factors_of(k, first, geometry.image, mine);
      std::array<double, forward_samples> real{};
      std::array<double, forward_samples> imag{};
      for (Index b = 0; b < batch; ++b) {
        sum_over_pixels(factors, {folded.data() + b * folded_size, size(rows), size(lines)}, real.data(), imag.data());
        for (std::size_t j = 0; j < size(std::min(block, count - first)); ++j) {
          const std::complex<double> sum(real[j], imag[j]);
          samples[b * count + first + static_cast<Index>(j)] = std::complex<Real>(geometry.scale * sum);
        }
      }
    }
    progress.advance(std::min(count, to * block) - from * block);
  }
}

template <class Real>
void dft_adjoint(const Context& ctx, const kernels::DftGeometry& geometry, const std::complex<Real>* samples,
                 std::complex<Real>* images, Index batch) {
  if constexpr (sizeof(Real) == 4) {
    if (geometry.tolerance >= single_dft_error) return single_dft_adjoint(ctx, geometry, samples, images, batch);
  }
  const auto [nz, ny, nx] = geometry.image;
  const Index count = geometry.points.extent(0);
  const SplitPositions k(ctx, geometry.points, AdjointBlock::length);
  AdjointBlock block(ctx, geometry.image, batch);
  const Index panels = batch * nz * block.panels();
  Array<double> sums = zeros<double>(ctx, {panels, block.panel_size()});
  SumProgress progress(ctx, count, nz * ny * nx * batch);
  for (Index first = 0; first < count; first += AdjointBlock::length) {
#pragma omp parallel num_threads(ctx.threads())
    {
      block.fill(k, first, samples, count, batch);
#pragma omp for schedule(dynamic)
      for (Index panel = 0; panel < panels; ++panel) block.add_to(panel, sums.data());
    }
    progress.advance(std::min(AdjointBlock::length, count - first));
  }
  unfold_lines(ctx, sums.data(), batch * nz, ny, nx, block.width(), block.rows(), geometry.scale, images);
}

}  // namespace

void register_dft() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::dft_forward<Real>.set(DeviceKind::cpu, dft_forward<Real>);
    kernels::dft_adjoint<Real>.set(DeviceKind::cpu, dft_adjoint<Real>);
  });
}

}  // namespace whorl::backend::cpu
