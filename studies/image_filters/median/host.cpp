// The median on a CPU. Each version changes one thing.
#include <algorithm>
#include <array>
#include <vector>

#include "studies/image_filters/convolution/padding.hpp"
#include "studies/image_filters/median/median.hpp"

namespace whorl::studies::image_filters {

namespace {

using MedianWindow = std::array<Byte, median_taps>;

// step: sorted window, a test of edges for each pixel
Byte by_sorting(MedianWindow& window) {
  std::sort(window.begin(), window.end());
  return window[median_place];
}
// end of step

// step: selection in place of sorting; padding in place of tests
Byte by_selection(MedianWindow& window) {
  std::nth_element(window.begin(), window.begin() + median_place, window.end());
  return window[median_place];
}
// end of step

// step: sorted window, a test of edges for each pixel; selection in place of sorting
/// A test of the edges for each pixel of the window.
template <Byte (*median)(MedianWindow&)>
void of_windows(const Context& ctx, const Job& job) {
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (int y = 0; y < job.rows; ++y) {
    for (int x = 0; x < job.width; ++x) {
      for (int c = 0; c < 3; ++c) {
        MedianWindow window{};
        Byte* next = window.data();
        for (int j = -median_radius; j <= median_radius; ++j) {
          for (int i = -median_radius; i <= median_radius; ++i) {
            const Index at = Index{wrapped(y + j, job.height)} * job.width + wrapped(x + i, job.width);
            *next++ = job.from[3 * at + c];
          }
        }
        job.to[3 * (Index{y} * job.width + x) + c] = median(window);
      }
    }
  }
}
// end of step

// step: padding in place of tests
/// Medians of windows of a padded picture.
void of_padded_windows(const Context& ctx, const Job& job) {
  const Padded framed = pad(ctx, job, median_radius);
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (int y = 0; y < job.rows; ++y) {
    for (int k = 0; k < 3 * job.width; ++k) {
      MedianWindow window{};
      Byte* next = window.data();
      for (int j = 0; j < median_extent; ++j) {
        const Byte* const from = framed.row(y + j) + k;
        for (int i = 0; i < median_extent; ++i) *next++ = from[Index{3} * i];
      }
      job.to[3 * Index{y} * job.width + k] = by_selection(window);
    }
  }
}
// end of step

// step: a histogram that moves along the row
/// A histogram of the levels of a window, and where its median is.
struct LevelCounts {
  std::array<int, 256> counts{};
  int below = 0;  ///< numbers below the median
  int median = 0;

  void add(Byte level, int by) {
    counts[level] += by;
    if (level < median) below += by;
  }
  /// The median lies near that of the window before.
  Byte find() {
    while (below > median_place) below -= counts[static_cast<std::size_t>(--median)];
    while (below + counts[static_cast<std::size_t>(median)] <= median_place) {
      below += counts[static_cast<std::size_t>(median++)];
    }
    return static_cast<Byte>(median);
  }
};

/// Linear in the radius (Huang, Yang, Tang, 1979): from one pixel to the next a column leaves and one comes.
void moving_histogram(const Context& ctx, const Job& job) {
  const Padded framed = pad(ctx, job, median_radius);
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (int y = 0; y < job.rows; ++y) {
    for (int c = 0; c < 3; ++c) {
      LevelCounts histogram;
      const auto column = [&](int x, int by) {
        for (int j = 0; j < median_extent; ++j) histogram.add(framed.row(y + j)[3 * x + c], by);
      };
      for (int x = 0; x < median_extent - 1; ++x) column(x, 1);
      for (int x = 0; x < job.width; ++x) {
        column(x + median_extent - 1, 1);
        job.to[3 * (Index{y} * job.width + x) + c] = histogram.find();
        column(x, -1);
      }
    }
  }
}
// end of step

// step: histograms of columns
/// Constant in the radius (Perreault, Hebert, 2007): a histogram for each column, of which a pixel enters and one leaves
/// from row to row; that of the window is a sum of them, with a sum of sixteen levels each above it.
class ColumnHistograms {
 public:
  ColumnHistograms(const Padded& framed, int columns, int channel, int row)
      : framed_(framed), columns_(columns), channel_(channel), fine_(static_cast<std::size_t>(columns) * 256) {
    for (int j = 0; j < median_extent; ++j) change(row + j, 1);
  }

  /// The window's rows begin at row + 1.
  void next_row(int row) {
    change(row, -1);
    change(row + median_extent, 1);
  }

  template <class Store>
  void medians(int width, const Store& store) {
    std::array<int, 256> sums{};
    std::array<int, 16> coarse{};
    const auto add = [&](int column, int by) {
      const short* const counts = fine_.data() + static_cast<std::size_t>(column) * 256;
      for (std::size_t level = 0; level < 256; ++level) sums[level] += by * counts[level];
    };
    for (int x = 0; x < median_extent - 1; ++x) add(x, 1);
    for (int x = 0; x < width; ++x) {
      add(x + median_extent - 1, 1);
      for (std::size_t part = 0; part < 16; ++part) {
        coarse[part] = 0;
        for (std::size_t level = 0; level < 16; ++level) coarse[part] += sums[16 * part + level];
      }
      int rest = median_place;
      std::size_t level = 0;
      for (std::size_t part = 0; rest >= coarse[part]; ++part) {
        rest -= coarse[part];
        level += 16;
      }
      for (; rest >= sums[level]; ++level) rest -= sums[level];
      store(x, static_cast<Byte>(level));
      add(x, -1);
    }
  }

 private:
  void change(int row, int by) {
    const Byte* const from = framed_.row(row) + channel_;
    for (int x = 0; x < columns_; ++x) {
      short& count = fine_[static_cast<std::size_t>(x) * 256 + from[Index{3} * x]];
      count = static_cast<short>(count + by);
    }
  }

  const Padded& framed_;
  int columns_;
  int channel_;
  std::vector<short> fine_;
};

void column_histograms(const Context& ctx, const Job& job) {
  const Padded framed = pad(ctx, job, median_radius);
  const int threads = ctx.threads();
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int part = 0; part < 3 * threads; ++part) {
    // A color of a band of rows.
    const int channel = part % 3;
    const auto first = static_cast<int>(Index{job.rows} * (part / 3) / threads);
    const auto last = static_cast<int>(Index{job.rows} * (part / 3 + 1) / threads);
    if (first == last) continue;
    ColumnHistograms histograms(framed, job.width + 2 * median_radius, channel, first);
    for (int y = first; y < last; ++y) {
      if (y > first) histograms.next_row(y - 1);
      Byte* const to = job.to + 3 * Index{y} * job.width + channel;
      histograms.medians(job.width, [&](int x, Byte level) { to[Index{3} * x] = level; });
    }
  }
}
// end of step

// step: bit by bit, a row of pixels at a time
/// The median's bits from the highest on: a bit is 1 if fewer than half of the numbers lie below the candidate that has
/// it. A tap is compared with the candidates of many neighboring pixels at once, which suits vector instructions.
void bit_by_bit(const Context& ctx, const Job& job) {
  const Padded framed = pad(ctx, job, median_radius);
  constexpr int piece = 768;
  const int numbers = 3 * job.width;
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (int y = 0; y < job.rows; ++y) {
    for (int first = 0; first < numbers; first += piece) {
      const int count = std::min(piece, numbers - first);
      Byte medians[piece] = {};
      for (int bit = 128; bit > 0; bit /= 2) {
        Byte candidates[piece];
        Byte below[piece] = {};  // 49 at most
        for (int k = 0; k < count; ++k) candidates[k] = static_cast<Byte>(medians[k] | bit);
        for (int j = 0; j < median_extent; ++j) {
          for (int i = 0; i < median_extent; ++i) {
            const Byte* const from = framed.row(y + j) + Index{3} * i + first;
            for (int k = 0; k < count; ++k) below[k] = static_cast<Byte>(below[k] + (from[k] < candidates[k] ? 1 : 0));
          }
        }
        for (int k = 0; k < count; ++k) medians[k] = below[k] <= median_place ? candidates[k] : medians[k];
      }
      std::copy(medians, medians + count, job.to + Index{y} * numbers + first);
    }
  }
}
// end of step

}  // namespace

std::vector<Step> median_on_host() {
  // Comparisons of a pixel, for the versions that take long.
  constexpr double sort_work = 3.0 * median_taps * 6;
  constexpr double column_work = 3.0 * 2 * 256;
  return {{.name = "sorted window, a test of edges for each pixel", .run = of_windows<by_sorting>, .work = sort_work},
          {.name = "selection in place of sorting", .run = of_windows<by_selection>, .work = sort_work},
          {.name = "padding in place of tests", .run = of_padded_windows, .work = sort_work},
          {.name = "a histogram that moves along the row", .run = moving_histogram},
          {.name = "histograms of columns", .run = column_histograms, .work = column_work},
          {.name = "bit by bit, a row of pixels at a time", .run = bit_by_bit}};
}

}  // namespace whorl::studies::image_filters
