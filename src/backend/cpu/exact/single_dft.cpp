#include "backend/cpu/exact/single_dft.hpp"

#include <algorithm>
#include <vector>

#include "backend/cpu/exact/single_sums.hpp"
#include "backend/cpu/exact/split_positions.hpp"
#include "backend/cpu/exact/sum_progress.hpp"

namespace whorl::backend::cpu {

namespace {

constexpr auto length = static_cast<Index>(single_samples);
constexpr Index most_chunks = 4;  // whose tables are in memory together; then threads wait for one another

std::size_t unsigned_of(Index count) { return static_cast<std::size_t>(count); }

/// The tables of a chunk: phases, computed in double.
class SingleTables {
 public:
  SingleTables(const Context& ctx, const std::array<Index, 3>& image, Index batch)
      : image_(image),
        width_(round_up(image[2], single_columns())),
        x_(ctx, {2, length, width_}),
        y_(ctx, {image[1], 2, length}),
        z_(ctx, {image[0], 2, length}),
        values_(zeros<float>(ctx, {batch, 2, length})) {}

  Index width() const { return width_; }
  const float* x() const { return x_.data(); }

  /// Called by all threads of a team together; they must wait for one another afterwards.
  void fill(const SplitPositions& k, Index first, const std::complex<float>* samples, Index count, Index batch) {
    const AxisPositions kx = k.axis(0, first);
    std::vector<double> wide(unsigned_of(2 * std::max(width_, length)));
#pragma omp for schedule(static) nowait
    for (Index j = 0; j < length; ++j) {
      double* const sines = wide.data() + width_;
      phase_row(kx.leading[j], kx.rest[j], -(image_[2] / 2), unsigned_of(width_), wide.data(), sines);
      narrow(wide.data(), sines, width_, x_.data() + j * width_, x_.data() + (length + j) * width_);
    }
    fill_places(k.axis(1, first), image_[1], wide.data(), y_.data());
    fill_places(k.axis(2, first), image_[0], wide.data(), z_.data());
#pragma omp for schedule(static) nowait
    for (Index b = 0; b < batch; ++b) {
      float* const values = values_.data() + b * 2 * length;
      for (Index j = 0; j < length; ++j) {
        const std::complex<float> value = first + j < count ? samples[b * count + first + j] : 0.0F;
        values[j] = value.real();
        values[length + j] = value.imag();
      }
    }
  }

  /// The values of the chunk on the lines from `line` on, z outside; zeros for missing lines.
  void lines_from(Index batch, Index line, TwoLines& lines) const {
    for (std::size_t l = 0; l < 2; ++l, ++line) {
      if (line >= image_[0] * image_[1]) {
        lines.real[l].fill(0);
        lines.imag[l].fill(0);
        continue;
      }
      fill_line(y_.data() + line % image_[1] * 2 * length, z_.data() + line / image_[1] * 2 * length,
                values_.data() + batch * 2 * length, lines.real[l].data(), lines.imag[l].data());
    }
  }

 private:
  static void narrow(const double* cosines, const double* sines, Index count, float* to_cosines, float* to_sines) {
    for (Index i = 0; i < count; ++i) {
      to_cosines[i] = static_cast<float>(cosines[i]);
      to_sines[i] = static_cast<float>(sines[i]);
    }
  }

  // [place][cosines, sines][sample]
  static void fill_places(const AxisPositions& k, Index places, double* wide, float* table) {
#pragma omp for schedule(static) nowait
    for (Index i = 0; i < places; ++i) {
      phase_rows(k, single_samples, i - places / 2, 1, wide, wide + length, single_samples);
      float* const row = table + i * 2 * length;
      narrow(wide, wide + length, length, row, row + length);
    }
  }

  std::array<Index, 3> image_;
  Index width_;
  Array<float> x_;       ///< [cosines, sines][sample][x]
  Array<float> y_;       ///< [y][cosines, sines][sample]
  Array<float> z_;       ///< [z][cosines, sines][sample]
  Array<float> values_;  ///< [batch][real, imaginary][sample]
};

/// The sums of all chunks, of the image's lines.
class WideSums {
 public:
  WideSums(const Context& ctx, Index batch, Index lines, Index nx)
      : lines_(lines), nx_(nx), sums_(zeros<std::complex<double>>(ctx, {batch, lines, nx})) {}

  /// Adds a chunk to a pair of lines; scratch [2, 2, width].
  void add(Index pair, const SingleTables& table, Index batch, TwoLines& values, float* scratch) {
    const Index width = table.width();
    table.lines_from(batch, 2 * pair, values);
    sum_lines(values, table.x(), width, {{scratch, scratch + width}, {scratch + 2 * width, scratch + 3 * width}});
    for (Index line = 2 * pair; line < std::min(lines_, 2 * pair + 2); ++line) {
      std::complex<double>* const to = sums_.data() + (batch * lines_ + line) * nx_;
      const float* const real = scratch + line % 2 * width;
      for (Index x = 0; x < nx_; ++x) to[x] += std::complex<double>(real[x], real[2 * width + x]);
    }
  }

  void write(double scale, std::complex<float>* images) const {
    std::transform(sums_.span().begin(), sums_.span().end(), images,
                   [scale](std::complex<double> sum) { return std::complex<float>(scale * sum); });
  }

 private:
  Index lines_;
  Index nx_;
  Array<std::complex<double>> sums_;
};

}  // namespace

void single_dft_adjoint(const Context& ctx, const kernels::DftGeometry& geometry, const std::complex<float>* samples,
                        std::complex<float>* images, Index batch) {
  const auto [nz, ny, nx] = geometry.image;
  const Index count = geometry.points.extent(0);
  const Index pairs = (nz * ny + 1) / 2;
  const SplitPositions k(ctx, geometry.points, length);
  std::vector<SingleTables> tables;
  for (Index first = 0; first < std::min(count, most_chunks * length); first += length) {
    tables.emplace_back(ctx, geometry.image, batch);
  }
  WideSums sums(ctx, batch, nz * ny, nx);
  SumProgress progress(ctx, count, nz * ny * nx * batch);
  for (Index first = 0; first < count; first += most_chunks * length) {
    const Index chunks = std::min(most_chunks, (count - first + length - 1) / length);
#pragma omp parallel num_threads(ctx.threads())
    {
      for (Index c = 0; c < chunks; ++c) {
        tables[unsigned_of(c)].fill(k, first + c * length, samples, count, batch);
      }
#pragma omp barrier
      TwoLines values;
      std::vector<float> scratch(unsigned_of(4 * tables.front().width()));
      for (Index c = 0; c < chunks; ++c) {
        // A thread has the same lines in every chunk, so it need not wait for others.
#pragma omp for schedule(static) nowait
        for (Index i = 0; i < batch * pairs; ++i) {
          sums.add(i % pairs, tables[unsigned_of(c)], i / pairs, values, scratch.data());
        }
      }
    }
    progress.advance(std::min(most_chunks * length, count - first));
  }
  sums.write(geometry.scale, images);
}

}  // namespace whorl::backend::cpu
