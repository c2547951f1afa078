#include "filter/src/kernels/windows/recursive_gaussian.hpp"

#include <algorithm>
#include <vector>

#include "backend/cpu/parallel.hpp"
#include "core/parallel.hpp"
#include "filter/src/cpu/windows/recursive_lines.hpp"
#include "filter/src/kernels/windows/separable_taps.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

namespace {

using namespace kernels;

// Lines of `length` numbers, `step` apart. `count` of them lie `apart` numbers from each other.
struct Lines {
  Index length, step, count, apart;
};

// One thread's memory for lines_at_once lines, and the places of the numbers outside them.
class LineGroup {
 public:
  LineGroup(Index length, Border border, float beyond, Index reach)
      : numbers_(static_cast<std::size_t>(length * lines_at_once)), sums_(numbers_.size()) {
    beyond_.assign(lines_at_once, beyond);
    const auto place = [&](Index i) -> const float* {
      const Index source = border_index(border, i, length);
      return source < 0 ? beyond_.data() : numbers_.data() + source * lines_at_once;
    };
    for (Index i = reach; i >= 1; --i) {
      before_.push_back(place(-i));
      after_.push_back(place(length - 1 + i));
    }
  }

  template <class In, class Out>
  void filter(const RecursiveWindow& window, const Lines& lines, const In* from, Out* to) {
    for (Index i = 0; i < lines.length; ++i) {
      float* number = numbers_.data() + i * lines_at_once;
      for (Index l = 0; l < lines.count; ++l) number[l] = static_cast<float>(from[i * lines.step + l * lines.apart]);
    }
    recurse_lines(window, pass_rounding<In, Out>(), numbers_.data(), lines.length, before_, after_, sums_.data());
    for (Index i = 0; i < lines.length; ++i) {
      const float* sum = sums_.data() + i * lines_at_once;
      for (Index l = 0; l < lines.count; ++l) to[i * lines.step + l * lines.apart] = static_cast<Out>(sum[l]);
    }
  }

 private:
  std::vector<float> numbers_, sums_, beyond_;
  std::vector<const float*> before_, after_;
};

// Along y: neighboring numbers of a row belong to adjacent lines.
template <class In, class Out>
void filter_columns(const Context& ctx, const ImageFormat& format, double sigma, Border border, In beyond,
                    const In* from, Out* to) {
  const Index row = format.row();
  const Index groups = divide_up(row, lines_at_once);
  const RecursiveWindow window = recursive_window(sigma);
  detail::parallel_threads(ctx, threads_for(ctx, format.shape().size()), groups * format.slices(),
                           [&](const auto& turns) {
                             LineGroup group(format.height, border, static_cast<float>(beyond), recursive_reach(sigma));
                             turns([&](Index at) {
                               const Index first = at % groups * lines_at_once;
                               const Index offset = at / groups * format.height * row + first;
                               group.filter(window, {format.height, row, std::min(lines_at_once, row - first), 1},
                                            from + offset, to + offset);
                             });
                           });
}

// Along x: lines are the same channel of neighboring rows.
template <class In, class Out>
void filter_rows(const Context& ctx, const ImageFormat& format, double sigma, Border border, In beyond, const In* from,
                 Out* to) {
  const Index row = format.row();
  const Index channels = count_of(format.channels);
  const Index rows = format.slices() * format.height;
  const Index groups = divide_up(rows, lines_at_once);
  const RecursiveWindow window = recursive_window(sigma);
  detail::parallel_threads(ctx, threads_for(ctx, format.shape().size()), groups, [&](const auto& turns) {
    LineGroup group(format.width, border, static_cast<float>(beyond), recursive_reach(sigma));
    turns([&](Index at) {
      const Index first = at * lines_at_once;
      for (Index c = 0; c < channels; ++c) {
        group.filter(window, {format.width, channels, std::min(lines_at_once, rows - first), row},
                     from + first * row + c, to + first * row + c);
      }
    });
  });
}

template <class T>
void recursive_gaussian(const Context& ctx, const ImageFormat& format, double sigma, FilteredAxes axes,
                        const BorderOptions& border, const T* from, T* to) {
  const T beyond = border_number<T>(border);
  if (!axes.x) {
    filter_columns(ctx, format, sigma, border.border, beyond, from, to);
    return;
  }
  using Between = BetweenPasses<T>;
  Array<Between> between(ctx, format.shape());
  filter_columns(ctx, format, sigma, border.border, beyond, from, between.data());
  // A window of sum 1 leaves constants as they are.
  const auto scale = static_cast<float>(pass_rounding<T, Between>().scale);
  filter_rows(ctx, format, sigma, border.border, static_cast<Between>(static_cast<float>(beyond) * scale),
              between.data(), to);
}

}  // namespace

void register_recursive_gaussian() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::recursive_gaussian<T>.set(DeviceKind::cpu, recursive_gaussian<T>);
  });
}

}  // namespace whorl::backend::cpu
