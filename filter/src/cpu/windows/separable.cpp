// Sums over windows that are a column times a row, on a CPU. One kernel takes every window: first along y into a band
// of rows that stays in the cache, then along x from there (sum_rows). Between the passes bytes are integers of 16
// bits, all other types floats.
#include "filter/src/kernels/windows/separable.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "backend/cpu/parallel.hpp"
#include "core/parallel.hpp"
#include "filter/src/cpu/points/point_ends.hpp"
#include "filter/src/cpu/prefetch.hpp"
#include "filter/src/cpu/windows/sum_rows.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

namespace {

using namespace kernels;

// Rows for which the first pass is done before the second: the input rows that they share stay in the cache.
constexpr Index band_rows = 8;
// A result larger than this has left the caches when it is read again.
constexpr std::size_t cache_bytes = 16 << 20;
// Bytes of input that are read at a time; they stay in the second-level cache.
constexpr Index block_bytes = 256 << 10;
// Bytes of the next rows that may be prefetched without evicting data in use.
constexpr Index ahead_bytes = 192 << 10;

constexpr Index line = 64;
// Rows that are a multiple of a page apart compete for the same sets of the first-level cache. If there are more of
// them than the cache has ways, they are copied.
constexpr Index page_bytes = 4096;
constexpr Index cache_ways = 8;

template <class T>
using TapOf = std::conditional_t<std::is_same_v<T, std::uint8_t>, std::int16_t, float>;

TwoPasses<std::int16_t> passes_of(const SeparableTaps& taps, std::int16_t /*tap*/) { return fixed_taps(taps); }
TwoPasses<float> passes_of(const SeparableTaps& taps, float /*tap*/) { return float_taps(taps); }

// One thread's work on bands of rows. Numbers between the passes have the type of the taps.
template <class T>
class Bands {
 public:
  using Between = TapOf<T>;

  Bands(const ImageFormat& format, const TwoPasses<Between>& passes, const BorderOptions& border, const RowsIn<T>& in,
        const RowsOut<T>& out)
      : format_(format),
        passes_(passes),
        in_(in),
        // No two intermediate rows use the same sets of the first-level cache.
        rows_(in, passes.y.radius() * 2 + band_rows, format.width, format.row() + line),
        out_(out),
        border_(border.border),
        channels_(count_of(format.channels)),
        reach_(passes.x.radius() * channels_),
        beside_(static_cast<Between>(pass_of_constant(passes.y, border_number<T>(border)))),
        beyond_(static_cast<std::size_t>(format.row()), border_number<T>(border)),
        between_(static_cast<std::size_t>(band_rows * stride())),
        inputs_(static_cast<std::size_t>(passes.y.radius() * 2 + band_rows)),
        shifted_(static_cast<std::size_t>(passes.x.radius() * 2 + 1)) {
    const Index window = passes.y.radius() * 2 + band_rows;
    block_ = std::max<Index>(block_bytes / (window * static_cast<Index>(sizeof(T))) / line, 8) * line;
    const bool same_places = format.row() * static_cast<Index>(sizeof(T)) % page_bytes == 0;
    if (!in.are_made() && same_places && passes.y.radius() * 2 >= cache_ways) {
      copies_.resize(static_cast<std::size_t>(window * (block_ + line)));
    }
    if (out.are_made()) results_.resize(static_cast<std::size_t>(format.row()));
  }

  // Rows [first, last) of the slice whose first row is `top`.
  void filter(Index top, Index first, Index last) {
    const Index row = format_.row();
    const Index radius = passes_.y.radius();
    for (Index x = 0; x < row; x += block_) {
      const Index count = std::min(block_, row - x);
      for (Index k = 0; k < last - first + 2 * radius; ++k) {
        const T*& input = inputs_[static_cast<std::size_t>(k)];
        const Index source = border_index(border_, first + k - radius, format_.height);
        input = (source < 0 ? beyond_.data() : rows_(top + source, first + k)) + x;
        if (!copies_.empty()) input = std::copy_n(input, count, copies_.data() + k * (block_ + line)) - count;
      }
      for (Index y = first; y < last; ++y) {
        sum_rows(passes_.y, inputs_.data() + (y - first), count, false, between(y - first) + x);
      }
    }
    const bool is_large = format_.bytes() > cache_bytes;
    const bool looks_ahead = is_large && band_rows * in_.row_bytes() <= ahead_bytes;
    for (Index y = first; y < last; ++y) {
      // A row that the next band reads first.
      const Index ahead = y + radius + band_rows;
      if (looks_ahead && ahead < format_.height) prefetch_row(in_.bytes(top + ahead), in_.row_bytes());
      Between* middle = between(y - first);
      fill_sides(middle);
      for (Index k = 0; k < static_cast<Index>(shifted_.size()); ++k) {
        shifted_[static_cast<std::size_t>(k)] = middle + k * channels_ - reach_;
      }
      const bool stream = is_large && !out_.are_made();
      out_.put(top + y, 0, format_.width, results_.data(),
               [&](T* place) { sum_rows(passes_.x, shifted_.data(), row, stream, place); });
    }
  }

 private:
  Index stride() const { return format_.row() + 2 * reach_; }
  Between* between(Index y) { return between_.data() + y * stride() + reach_; }

  void fill_sides(Between* row) const {
    const auto fill = [&](Index x) {
      const Index source = border_index(border_, x, format_.width);
      for (Index c = 0; c < channels_; ++c) {
        row[x * channels_ + c] = source < 0 ? beside_ : row[source * channels_ + c];
      }
    };
    for (Index x = -passes_.x.radius(); x < 0; ++x) fill(x);
    for (Index x = format_.width; x < format_.width + passes_.x.radius(); ++x) fill(x);
  }

  const ImageFormat& format_;
  const TwoPasses<Between>& passes_;
  const RowsIn<T>& in_;
  WindowRows<T> rows_;
  const RowsOut<T>& out_;
  Border border_;
  Index channels_, reach_;
  Between beside_;
  std::vector<T> beyond_;
  std::vector<Between> between_;
  std::vector<T> copies_, results_;
  std::vector<const T*> inputs_;
  std::vector<const Between*> shifted_;
  Index block_ = 0;
};

template <class T>
void separable(const Context& ctx, const ImageFormat& format, const SeparableTaps& taps, const BorderOptions& border,
               const PointEnds& ends, const void* from, void* to) {
  const auto passes = passes_of(taps, TapOf<T>{});
  const RowsIn<T> in(ends.load, from, format.width, count_of(format.channels));
  const RowsOut<T> out(ends.store, to, format.width, count_of(format.channels));
  const Index bands = divide_up(format.height, band_rows);
  const Index work = format.shape().size() * static_cast<Index>(taps.x.size() + taps.y.size());
  const int threads = threads_for(ctx, work);
  std::vector<Bands<T>> workers(static_cast<std::size_t>(threads), Bands<T>(format, passes, border, in, out));
  detail::parallel_for(ctx, threads, "separable window", 0, threads, [&](Index thread) {
    const Index all = bands * format.slices();
    for (Index band = all * thread / threads; band < all * (thread + 1) / threads; ++band) {
      if (ctx.cancel_requested()) break;
      const Index first = band % bands * band_rows;
      workers[static_cast<std::size_t>(thread)].filter(band / bands * format.height, first,
                                                       std::min(first + band_rows, format.height));
    }
  });
}

}  // namespace

void register_separable() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::separable<T>.set(DeviceKind::cpu, separable<T>);
  });
}

}  // namespace whorl::backend::cpu
