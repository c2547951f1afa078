#include "studies/fhd/cpu/separable.hpp"

#include <algorithm>
#include <vector>

#include "studies/fhd/cpu/kernels.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::studies::fhd::cpu {

namespace {

constexpr auto length = static_cast<Index>(chunk_samples);
constexpr Index most_chunks = 16;  // whose tables are in memory together; then threads wait for one another

/// The tables of a chunk and its samples, padded with zeros after the end of the scan.
class Tables {
 public:
  Tables(const Context& ctx, const std::array<Index, 3>& image)
      : image_(image),
        width_(round_up(image[2], tile_columns())),
        samples_(zeros<float>(ctx, {5, length})),
        x_(ctx, {2, length, width_}),
        y_(ctx, {image[1], 2, length}),
        z_(ctx, {image[0], 2, length}) {}

  Index width() const { return width_; }
  const float* x() const { return x_.data(); }

  void load(const Sums<float>& s, const Mu<float>& mu, Index first) {
    const Index count = std::min(length, s.samples - first);
    const std::array<const float*, 5> from{s.kx, s.ky, s.kz, mu.real, mu.imag};
    for (Index i = 0; i < 5; ++i) {
      const float* const plane = from[static_cast<std::size_t>(i)] + first;
      float* const to = samples_.data() + i * length;
      std::fill(std::copy(plane, plane + count, to), to + length, 0.0F);
    }
  }

  /// Called by all threads of a team together; they must wait for one another afterwards.
  void fill() {
    const Index nz = image_[0];
    const Index ny = image_[1];
    const Index nx = image_[2];
    const float* const k = samples_.data();
#pragma omp for schedule(static) nowait
    for (Index j = 0; j < length; ++j) {
      fill_phases_along(k[j], -(nx / 2), width_, x_.data() + j * width_, x_.data() + (length + j) * width_);
    }
#pragma omp for schedule(static) nowait
    for (Index y = 0; y < ny; ++y) {
      float* const row = y_.data() + y * 2 * length;
      fill_phases_at(k + length, y - ny / 2, row, row + length);
    }
#pragma omp for schedule(static) nowait
    for (Index z = 0; z < nz; ++z) {
      float* const row = z_.data() + z * 2 * length;
      fill_phases_at(k + 2 * length, z - nz / 2, row, row + length);
    }
  }

  /// The values of the samples on the lines from `line` on, z outside; zeros for missing lines.
  void lines_from(Index line, TwoLines& lines) const {
    const float* const mu = samples_.data() + 3 * length;
    for (std::size_t l = 0; l < 2; ++l, ++line) {
      if (line >= image_[0] * image_[1]) {
        lines.real[l].fill(0);
        lines.imag[l].fill(0);
        continue;
      }
      const float* const y = y_.data() + line % image_[1] * 2 * length;
      const float* const z = z_.data() + line / image_[1] * 2 * length;
      fill_line(y, z, mu, lines.real[l].data(), lines.imag[l].data());
    }
  }

 private:
  std::array<Index, 3> image_;
  Index width_;
  Array<float> samples_;  ///< [k_x, k_y, k_z, Mu real, imaginary][sample]
  Array<float> x_;        ///< [cosines, sines][sample][x]
  Array<float> y_;        ///< [y][cosines, sines][sample]
  Array<float> z_;        ///< [z][cosines, sines][sample]
};

}  // namespace

void separable(const Context& ctx, const std::array<Index, 3>& image, const Sums<float>& s, const Mu<float>& mu) {
  const Index nx = image[2];
  const Index lines = image[0] * image[1];
  const Index pairs = (lines + 1) / 2;
  std::vector<Tables> tables;
  for (Index first = 0; first < s.samples && first < most_chunks * length; first += length) {
    tables.emplace_back(ctx, image);
  }
  const Index width = tables.front().width();
  const Index samples = static_cast<Index>(tables.size()) * length;
  Array<float> real = zeros<float>(ctx, {2 * pairs, width});
  Array<float> imag = zeros<float>(ctx, {2 * pairs, width});
  for (Index first = 0; first < s.samples; first += samples) {
    Index chunks = 0;
    for (Index from = first; from < std::min(s.samples, first + samples); from += length, ++chunks) {
      tables[static_cast<std::size_t>(chunks)].load(s, mu, from);
    }
#pragma omp parallel num_threads(ctx.threads())
    {
      for (Index chunk = 0; chunk < chunks; ++chunk) tables[static_cast<std::size_t>(chunk)].fill();
#pragma omp barrier
      TwoLines values;
      for (Index chunk = 0; chunk < chunks; ++chunk) {
        const Tables& table = tables[static_cast<std::size_t>(chunk)];
        // A thread has the same lines in every chunk, so it need not wait for others.
#pragma omp for schedule(static) nowait
        for (Index pair = 0; pair < pairs; ++pair) {
          table.lines_from(2 * pair, values);
          float* const to = real.data() + 2 * pair * width;
          float* const to_imag = imag.data() + 2 * pair * width;
          add_lines(values, table.x(), width, {{to, to + width}, {to_imag, to_imag + width}});
        }
      }
    }
  }
  for (Index line = 0; line < lines; ++line) {
    std::copy(real.data() + line * width, real.data() + line * width + nx, s.real + line * nx);
    std::copy(imag.data() + line * width, imag.data() + line * width + nx, s.imag + line * nx);
  }
}

}  // namespace whorl::studies::fhd::cpu
