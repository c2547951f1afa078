#include "studies/heat/plane_steps.hpp"

#include <utility>

#include "whorl/core/image.hpp"

namespace whorl::studies::heat {

std::vector<PlaneStep> host_plane_steps() {
  return {{"edge tests, double", edge_tests<double>},
          {"edge tests, float", edge_tests<float>},
          {"neighbors by table", index_table},
          {"a margin around the plane", padded_rows},
          {"threads", padded_by_threads},
          {"eight steps of a band at once", bands_of_steps}};
}

PlaneStep library_step(std::string name, const HeatOptions& scheme) {
  const auto run = [scheme](const Context& ctx, const PlaneJob& job) {
    HeatOptions options = scheme;
    options.time = job.rate * static_cast<double>(job.steps);
    options.step = job.rate;
    const ImageFormat format{.type = PixelType::float32, .height = job.n, .width = job.n};
    Image first(ctx, format);
    copy<float>(ctx, job.first.reshape(format.shape()), first.pixels<float>());
    const Image last = make_heat(options)->apply(ctx, first);
    copy<float>(ctx, last.pixels<float>(), job.last.reshape(format.shape()));
  };
  return {std::move(name), run, true};
}

PlaneStep library_plane_step() {
  HeatOptions scheme;
  scheme.border = Border::wrap;
  return library_step("filter heat", scheme);
}

std::vector<PlaneStep> plane_steps(const Context& ctx) {
  std::vector<PlaneStep> steps = ctx.device().kind == DeviceKind::cuda ? gpu_plane_steps() : host_plane_steps();
  steps.push_back(library_plane_step());
  return steps;
}

}  // namespace whorl::studies::heat
