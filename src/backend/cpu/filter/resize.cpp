#include "backend/cpu/filter/resize.hpp"

#include <algorithm>
#include <vector>

namespace whorl::backend::cpu {

namespace {

template <class T>
class Resizer {
  using Numbers = kernels::ResizeNumbers<T>;
  using Sum = typename Numbers::Sum;
  using Middle = typename Numbers::Middle;
  using Taps = kernels::ResizeTaps<T>;

 public:
  Resizer(const kernels::ResizeJob& job, const Taps& rows, const Taps& columns)
      : job_(job),
        rows_(rows),
        columns_(columns),
        length_((job.columns_first ? job.old_width : job.width) * job.channels),
        middle_(static_cast<std::size_t>(length_ * (job.columns_first ? 1 : rows.count))),
        sums_(static_cast<std::size_t>(length_)),
        held_(static_cast<std::size_t>(rows.count), -1) {}

  // Forgets the rows of another slice.
  void begin_slice(const T* from) {
    from_ = from;
    std::fill(held_.begin(), held_.end(), -1);
  }

  void make_row(Index y, T* to) {
    const Index first = rows_.first[y];
    const auto* weights = rows_.weights + y * rows_.count;
    if (job_.columns_first) {
      add_rows(weights, [&](Index t) { return from_ + (first + t) * job_.old_width * job_.channels; });
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

  // Old row `row` with its new columns, which stays until the ring comes round to it.
  void hold(Index row) {
    Index& who = held_[at(row % rows_.count)];
    if (who == row) return;
    who = row;
    Middle* to = held(row);
    along_row(from_ + row * job_.old_width * job_.channels,
              [&](Index i, Sum sum) { to[i] = kernels::resize_middle<T>(sum); });
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
    const Index channels = job_.channels;
    for (Index x = 0; x < job_.width; ++x) {
      const From* near = from + columns_.first[x] * channels;
      const auto* weights = columns_.weights + x * columns_.count;
      for (Index c = 0; c < channels; ++c) {
        Sum sum = 0;
        for (Index t = 0; t < columns_.count; ++t) {
          sum += static_cast<Sum>(weights[t]) * static_cast<Sum>(near[t * channels + c]);
        }
        take(x * channels + c, sum);
      }
    }
  }

  const kernels::ResizeJob& job_;
  const Taps& rows_;
  const Taps& columns_;
  Index length_;
  std::vector<Middle> middle_;
  std::vector<Sum> sums_;
  std::vector<Index> held_;
  const T* from_ = nullptr;
};

}  // namespace

template <class T>
void resize(const Context& ctx, const kernels::ResizeJob& job, const kernels::ResizeTaps<T>& rows,
            const kernels::ResizeTaps<T>& columns, const T* from, T* to) {
  // Rows that strips have in common are made twice.
  constexpr Index shortest_strip = 32;
  const Index strip = std::max(shortest_strip, (job.height + 4 * ctx.threads() - 1) / (4 * ctx.threads()));
  const Index strips = (job.height + strip - 1) / strip;
#pragma omp parallel num_threads(ctx.threads())
  {
    Resizer<T> resizer(job, rows, columns);
#pragma omp for schedule(dynamic)
    for (Index part = 0; part < job.slices * strips; ++part) {
      const Index slice = part / strips;
      const Index begin = part % strips * strip;
      resizer.begin_slice(from + slice * job.old_height * job.old_width * job.channels);
      for (Index y = begin; y < std::min(begin + strip, job.height); ++y) {
        resizer.make_row(y, to + (slice * job.height + y) * job.width * job.channels);
      }
    }
  }
}

#define WHORL_INSTANTIATE(T)                                                                     \
  template void resize(const Context&, const kernels::ResizeJob&, const kernels::ResizeTaps<T>&, \
                       const kernels::ResizeTaps<T>&, const T*, T*)
WHORL_INSTANTIATE(std::uint8_t);
WHORL_INSTANTIATE(std::uint16_t);
WHORL_INSTANTIATE(float);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cpu
