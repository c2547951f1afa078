#include "whorl/measure/ssim.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <array>
#include <cmath>
#include <span>
#include <type_traits>
#include <vector>

#include "measure/compared.hpp"
#include "whorl/core/error.hpp"
#include "whorl/measure/error_measures.hpp"

namespace whorl {

namespace {

constexpr const char* ssim_name = "SSIM";
constexpr Index window_size = 11;
constexpr Index reach = window_size / 2;
constexpr double standard_deviation = 1.5;
constexpr double k1 = 0.01;
constexpr double k2 = 0.03;

using Window = std::array<double, window_size>;

Window gaussian() {
  Window window{};
  double sum = 0;
  for (Index i = 0; i < window_size; ++i) {
    const double t = static_cast<double>(i - reach) / standard_deviation;
    sum += window[static_cast<std::size_t>(i)] = std::exp(-t * t / 2);
  }
  for (double& weight : window) weight /= sum;
  return window;
}

// Weighted means of x, y, x^2, y^2 and xy over a window.
using Moments = std::array<double, 5>;

void accumulate(Moments& sum, double weight, const Moments& term) {
  for (std::size_t m = 0; m < sum.size(); ++m) sum[m] += weight * term[m];
}

template <class T>
Moments products(T image, T truth) {
  double x = 0;
  double y = 0;
  if constexpr (std::is_floating_point_v<T>) {
    x = image;
    y = truth;
  } else {
    x = std::abs(measure::widened(image));
    y = std::abs(measure::widened(truth));
  }
  return {x, y, x * x, y * y, x * y};
}

// The moments of every place of the window within a slice [y, x]: (y - 10) (x - 10) of them. Columns first and rows
// second, since the window is a product of one factor per axis.
template <class T>
void slice_moments(const Context& ctx, ArrayRef<const T> image, ArrayRef<const T> truth, const Window& window,
                   ArrayRef<Moments> places) {
  const Index width = image.extent(1);
  const auto x = image.template view<2>();
  const auto y = truth.template view<2>();
  const auto out = places.view<2>();
  Array<Moments> memory(ctx, {ctx.threads(), width});
  Moments* const lines = memory.data();
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (Index top = 0; top < out.extent(0); ++top) {
    Moments* const line = lines + omp_get_thread_num() * width;
    for (Index column = 0; column < width; ++column) {
      line[column] = {};
      for (Index i = 0; i < window_size; ++i) {
        accumulate(line[column], window[static_cast<std::size_t>(i)], products(x(top + i, column), y(top + i, column)));
      }
    }
    for (Index left = 0; left < out.extent(1); ++left) {
      Moments sum{};
      for (Index i = 0; i < window_size; ++i) {
        accumulate(sum, window[static_cast<std::size_t>(i)], line[left + i]);
      }
      out(top, left) = sum;
    }
  }
}

// Equation 13, with the constants of equations 7 and 9 for the range L.
class Similarity {
 public:
  explicit Similarity(double range) : c1_(k1 * range * k1 * range), c2_(k2 * range * k2 * range) {}

  double operator()(const Moments& moments) const {
    const auto [x, y, xx, yy, xy] = moments;
    return (2 * x * y + c1_) * (2 * (xy - x * y) + c2_) / ((x * x + y * y + c1_) * (xx - x * x + yy - y * y + c2_));
  }

 private:
  double c1_;
  double c2_;
};

struct Mean {
  double sum = 0;
  Index count = 0;
};

// Adds up the similarities of the windows that span the slices of the ring, the oldest of which is at `oldest`, where
// their central pixels count. `first` is the first pixel of the slice of the centers.
void add_windows(const Context& ctx, ArrayRef<const Moments> ring, Index oldest, std::span<const double> weights,
                 const Similarity& similarity, const measure::Counted& counts, Index first, Mean& mean) {
  const auto places = ring.view<3>();
  const Index width = places.extent(2) + 2 * reach;
  std::vector<Mean> rows(static_cast<std::size_t>(places.extent(1)));
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (Index row = 0; row < places.extent(1); ++row) {
    Mean& result = rows[static_cast<std::size_t>(row)];
    for (Index column = 0; column < places.extent(2); ++column) {
      if (!counts(first + (row + reach) * width + column + reach)) continue;
      Moments moments{};
      for (std::size_t i = 0; i < weights.size(); ++i) {
        accumulate(moments, weights[i], places((oldest + static_cast<Index>(i)) % places.extent(0), row, column));
      }
      result.sum += similarity(moments);
      ++result.count;
    }
  }
  // In order, so that the sum does not depend on the number of threads.
  for (const Mean& row : rows) {
    mean.sum += row.sum;
    mean.count += row.count;
  }
}

void check_extents(const Shape& shape, int dim) {
  if (dim != 2 && dim != 3)
    throw ValueError(fmt::format("{}: windows of {} dimensions, expected 2 or 3", ssim_name, dim));
  for (int axis = -1; axis >= -dim; --axis) {
    if (shape.rank() < dim || shape[axis] < window_size) {
      throw ShapeError(fmt::format("{}: images of {}, expected at least {} pixels along each of the last {} axes{}",
                                   ssim_name, to_string(shape), window_size, dim,
                                   dim == 3 ? "; compare slices (2 dimensions) instead" : ""));
    }
  }
}

}  // namespace

template <Number T>
double ssim(const Context& ctx, ArrayRef<const T> image, ArrayRef<const T> truth, MeasuredSet set,
            const SsimOptions& options) {
  measure::check_shapes(ssim_name, image.shape(), truth.shape(), set);
  check_extents(image.shape(), options.dim);
  measure::check_finite<T>(ssim_name, "image", image);
  measure::check_finite<T>(ssim_name, "truth", truth);
  const double range = options.range ? *options.range : peak_of<T>(ctx, truth, set);
  if (!(range > 0) || std::isinf(range)) {
    throw ValueError(fmt::format("{}: a range L of {}, expected a positive number", ssim_name, range));
  }

  const Window window = gaussian();
  const std::array<double, 1> one{1};
  const std::span<const double> along_z = options.dim == 3 ? std::span<const double>(window) : one;
  const auto thickness = static_cast<Index>(along_z.size());
  const Index depth = options.dim == 3 ? image.extent(-3) : 1;
  const Index height = image.extent(-2);
  const Index width = image.extent(-1);
  const Shape slices{image.size() / (height * width), height, width};
  Array<Moments> ring(ctx, {thickness, height - 2 * reach, width - 2 * reach});
  const Similarity similarity(range);
  const measure::Counted counts(set);
  Mean mean;
  for (Index slice = 0; slice < slices[0]; ++slice) {
    ctx.check_cancel(ssim_name);
    const Index z = slice % depth;
    slice_moments<T>(ctx, image.reshape(slices).slice(slice), truth.reshape(slices).slice(slice), window,
                     ring.slice(z % thickness));
    if (z + 1 < thickness) continue;
    const Index center = slice - thickness / 2;
    add_windows(ctx, ring, (z + 1) % thickness, along_z, similarity, counts, center * height * width, mean);
  }
  if (mean.count == 0) {
    throw ValueError(
        fmt::format("{}: no pixel of the mask is {} pixels from the edge; expected one at least", ssim_name, reach));
  }
  return mean.sum / static_cast<double>(mean.count);
}

#define WHORL_INSTANTIATE(T) \
  template double ssim<T>(const Context&, ArrayRef<const T>, ArrayRef<const T>, MeasuredSet, const SsimOptions&)
WHORL_FOR_EACH_PIXEL_TYPE(WHORL_INSTANTIATE);
#undef WHORL_INSTANTIATE

}  // namespace whorl
