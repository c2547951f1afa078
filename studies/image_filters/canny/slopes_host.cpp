// Slopes of Canny on a CPU.
#include <cmath>

#include "studies/image_filters/canny/host.hpp"

namespace whorl::studies::image_filters::host {

namespace {

/// Whole slopes from the eight neighbors in three rows; x - 1, x, x + 1 are where they lie in a row.
struct Slope {
  int x;
  int y;
};

Slope slope_of(const Byte* up, const Byte* here, const Byte* down, int left, int x, int right) {
  return {up[right] - up[left] + 2 * (here[right] - here[left]) + down[right] - down[left],
          down[left] + 2 * down[x] + down[right] - up[left] - 2 * up[x] - up[right]};
}

}  // namespace

template <class Real>
Slopes<Real> slopes(const Context& ctx, const Array<Byte>& smoothed) {
  const auto height = static_cast<int>(smoothed.extent(0));
  const auto width = static_cast<int>(smoothed.extent(1));
  Slopes<Real> result{Array<Real>(ctx, smoothed.shape()), Array<Real>(ctx, smoothed.shape())};
  Real* const length = result.length.data();
  Real* const angle = result.angle.data();
  const Byte* const from = smoothed.data();
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (int y = 0; y < height; ++y) {
    const auto row = [&](int j) { return from + Index{wrapped(j, height)} * width; };
    for (int x = 0; x < width; ++x) {
      const Slope slope = slope_of(row(y - 1), row(y), row(y + 1), wrapped(x - 1, width), x, wrapped(x + 1, width));
      const auto across = static_cast<Real>(slope.x);
      const auto down = static_cast<Real>(slope.y);
      length[Index{y} * width + x] = std::sqrt(across * across + down * down);
      angle[Index{y} * width + x] = std::atan2(down, across);
    }
  }
  return result;
}

Slopes<float> slopes_padded(const Context& ctx, const Array<Byte>& smoothed) {
  const Array<Byte> gray = framed(ctx, smoothed, 1);
  const auto from = gray.view<2>();
  const Index width = smoothed.extent(1);
  Slopes<float> result{Array<float>(ctx, smoothed.shape()), Array<float>(ctx, smoothed.shape())};
  float* const length = result.length.data();
  float* const angle = result.angle.data();
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (Index y = 0; y < smoothed.extent(0); ++y) {
    for (int x = 0; x < width; ++x) {
      const Slope slope = slope_of(&from(y, 0), &from(y + 1, 0), &from(y + 2, 0), x, x + 1, x + 2);
      const auto across = static_cast<float>(slope.x);
      const auto down = static_cast<float>(slope.y);
      length[y * width + x] = std::sqrt(across * across + down * down);
      angle[y * width + x] = std::atan2(down, across);
    }
  }
  return result;
}

Sectors sectors(const Context& ctx, const Array<Byte>& smoothed) {
  const Array<Byte> gray = framed(ctx, smoothed, 1);
  const auto from = gray.view<2>();
  Sectors result{zeros<float>(ctx, gray.shape()), Array<Byte>(ctx, smoothed.shape())};
  const auto length = result.length.view<2>();
  const auto direction = result.direction.view<2>();
  const auto width = static_cast<int>(smoothed.extent(1));
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (Index y = 0; y < smoothed.extent(0); ++y) {
    float* const lengths = &length(y + 1, 1);
    Byte* const row = &direction(y, 0);
    const Byte* const up = &from(y, 0);
    const Byte* const here = &from(y + 1, 0);
    const Byte* const down = &from(y + 2, 0);
    for (int x = 0; x < width; ++x) {
      const Slope slope = slope_of(up, here, down, x, x + 1, x + 2);
      lengths[x] = std::sqrt(static_cast<float>(slope.x * slope.x + slope.y * slope.y));
      row[x] = direction_of(slope.x, slope.y);
    }
  }
  return result;
}

template Slopes<double> slopes<double>(const Context&, const Array<Byte>&);
template Slopes<float> slopes<float>(const Context&, const Array<Byte>&);

}  // namespace whorl::studies::image_filters::host
