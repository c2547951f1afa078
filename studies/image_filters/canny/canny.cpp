// The ladders of Canny and of its two parts that the report sped up.
#include "studies/image_filters/canny/canny.hpp"

#include <cmath>

#include "studies/image_filters/filter_ladder.hpp"

namespace whorl::studies::image_filters {

namespace {

constexpr const char* pipeline = "canny 40 160 border=wrap ties=drop";
// A level of the Gaussian that a float sum rounds the other way, one of some 50,000, reaches the slopes of 9 pixels and
// the thinning of 25; on a picture of a few thousand pixels it is one at most.
constexpr double moved_pixels = 25;

Check check_of(std::vector<Byte> CannyReference::*part, const Context& host, const Job& job) {
  return differing_pixels(canny_reference(host, job).*part);
}

}  // namespace

std::array<double, 25> canny_window() {
  constexpr double sigma = 1.4;
  std::array<double, 25> window{};
  double sum = 0;
  for (int i = 0; i < 25; ++i) {
    const int y = i / 5 - 2;
    const int x = i % 5 - 2;
    const double weight = std::exp(-(x * x + y * y) / (2 * sigma * sigma));
    window[static_cast<std::size_t>(i)] = weight;
    sum += weight;
  }
  for (double& weight : window) weight /= sum;
  return window;
}

Subject canny_ladder() {
  return {.name = "canny",
          .title = "Canny 40 160",
          .pipeline = pipeline,
          .library = "canny",
          .published = said("among the greatest gains"),
          .error = "pixels that differ",
          .tolerance = moved_pixels,
          .flops = 2 * 25 + 20,
          .steps =
              [](const Context& ctx, const Job& /*job*/) {
                return ctx.device().kind == DeviceKind::cuda ? canny_on_gpu(ctx) : canny_on_host();
              },
          .check = [](const Context& host, const Job& job,
                      const ImageFormat& /*result*/) { return check_of(&CannyReference::edges, host, job); }};
}

Subject thinning_ladder() {
  return {.name = "canny_thinning",
          .title = "Thinning of Canny alone",
          .pipeline = pipeline,
          .library = "",
          .published = said("four paths to two"),
          .error = "pixels that differ",
          .tolerance = 0,
          .flops = 2,
          .steps =
              [](const Context& ctx, const Job& job) {
                return ctx.device().kind == DeviceKind::cuda ? thinning_on_gpu(ctx, job) : thinning_on_host(ctx, job);
              },
          .check = [](const Context& host, const Job& job,
                      const ImageFormat& /*result*/) { return check_of(&CannyReference::marks, host, job); }};
}

Subject hysteresis_ladder() {
  return {.name = "canny_hysteresis",
          .title = "Hysteresis of Canny alone, the library: all of it",
          .pipeline = pipeline,
          .library = "all of canny",
          .published = said("among the greatest gains"),
          .error = "pixels that differ",
          .tolerance = 0,
          .flops = 16,
          .steps =
              [](const Context& ctx, const Job& job) {
                return ctx.device().kind == DeviceKind::cuda ? hysteresis_on_gpu(ctx, job)
                                                             : hysteresis_on_host(ctx, job);
              },
          .check = [](const Context& host, const Job& job,
                      const ImageFormat& /*result*/) { return check_of(&CannyReference::edges, host, job); }};
}

}  // namespace whorl::studies::image_filters
