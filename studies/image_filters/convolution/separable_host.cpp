// A window that is a line times a line, on a CPU: along rows first, then along columns, so that a pixel takes 2 n taps
// in place of n^2. What lies in between is float.
#include "studies/image_filters/convolution/convolution.hpp"
#include "studies/image_filters/convolution/padding.hpp"

namespace whorl::studies::image_filters {

namespace {

void add_row(float weight, const Byte* from, int count, float* sums) {
  for (int k = 0; k < count; ++k) sums[k] += weight * static_cast<float>(from[k]);
}

void add_row(float weight, const float* from, int count, float* sums) {
  for (int k = 0; k < count; ++k) sums[k] += weight * from[k];
}

void separable(const Context& ctx, const Job& job, const Window& window) {
  const std::vector<float> line(window.line.begin(), window.line.end());
  const Padded framed = pad(ctx, job, window.radius);
  const int numbers = 3 * job.width;
  Array<float> between = zeros<float>(ctx, {job.rows + Index{2} * window.radius, numbers});
  float* const rows = between.data();
#pragma omp parallel num_threads(ctx.threads())
  {
#pragma omp for schedule(static)
    for (int y = 0; y < job.rows + 2 * window.radius; ++y) {
      for (int i = 0; i < window.extent(); ++i) {
        add_row(line[static_cast<std::size_t>(i)], framed.row(y) + Index{3} * i, numbers, rows + Index{y} * numbers);
      }
    }
    std::vector<float> sums(static_cast<std::size_t>(numbers));
#pragma omp for schedule(static)
    for (int y = 0; y < job.rows; ++y) {
      sums.assign(sums.size(), 0);
      for (int j = 0; j < window.extent(); ++j) {
        add_row(line[static_cast<std::size_t>(j)], rows + Index{y + j} * numbers, numbers, sums.data());
      }
      Byte* const to = job.to + Index{y} * numbers;
      for (int k = 0; k < numbers; ++k) to[k] = rounded_level(sums[static_cast<std::size_t>(k)]);
    }
  }
}

}  // namespace

Step separable_on_host(const Window& window) {
  return {"rows, then columns", [window](const Context& ctx, const Job& job) { separable(ctx, job, window); }};
}

}  // namespace whorl::studies::image_filters
