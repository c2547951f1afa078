// Correlation on a CPU. Each version changes one thing; all but the last take pixel by pixel.
#include <algorithm>
#include <cstddef>

#include "studies/image_filters/convolution/convolution.hpp"
#include "studies/image_filters/convolution/padding.hpp"

namespace whorl::studies::image_filters {

namespace {

// step: double, a test of edges for each tap; float
// The report's first version: every tap of every pixel tests whether its neighbor lies beyond an edge.
template <class Real>
void with_edge_tests(const Context& ctx, const Job& job, const Window& window) {
  const std::vector<Real> weights(window.weights.begin(), window.weights.end());
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (int y = 0; y < job.rows; ++y) {
    for (int x = 0; x < job.width; ++x) {
      Real red = 0;
      Real green = 0;
      Real blue = 0;
      const Real* weight = weights.data();
      for (int j = -window.radius; j <= window.radius; ++j) {
        for (int i = -window.radius; i <= window.radius; ++i) {
          const Index at = Index{wrapped(y + j, job.height)} * job.width + wrapped(x + i, job.width);
          const Byte* const pixel = job.from + 3 * at;
          red += *weight * static_cast<Real>(pixel[0]);
          green += *weight * static_cast<Real>(pixel[1]);
          blue += *weight * static_cast<Real>(pixel[2]);
          ++weight;
        }
      }
      Byte* const to = job.to + 3 * (Index{y} * job.width + x);
      to[0] = rounded_level(red);
      to[1] = rounded_level(green);
      to[2] = rounded_level(blue);
    }
  }
}
// end of step

// step: padding in place of tests
// Edges are handled once, by a frame as wide as the reach of the window; a tap then needs only an address.
void padded(const Context& ctx, const Job& job, const Window& window) {
  const std::vector<float> weights(window.weights.begin(), window.weights.end());
  const Padded framed = pad(ctx, job, window.radius);
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (int y = 0; y < job.rows; ++y) {
    for (int x = 0; x < job.width; ++x) {
      float red = 0;
      float green = 0;
      float blue = 0;
      const float* weight = weights.data();
      for (int j = 0; j < window.extent(); ++j) {
        const Byte* pixel = framed.row(y + j) + Index{3} * x;
        for (int i = 0; i < window.extent(); ++i) {
          red += *weight * static_cast<float>(pixel[0]);
          green += *weight * static_cast<float>(pixel[1]);
          blue += *weight * static_cast<float>(pixel[2]);
          ++weight;
          pixel += 3;
        }
      }
      Byte* const to = job.to + 3 * (Index{y} * job.width + x);
      to[0] = rounded_level(red);
      to[1] = rounded_level(green);
      to[2] = rounded_level(blue);
    }
  }
}
// end of step

// step: a row of pixels for each tap
// The loops exchanged: a tap is added to many neighboring pixels at once, which suits vector instructions. The sums of
// a piece of a row stay in the first-level cache.
void by_rows(const Context& ctx, const Job& job, const Window& window) {
  const std::vector<float> weights(window.weights.begin(), window.weights.end());
  const Padded framed = pad(ctx, job, window.radius);
  constexpr int piece = 768;
  const int numbers = 3 * job.width;
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (int y = 0; y < job.rows; ++y) {
    for (int first = 0; first < numbers; first += piece) {
      float sums[piece] = {};
      const int count = std::min(piece, numbers - first);
      const float* weight = weights.data();
      for (int j = 0; j < window.extent(); ++j) {
        for (int i = 0; i < window.extent(); ++i) {
          const Byte* const from = framed.row(y + j) + Index{3} * i + first;
          for (int k = 0; k < count; ++k) sums[k] += *weight * static_cast<float>(from[k]);
          ++weight;
        }
      }
      Byte* const to = job.to + Index{y} * numbers + first;
      for (int k = 0; k < count; ++k) to[k] = rounded_level(sums[k]);
    }
  }
}
// end of step

}  // namespace

std::vector<Step> convolution_on_host(const Window& window) {
  const auto step = [&](const char* name, auto run, Cited published) {
    return Step{name, [=](const Context& ctx, const Job& job) { run(ctx, job, window); }, published, true,
                window.work()};
  };
  return {step("double, a test of edges for each tap", with_edge_tests<double>, {}),
          step("float", with_edge_tests<float>, said("gains everywhere")),
          step("padding in place of tests", padded, said("dramatic (Gaussian)")),
          step("a row of pixels for each tap", by_rows, {})};
}

std::vector<Step> convolution_on(const Context& ctx, const Window& window) {
  return ctx.device().kind == DeviceKind::cuda ? convolution_on_gpu(ctx, window) : convolution_on_host(window);
}

Exact exact_convolution(const Job& job, const Window& window) {
  return [job, window](int y, int x, int channel) {
    double sum = 0;
    const double* weight = window.weights.data();
    for (int j = -window.radius; j <= window.radius; ++j) {
      for (int i = -window.radius; i <= window.radius; ++i) {
        const Index at = Index{wrapped(y + j, job.height)} * job.width + wrapped(x + i, job.width);
        sum += *weight++ * job.from[3 * at + channel];
      }
    }
    return sum;
  };
}

}  // namespace whorl::studies::image_filters
