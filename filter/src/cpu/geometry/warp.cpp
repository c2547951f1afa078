#include "filter/src/kernels/geometry/warp.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/parallel.hpp"
#include "filter/src/cpu/geometry/warp_row.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

namespace {

using kernels::Fixed;

struct Span {
  Index begin = 0;
  Index end = 0;
};

Index rounded_up(Fixed a, Fixed b) { return a / b + (a % b > 0 ? 1 : 0); }

// The part of a span where low <= start + x along < high.
Span part_between(Span span, Fixed start, Fixed along, Fixed low, Fixed high) {
  Span found{0, span.end};
  if (along == 0) {
    if (start < low || start >= high) found.end = 0;
  } else if (along > 0) {
    found = {rounded_up(low - start, along), rounded_up(high - start, along)};
  } else {
    found = {-rounded_up(high - start, -along) + 1, -rounded_up(low - start, -along) + 1};
  }
  found.begin = std::clamp(found.begin, span.begin, span.end);
  found.end = std::clamp(found.end, found.begin, span.end);
  return found;
}

template <class T>
class RowWarper {
 public:
  explicit RowWarper(const kernels::WarpJob<T>& job) : job_(job) {
    constexpr Index most_bytes = std::numeric_limits<std::int32_t>::max();
    const Index bytes = job.rows_there * job.width * job.channels * Index{sizeof(T)};
    by_vectors_ = !job.cubic && bytes <= most_bytes;
  }

  // Finds two spans of row y: pixels that depend on the image, and pixels whose neighbors are all in the image.
  void begin_row(Index y) {
    y_ = y;
    const Fixed reach = job_.cubic ? 2 : 1;
    const Span row{0, job_.result_width};
    touching_ = row;
    if (job_.border == Border::constant) {
      touching_ = between(row, -reach, job_.height - 1 + reach, -reach, job_.width - 1 + reach);
    }
    inside_ = {touching_.end, touching_.end};
    if (!by_vectors_) return;
    // Reading two pixels of three bytes also reads the next two bytes.
    const Index more = sizeof(T) == 1 && job_.channels == 3 ? 1 : 0;
    const Index last_row = std::min(job_.height, job_.first_row + job_.rows_there) - 1;
    inside_ = between(touching_, std::max<Index>(job_.first_row, 0), last_row, 0, job_.width - 1 - more);
  }

  void make(const T* slice, Index left, Index right, T* row) const {
    const auto within = [&](Index x) { return std::clamp(x, left, right); };
    std::fill(row + left * job_.channels, row + within(touching_.begin) * job_.channels, job_.value);
    one_by_one(slice, within(touching_.begin), within(inside_.begin), row);
    Index x = within(inside_.begin);
    const Index count = within(inside_.end) - x;
    if (count > 0) x += warp_inside(job_, slice, y_, x, count, row + x * job_.channels);
    one_by_one(slice, x, within(touching_.end), row);
    std::fill(row + within(touching_.end) * job_.channels, row + right * job_.channels, job_.value);
  }

 private:
  Span between(Span span, Index top, Index bottom, Index left, Index right) const {
    const auto fixed = [](Index pixels) { return pixels * (Fixed{1} << kernels::fixed_bits); };
    span = part_between(span, job_.start_y + y_ * job_.down_y, job_.along_y, fixed(top), fixed(bottom));
    return part_between(span, job_.start_x + y_ * job_.down_x, job_.along_x, fixed(left), fixed(right));
  }

  void one_by_one(const T* slice, Index begin, Index end, T* row) const {
    for (Index x = begin; x < end; ++x) kernels::warp_pixel(job_, slice, y_, x, row + x * job_.channels);
  }

  const kernels::WarpJob<T>& job_;
  bool by_vectors_ = false;
  Index y_ = 0;
  Span touching_;
  Span inside_;
};

template <class T>
void warp(const Context& ctx, const kernels::WarpJob<T>& job, const T* from, T* to) {
  // In a tile this low, slanted lines meet few rows of the image.
  constexpr Index tile_rows = 32;
  constexpr Index tile_columns = 128;
  const Index down = divide_up(job.result_height, tile_rows);
  detail::parallel_for(ctx, "warp", 0, job.slices * down, [&](Index part) {
    const Index slice = part / down;
    const Index top = part % down * tile_rows;
    const Index bottom = std::min(top + tile_rows, job.result_height);
    const T* source = from + slice * job.rows_there * job.width * job.channels;
    std::vector<RowWarper<T>> rows(static_cast<std::size_t>(bottom - top), RowWarper<T>(job));
    for (Index y = top; y < bottom; ++y) rows[static_cast<std::size_t>(y - top)].begin_row(y);
    for (Index left = 0; left < job.result_width; left += tile_columns) {
      if (ctx.cancel_requested()) break;
      const Index right = std::min(left + tile_columns, job.result_width);
      for (Index y = top; y < bottom; ++y) {
        T* row = to + (slice * job.result_height + y) * job.result_width * job.channels;
        rows[static_cast<std::size_t>(y - top)].make(source, left, right, row);
      }
    }
  });
}

}  // namespace

void register_warp() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::warp<T>.set(DeviceKind::cpu, warp<T>);
  });
}

}  // namespace whorl::backend::cpu
