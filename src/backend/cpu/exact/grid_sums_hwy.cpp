#include "backend/cpu/exact/grid_sums.hpp"
#include "backend/cpu/simd_targets.hpp"
#include "whorl/core/integer.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/exact/grid_sums_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "backend/cpu/exact/half_turns-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

using Tag = hn::CappedTag<double, 8>;
using Vector = hn::Vec<Tag>;

constexpr int panel_vectors = 3;

std::size_t width_of_panel() { return panel_vectors * hn::Lanes(Tag()); }

// cos and sin of 2 pi k r. The leading part of k times an integer of up to 29 bits is exact, and so is subtracting the
// nearest integer.
HWY_INLINE void phase(Vector leading, Vector rest, Vector r, double* cosines, double* sines) {
  const Tag d;
  const Vector product = hn::Mul(leading, r);
  Vector turns = hn::MulAdd(rest, r, hn::Sub(product, hn::Round(product)));
  Vector f[1], flips[1], sine[1], cosine[1];
  const Vector h[1] = {hn::Add(turns, turns)};
  nearest_half_turn<1>(d, h, f, flips);
  sine_cosine<1>(d, f, flips, sine, cosine);
  hn::StoreU(cosine[0], d, cosines);
  hn::StoreU(sine[0], d, sines);
}

void fill_phase_rows(const AxisPositions& k, std::size_t columns, std::ptrdiff_t first, std::size_t rows,
                     double* cosines, double* sines, std::size_t stride) {
  const Tag d;
  for (std::size_t i = 0; i < rows; ++i) {
    const Vector r = hn::Set(d, static_cast<double>(first + static_cast<std::ptrdiff_t>(i)));
    for (std::size_t j = 0; j < columns; j += hn::Lanes(d)) {
      phase(hn::LoadU(d, k.leading + j), hn::LoadU(d, k.rest + j), r, cosines + i * stride + j, sines + i * stride + j);
    }
  }
}

void fill_phase_row(double leading, double rest, std::ptrdiff_t first, std::size_t pixels, double* cosines,
                    double* sines) {
  const Tag d;
  for (std::size_t i = 0; i < pixels; i += hn::Lanes(d)) {
    const Vector r = hn::Iota(d, static_cast<double>(first + static_cast<std::ptrdiff_t>(i)));
    phase(hn::Set(d, leading), hn::Set(d, rest), r, cosines + i, sines + i);
  }
}

// tile[n][lane] = sum over l of rows[n * stride + l] * panel[l][lane]: twelve sums in registers.
HWY_INLINE void multiply(const double* panel, const double* rows, std::size_t stride, std::size_t length,
                         Vector (&tile)[row_group][panel_vectors]) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  for (auto& row : tile) {
    for (Vector& sum : row) sum = hn::Zero(d);
  }
  for (std::size_t l = 0; l < length; ++l) {
    Vector column[panel_vectors];
    for (std::size_t v = 0; v < panel_vectors; ++v) column[v] = hn::LoadU(d, panel + (l * panel_vectors + v) * lanes);
    for (std::size_t n = 0; n < row_group; ++n) {
      const Vector value = hn::Set(d, rows[n * stride + l]);
      for (int v = 0; v < panel_vectors; ++v) tile[n][v] = hn::MulAdd(value, column[v], tile[n][v]);
    }
  }
}

// sum += (a + i b) exp(-i y) exp(-i z), where a and b are two rows of a tile.
HWY_INLINE void add_line(const Vector (&a)[panel_vectors], const Vector (&b)[panel_vectors], const double* y,
                         const double* z, double* sum) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t width = panel_vectors * lanes;
  for (std::size_t v = 0; v < panel_vectors; ++v) {
    const std::size_t at = v * lanes;
    const Vector yc = hn::LoadU(d, y + at);
    const Vector ys = hn::LoadU(d, y + width + at);
    const Vector zc = hn::LoadU(d, z + at);
    const Vector zs = hn::LoadU(d, z + width + at);
    const Vector c = hn::NegMulAdd(ys, zs, hn::Mul(yc, zc));
    const Vector s = hn::MulAdd(ys, zc, hn::Mul(yc, zs));
    const Vector real = hn::MulAdd(b[v], s, hn::MulAdd(a[v], c, hn::LoadU(d, sum + at)));
    const Vector imag = hn::NegMulAdd(a[v], s, hn::MulAdd(b[v], c, hn::LoadU(d, sum + width + at)));
    hn::StoreU(real, d, sum + at);
    hn::StoreU(imag, d, sum + width + at);
  }
}

// The length of a panel that stays in the first-level cache, and the number of pairs of lines that stay in the
// second-level cache while all panels of a block pass over them.
constexpr std::size_t longest = 192;
constexpr std::size_t pair_group = 16;

void forward_sums(const BlockFactors& factors, const FoldedLines& image, double* real, double* imag) {
  const std::size_t width = width_of_panel();
  const std::size_t panels = forward_samples / width;
  const std::size_t pairs = (image.lines + 1) / 2;
  const std::size_t chunks = divide_up(image.rows, longest);
  const std::size_t chunk = divide_up(image.rows, chunks);
  double sums[2 * forward_samples] = {};
  for (std::size_t group = 0; group < pairs; group += pair_group) {
    for (std::size_t row = 0; row < image.rows; row += chunk) {
      const std::size_t length = std::min(chunk, image.rows - row);
      for (std::size_t p = 0; p < panels; ++p) {
        const double* x = factors.x + (p * image.rows + row) * width;
        const double* y = factors.y + p * factors.ny * 2 * width;
        const double* z = factors.z + p * factors.nz * 2 * width;
        for (std::size_t pair = group; pair < std::min(pairs, group + pair_group); ++pair) {
          Vector tile[row_group][panel_vectors];
          multiply(x, image.values + pair * row_group * image.rows + row, image.rows, length, tile);
          for (std::size_t i = 0; i < 2 && 2 * pair + i < image.lines; ++i) {
            const std::size_t line = 2 * pair + i;
            add_line(tile[2 * i], tile[2 * i + 1], y + line % factors.ny * 2 * width, z + line / factors.ny * 2 * width,
                     sums + p * 2 * width);
          }
        }
      }
    }
  }
  for (std::size_t j = 0; j < forward_samples; ++j) {
    real[j] = sums[j / width * 2 * width + j % width];
    imag[j] = sums[j / width * 2 * width + width + j % width];
  }
}

void adjoint_sums(const LinePanel& panel, const double* x_rows, std::size_t rows, double* sums) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t width = panel_vectors * lanes;
  // Room for the widest panel.
  HWY_ALIGN double values[2][adjoint_samples * panel_vectors * 8];
  for (std::size_t j = 0; j < adjoint_samples; ++j) {
    const double c = panel.z_cosine[j];
    const double s = panel.z_sine[j];
    const Vector a = hn::Set(d, panel.real[j] * c - panel.imag[j] * s);
    const Vector b = hn::Set(d, panel.real[j] * s + panel.imag[j] * c);
    for (std::size_t at = 0; at < width; at += lanes) {
      const Vector yc = hn::LoadU(d, panel.y_cosines + j * panel.y_stride + at);
      const Vector ys = hn::LoadU(d, panel.y_sines + j * panel.y_stride + at);
      hn::StoreU(hn::NegMulAdd(b, ys, hn::Mul(a, yc)), d, values[0] + j * width + at);
      hn::StoreU(hn::MulAdd(a, ys, hn::Mul(b, yc)), d, values[1] + j * width + at);
    }
  }
  for (std::size_t part = 0; part < 2; ++part) {
    for (std::size_t row = 0; row < rows; row += row_group) {
      Vector tile[row_group][panel_vectors];
      multiply(values[part], x_rows + row * adjoint_samples, adjoint_samples, adjoint_samples, tile);
      double* sum = sums + (part * rows + row) * width;
      for (const auto& line : tile) {
        for (const Vector& value : line) {
          hn::StoreU(hn::Add(value, hn::LoadU(d, sum)), d, sum);
          sum += lanes;
        }
      }
    }
  }
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(width_of_panel);
HWY_EXPORT(fill_phase_rows);
HWY_EXPORT(fill_phase_row);
HWY_EXPORT(forward_sums);
HWY_EXPORT(adjoint_sums);

std::size_t panel_width() { return HWY_DYNAMIC_DISPATCH(width_of_panel)(); }

void phase_rows(const AxisPositions& k, std::size_t columns, std::ptrdiff_t first, std::size_t rows, double* cosines,
                double* sines, std::size_t stride) {
  HWY_DYNAMIC_DISPATCH(fill_phase_rows)(k, columns, first, rows, cosines, sines, stride);
}

void phase_row(double leading, double rest, std::ptrdiff_t first, std::size_t pixels, double* cosines, double* sines) {
  HWY_DYNAMIC_DISPATCH(fill_phase_row)(leading, rest, first, pixels, cosines, sines);
}

void sum_over_pixels(const BlockFactors& factors, const FoldedLines& image, double* real, double* imag) {
  HWY_DYNAMIC_DISPATCH(forward_sums)(factors, image, real, imag);
}

void add_to_lines(const LinePanel& panel, const double* x_rows, std::size_t rows, double* sums) {
  HWY_DYNAMIC_DISPATCH(adjoint_sums)(panel, x_rows, rows, sums);
}

}  // namespace whorl::backend::cpu
#endif
