// Light and Gaussian of Canny on a CPU.
#include <algorithm>

#include "studies/image_filters/canny/host.hpp"

namespace whorl::studies::image_filters::host {

Array<Byte> framed(const Context& ctx, const Array<Byte>& gray, int frame) {
  const auto height = static_cast<int>(gray.extent(0));
  const auto width = static_cast<int>(gray.extent(1));
  Array<Byte> result(ctx, {height + Index{2} * frame, width + Index{2} * frame});
  const auto to = result.view<2>();
  const auto from = gray.view<2>();
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (int y = 0; y < height + 2 * frame; ++y) {
    for (int x = 0; x < width + 2 * frame; ++x) {
      to(y, x) = from(wrapped(y - frame, height), wrapped(x - frame, width));
    }
  }
  return result;
}

Array<Byte> light(const Context& ctx, const Job& job) {
  Array<Byte> gray(ctx, {job.height, job.width});
  Byte* const to = gray.data();
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (Index i = 0; i < pixels_of(job); ++i) {
    to[i] = static_cast<Byte>(luma(job.from[3 * i], job.from[3 * i + 1], job.from[3 * i + 2]));
  }
  return gray;
}

template <class Real>
Array<Byte> smooth(const Context& ctx, const Job& job) {
  const std::array<double, 25> window = canny_window();
  const std::vector<Real> weights(window.begin(), window.end());
  const Array<Byte> gray = light(ctx, job);
  const Byte* const from = gray.data();
  Array<Byte> result(ctx, gray.shape());
  Byte* const to = result.data();
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (int y = 0; y < job.height; ++y) {
    for (int x = 0; x < job.width; ++x) {
      Real sum = 0;
      const Real* weight = weights.data();
      for (int j = -2; j <= 2; ++j) {
        for (int i = -2; i <= 2; ++i) {
          sum += *weight++ * from[Index{wrapped(y + j, job.height)} * job.width + wrapped(x + i, job.width)];
        }
      }
      to[Index{y} * job.width + x] = rounded_level(sum);
    }
  }
  return result;
}

Array<Byte> smooth_padded(const Context& ctx, const Job& job) {
  const std::array<double, 25> window = canny_window();
  const std::vector<float> weights(window.begin(), window.end());
  const Array<Byte> gray = framed(ctx, light(ctx, job), 2);
  const auto from = gray.view<2>();
  Array<Byte> result(ctx, {job.height, job.width});
  const auto to = result.view<2>();
#pragma omp parallel num_threads(ctx.threads())
  {
    std::vector<float> sums(static_cast<std::size_t>(job.width));
    float* const sum = sums.data();
#pragma omp for schedule(static)
    for (int y = 0; y < job.height; ++y) {
      std::fill(sums.begin(), sums.end(), 0.0F);
      for (int tap = 0; tap < 25; ++tap) {
        const Byte* const shifted = &from(y + tap / 5, tap % 5);
        const float weight = weights[static_cast<std::size_t>(tap)];
        for (int x = 0; x < job.width; ++x) sum[x] += weight * static_cast<float>(shifted[x]);
      }
      Byte* const row = &to(y, 0);
      for (int x = 0; x < job.width; ++x) row[x] = rounded_level(sum[x]);
    }
  }
  return result;
}

template Array<Byte> smooth<double>(const Context&, const Job&);
template Array<Byte> smooth<float>(const Context&, const Job&);

}  // namespace whorl::studies::image_filters::host
