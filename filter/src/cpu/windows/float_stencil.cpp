#include "filter/src/cpu/windows/float_stencil.hpp"

#include <hwy/cache_control.h>
#include <omp.h>

#include <algorithm>

#include "core/parallel.hpp"
#include "filter/src/cpu/windows/dense_sums.hpp"
#include "filter/src/cpu/windows/stencil_taps.hpp"
#include "whorl/core/array.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

namespace {

using kernels::Stencil;

// A result larger than this has left the caches when it is read again.
constexpr std::size_t cached_bytes = 16 << 20;
// Rows of a thread's work, and the longest pieces of rows whose window stays in the second-level cache.
constexpr Index strip_rows = 64;
constexpr Index longest_piece = 6144;
// Two rows of results are summed at a time; rows near the edges are copied a few at a time.
constexpr Index pair = 2;
constexpr Index copied_rows = 4;
// Vectors are aligned to cache lines if rows are.
constexpr Index line = 16;
constexpr Index widest_kernel = 5;

/// Results of the rows [top, bottom) of a slice, numbers [left, right) of each.
struct Area {
  Index slice, top, bottom, left, right;
};

/// The results whose pixels are read in place: [left, right) of the rows [top, bottom), rows in pairs.
struct Middle {
  Middle(const ImageFormat& format, const Stencil& stencil) {
    const Index channels = count_of(format.channels);
    const Index unit = line * (channels == 3 ? channels : 1);
    const Index reach = stencil.width / 2 * channels;
    left = round_up(reach, unit);
    right = (format.row() - reach) / unit * unit;
    top = round_up(stencil.height / 2, pair);
    bottom = std::max(top, (format.height - stencil.height / 2) / pair * pair);
  }
  Index left, right, top, bottom;
};

/// One thread's work.
class FloatRows {
 public:
  FloatRows(const ImageFormat& format, const Stencil& stencil, const float* from, float* to)
      : format_(format),
        stencil_(stencil),
        middle_(format, stencil),
        channels_(count_of(format.channels)),
        halo_((stencil.width - 1) * channels_),
        from_(from),
        to_(to),
        finish_(finish_of<float>(stencil)),
        in_place_(taps_over(format.row())),
        side_pitch_(round_up(std::max(middle_.left, format.row() - middle_.right) + halo_, line) + line),
        beside_(taps_over(side_pitch_)),
        row_pitch_(round_up(format.row() + halo_, line) + line),
        whole_(taps_over(row_pitch_)),
        stream_(format.bytes() > cached_bytes && format.row() % line == 0) {}

  /// The number of floats of scratch memory for a thread.
  Index memory() const {
    return std::max((strip_rows + stencil_.height) * side_pitch_, (copied_rows + stencil_.height) * row_pitch_) +
           format_.row();
  }

  void filter(const Context& ctx, Index slice, Index top, Index bottom, float* memory) const {
    float* unused = memory;
    float* copies = memory + format_.row();
    const Index first = std::clamp(middle_.top, top, bottom);
    const Index last = std::clamp(middle_.bottom, first, bottom);
    for (Index y = top; y < first; y += copied_rows) {
      sum_copied({slice, y, std::min(y + copied_rows, first), 0, format_.row()}, whole_, row_pitch_, copies, unused);
    }
    if (first < last) {
      for (Index left = middle_.left; left < middle_.right && !ctx.cancel_requested(); left += longest_piece) {
        sum_in_place({slice, first, last, left, std::min(left + longest_piece, middle_.right)}, unused);
      }
      if (middle_.left > 0) {
        sum_copied({slice, first, last, 0, middle_.left}, beside_, side_pitch_, copies, unused);
      }
      if (middle_.right < format_.row()) {
        sum_copied({slice, first, last, middle_.right, format_.row()}, beside_, side_pitch_, copies, unused);
      }
    }
    for (Index y = last; y < bottom; y += copied_rows) {
      sum_copied({slice, y, std::min(y + copied_rows, bottom), 0, format_.row()}, whole_, row_pitch_, copies, unused);
    }
  }

 private:
  Taps<float> taps_over(Index pitch) const {
    return real_taps<float>(stencil_.reals, stencil_.width, pitch, channels_);
  }
  float* results(const Area& area) const {
    return to_ + (area.slice * format_.height + area.top) * format_.row() + area.left;
  }

  void sum_in_place(const Area& area, float* unused) const {
    const Index row = area.slice * format_.height + area.top - stencil_.height / 2;
    TapFinish finish = finish_;
    finish.stream = stream_ && reinterpret_cast<std::uintptr_t>(to_) % (line * sizeof(float)) == 0;
    real_sums_of_rows(from_ + row * format_.row() + area.left - halo_ / 2, format_.row(), in_place_, finish,
                      {area.bottom - area.top, area.right - area.left}, results(area), format_.row(), unused);
    if (finish.stream) hwy::FlushStream();
  }

  // The number of the image for each of a row of copies, or -1.
  void find_sources(const Area& area, std::vector<Index>& sources) const {
    sources.clear();
    for (Index i = area.left - halo_ / 2; i < area.right + halo_ / 2; i += channels_) {
      // Numbers are counted from a pixel far to the left, so that none is negative.
      const Index x = (i + halo_) / channels_ - (stencil_.width - 1);
      const Index source = border_index(stencil_.border, x, format_.width);
      for (Index c = 0; c < channels_; ++c) sources.push_back(source < 0 ? -1 : source * channels_ + c);
    }
  }

  void sum_copied(const Area& area, const Taps<float>& taps, Index pitch, float* copies, float* unused) const {
    std::vector<Index> sources;
    find_sources(area, sources);
    const auto outside = static_cast<float>(stencil_.border_value);
    const Index rows = round_up(area.bottom - area.top, pair) + stencil_.height - 1;
    for (Index k = 0; k < rows; ++k) {
      const Index y = border_index(stencil_.border, area.top + k - stencil_.height / 2, format_.height);
      const float* source = from_ + (area.slice * format_.height + y) * format_.row();
      float* copy = copies + k * pitch;
      for (const Index i : sources) *copy++ = y < 0 || i < 0 ? outside : source[i];
    }
    real_sums_of_rows(copies, pitch, taps, finish_, {area.bottom - area.top, area.right - area.left}, results(area),
                      format_.row(), unused);
  }

  const ImageFormat& format_;
  const Stencil& stencil_;
  Middle middle_;
  Index channels_, halo_;
  const float* from_;
  float* to_;
  TapFinish finish_;
  Taps<float> in_place_;
  Index side_pitch_;
  Taps<float> beside_;
  Index row_pitch_;
  Taps<float> whole_;
  bool stream_;
};

}  // namespace

bool fits_float_stencil(const ImageFormat& format, const Stencil& stencil) {
  const Middle middle(format, stencil);
  return stencil.height < least_dense_height && stencil.width <= widest_kernel && middle.left < middle.right;
}

void float_stencil(const Context& ctx, const ImageFormat& format, const Stencil& stencil, const float* from,
                   float* to) {
  // An equal number of strips for each thread, of pairs of rows.
  const Index all = format.slices() * divide_up(format.height, strip_rows);
  const Index strips = round_up(all, ctx.threads()) / format.slices();
  const Index tall = round_up(divide_up(format.height, strips), pair);
  const Index down = divide_up(format.height, tall);
  const FloatRows rows(format, stencil, from, to);
  Array<float> memory(ctx, {ctx.threads(), rows.memory()});
  detail::parallel_for(ctx, "stencil", 0, format.slices() * down, [&](Index at) {
    const Index top = at % down * tall;
    rows.filter(ctx, at / down, top, std::min(top + tall, format.height),
                memory.data() + omp_get_thread_num() * rows.memory());
  });
}

}  // namespace whorl::backend::cpu
