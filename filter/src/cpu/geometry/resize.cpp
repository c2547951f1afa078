// Resizing on a CPU. The first code in this list that takes the sizes is used:
//
//   half as wide and high                 Halver       means of two by two pixels (halve_rows)
//   two taps, enlarged; not uint16        Enlarger     stretches each old row once, mixes rows by vectors (resize_rows)
//   several taps that are near together   TapEnlarger  the same with any number of taps (resize_taps)
//   all others                            Resizer      number by number; along columns first where rows become fewer
//
// All do the point operations of neighboring filters, row by row.
#include "filter/src/kernels/geometry/resize.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "core/parallel.hpp"
#include "filter/src/cpu/geometry/halve_rows.hpp"
#include "filter/src/cpu/geometry/resize_rows.hpp"
#include "filter/src/cpu/geometry/resize_taps.hpp"
#include "filter/src/cpu/points/point_ends.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

namespace {

template <class T>
class Resizer {
  using Numbers = kernels::ResizeNumbers<T>;
  using Sum = typename Numbers::Sum;
  using Middle = typename Numbers::Middle;
  using Taps = kernels::ResizeTaps<T>;

 public:
  Resizer(const kernels::ResizeJob& job, const Taps& rows, const Taps& columns, const RowsIn<T>& in)
      : job_(job),
        rows_(rows),
        columns_(columns),
        length_((job.columns_first ? job.old_width : job.width) * job.channels),
        middle_(static_cast<std::size_t>(length_ * (job.columns_first ? 1 : rows.count))),
        sums_(static_cast<std::size_t>(length_)),
        held_(static_cast<std::size_t>(rows.count), -1),
        inputs_(in, rows.count, job.old_width, job.old_width * job.channels) {}

  // Discards the rows of another slice.
  void begin_slice(Index first_row) {
    top_ = first_row;
    std::fill(held_.begin(), held_.end(), -1);
  }

  void make_row(Index y, T* to) {
    const Index first = rows_.first[y];
    const auto* weights = rows_.weights + y * rows_.count;
    if (job_.columns_first) {
      add_rows(weights, [&](Index t) { return inputs_(top_ + first + t, first + t); });
      for (Index i = 0; i < length_; ++i)
        middle_[static_cast<std::size_t>(i)] = kernels::resize_middle<T>(sums_[at(i)]);
      along_row(middle_.data(), [&](Index i, Sum sum) { to[i] = kernels::resize_result<T>(sum, job_.weight_bits); });
    } else {
      for (Index t = 0; t < rows_.count; ++t) hold(first + t);
      add_rows(weights, [&](Index t) { return held(first + t); });
      for (Index i = 0; i < length_; ++i) to[i] = kernels::resize_result<T>(sums_[at(i)], job_.weight_bits);
    }
  }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  Middle* held(Index row) { return middle_.data() + row % rows_.count * length_; }

  // Makes old row `row` with its new columns. It stays until the ring reuses its place.
  void hold(Index row) {
    Index& who = held_[at(row % rows_.count)];
    if (who == row) return;
    who = row;
    Middle* to = held(row);
    along_row(inputs_(top_ + row, row), [&](Index i, Sum sum) { to[i] = kernels::resize_middle<T>(sum); });
  }

  template <class RowAt>
  void add_rows(const typename Numbers::Weight* weights, const RowAt& row_at) {
    std::fill(sums_.begin(), sums_.end(), Sum{0});
    for (Index t = 0; t < rows_.count; ++t) {
      const auto* row = row_at(t);
      const Sum weight = weights[t];
      for (Index i = 0; i < length_; ++i) sums_[at(i)] += weight * static_cast<Sum>(row[i]);
    }
  }

  template <class From, class Take>
  void along_row(const From* from, const Take& take) const {
    switch (job_.channels) {
      case 1:
        return along_row_of<1>(from, take);
      case 2:
        return along_row_of<2>(from, take);
      case 3:
        return along_row_of<3>(from, take);
      default:
        return along_row_of<4>(from, take);
    }
  }

  template <int Channels, class From, class Take>
  void along_row_of(const From* from, const Take& take) const {
    const Index count = columns_.count;
    for (Index x = 0; x < job_.width; ++x) {
      const From* near = from + columns_.first[x] * Index{Channels};
      const auto* weights = columns_.weights + x * count;
      Sum sums[Channels] = {};
      for (Index t = 0; t < count; ++t) {
        const Sum weight = weights[t];
        for (int c = 0; c < Channels; ++c) sums[c] += weight * static_cast<Sum>(near[t * Channels + c]);
      }
      for (int c = 0; c < Channels; ++c) take(x * Channels + c, sums[c]);
    }
  }

  const kernels::ResizeJob& job_;
  const Taps& rows_;
  const Taps& columns_;
  Index length_;
  std::vector<Middle> middle_;
  std::vector<Sum> sums_;
  std::vector<Index> held_;
  WindowRows<T> inputs_;
  Index top_ = 0;
};

// Bilinear enlargement by vectors. Two consecutive old rows are kept with their new columns.
template <class T>
class Enlarger {
  using Middle = std::conditional_t<std::is_floating_point_v<T>, float, std::int16_t>;

 public:
  Enlarger(const kernels::ResizeJob& job, const kernels::ResizeTaps<T>& rows, const RowBlocks<T>& blocks,
           const RowsIn<T>& in, bool stream)
      : rows_(rows),
        blocks_(blocks),
        held_(static_cast<std::size_t>(2 * blocks.length)),
        inputs_(in, 1, job.old_width, job.old_width * job.channels),
        stream_(stream) {}

  void begin_slice(Index first_row) {
    top_ = first_row;
    rows_held_[0] = rows_held_[1] = -1;
  }

  void make_row(Index y, T* to) {
    const Index first = rows_.first[y];
    blend_rows(hold(first), hold(first + 1), rows_.weights[2 * y + 1], blocks_.length, stream_, to);
  }

 private:
  const Middle* hold(Index row) {
    Middle* to = held_.data() + row % 2 * blocks_.length;
    if (rows_held_[row % 2] != row) {
      stretch_row(blocks_, inputs_(top_ + row, 0), to);
      rows_held_[row % 2] = row;
    }
    return to;
  }

  const kernels::ResizeTaps<T>& rows_;
  const RowBlocks<T>& blocks_;
  std::vector<Middle> held_;
  Index rows_held_[2] = {-1, -1};
  WindowRows<T> inputs_;
  Index top_ = 0;
  bool stream_;
};

// Enlargement with several taps by vectors. As many old rows are kept with their new columns as there are taps.
template <class T>
class TapEnlarger {
  using Middle = typename kernels::ResizeNumbers<T>::Middle;

 public:
  TapEnlarger(const kernels::ResizeJob& job, const kernels::ResizeTaps<T>& rows, const TapBlocks<T>& blocks,
              const RowsIn<T>& in, bool stream)
      : job_(job),
        rows_(rows),
        blocks_(blocks),
        held_(static_cast<std::size_t>(rows.count * blocks.length)),
        rows_held_(static_cast<std::size_t>(rows.count)),
        near_(static_cast<std::size_t>(rows.count)),
        inputs_(in, 1, job.old_width, job.old_width * job.channels),
        stream_(stream) {}

  void begin_slice(Index first_row) {
    top_ = first_row;
    std::fill(rows_held_.begin(), rows_held_.end(), -1);
  }

  void make_row(Index y, T* to) {
    for (Index t = 0; t < rows_.count; ++t) near_[static_cast<std::size_t>(t)] = hold(rows_.first[y] + t);
    weigh_rows(rows_.weights + y * rows_.count, near_.data(), rows_.count, blocks_.length, job_.weight_bits, stream_,
               to);
  }

 private:
  const Middle* hold(Index row) {
    const Index slot = row % rows_.count;
    Middle* to = held_.data() + slot * blocks_.length;
    Index& row_held = rows_held_[static_cast<std::size_t>(slot)];
    if (row_held != row) stretch_row(blocks_, inputs_(top_ + row, 0), to);
    row_held = row;
    return to;
  }

  const kernels::ResizeJob& job_;
  const kernels::ResizeTaps<T>& rows_;
  const TapBlocks<T>& blocks_;
  std::vector<Middle> held_;
  std::vector<Index> rows_held_;
  std::vector<const Middle*> near_;
  WindowRows<T> inputs_;
  Index top_ = 0;
  bool stream_;
};

// Means of two by two pixels.
template <class T>
class Halver {
 public:
  Halver(const kernels::ResizeJob& job, const RowsIn<T>& in)
      : job_(job),
        inputs_(in, 2, job.old_width, job.old_width * job.channels),
        tables_(job.channels, static_cast<Index>(sizeof(T))) {}

  void begin_slice(Index first_row) { top_ = first_row; }

  void make_row(Index y, T* to) {
    halve_rows(tables_, inputs_(top_ + 2 * y, 0), inputs_(top_ + 2 * y + 1, 1), job_.width, to);
  }

 private:
  const kernels::ResizeJob& job_;
  WindowRows<T> inputs_;
  HalfTables tables_;
  Index top_ = 0;
};

template <class Taps>
bool are_halves(const Taps& taps, Index count) {
  if (taps.count != 2) return false;
  for (Index i = 0; i < count; ++i) {
    if (taps.first[i] != 2 * i || taps.weights[2 * i] != taps.weights[2 * i + 1]) return false;
  }
  return true;
}

// Makes rows in strips. Each thread has a worker, which keeps the data that neighboring rows share.
template <class T, class MakeWorker>
void resize_strips(const Context& ctx, const kernels::ResizeJob& job, const RowsOut<T>& out, const MakeWorker& make) {
  // Rows that two strips share are made twice.
  constexpr Index shortest_strip = 32;
  const Index strip =
      std::max(shortest_strip, (job.height + Index{4} * ctx.threads() - 1) / (Index{4} * ctx.threads()));
  const Index strips = divide_up(job.height, strip);
  detail::parallel_threads(ctx, ctx.threads(), job.slices * strips, [&](const auto& turns) {
    auto worker = make();
    std::vector<T> spare(static_cast<std::size_t>(out.are_made() ? job.width * job.channels : 0));
    turns([&](Index part) {
      const Index slice = part / strips;
      const Index begin = part % strips * strip;
      worker.begin_slice(slice * job.old_height);
      for (Index y = begin; y < std::min(begin + strip, job.height) && !ctx.cancel_requested(); ++y) {
        out.put(slice * job.height + y, 0, job.width, spare.data(), [&](T* place) { worker.make_row(y, place); });
      }
    });
  });
}

template <class T>
void resize(const Context& ctx, const kernels::ResizeJob& job, const kernels::ResizeTaps<T>& rows,
            const kernels::ResizeTaps<T>& columns, const kernels::PointEnds& ends, const void* from, void* to) {
  const RowsIn<T> in(ends.load, from, job.old_width, job.channels);
  const RowsOut<T> out(ends.store, to, job.width, job.channels);
  if (are_halves(rows, job.height) && are_halves(columns, job.width)) {
    resize_strips(ctx, job, out, [&] { return Halver<T>(job, in); });
    return;
  }
  // Results larger than this bypass the caches when they are written.
  constexpr Index cached_bytes = 8 << 20;
  const Index bytes = job.slices * job.height * job.width * job.channels * static_cast<Index>(sizeof(T));
  const bool stream = !out.are_made() && bytes > cached_bytes;
  if constexpr (sizeof(T) != sizeof(std::uint16_t)) {
    RowBlocks<T> blocks;
    const bool two_rows = rows.count == 2 && !job.columns_first;
    const bool fits = std::is_floating_point_v<T> || job.weight_bits == kernels::two_tap_bits;
    if (two_rows && fits && make_row_blocks(job, columns, blocks)) {
      resize_strips(ctx, job, out, [&] { return Enlarger<T>(job, rows, blocks, in, stream); });
      return;
    }
  }
  TapBlocks<T> blocks;
  if (!job.columns_first && make_tap_blocks(job, columns, blocks)) {
    resize_strips(ctx, job, out, [&] { return TapEnlarger<T>(job, rows, blocks, in, stream); });
    return;
  }
  resize_strips(ctx, job, out, [&] { return Resizer<T>(job, rows, columns, in); });
}

}  // namespace

void register_resize() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::resize<T>.set(DeviceKind::cpu, resize<T>);
  });
}

}  // namespace whorl::backend::cpu
