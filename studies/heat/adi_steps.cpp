#include "studies/heat/adi_steps.hpp"

#include "whorl/core/image.hpp"
#include "whorl/filter/diffusion/heat.hpp"

namespace whorl::studies::heat {

PlaneStep library_adi_step() {
  const auto run = [](const Context& ctx, const PlaneJob& job) {
    HeatOptions options;
    options.border = Border::constant;
    options.method = HeatMethod::implicit;
    options.time = job.rate * static_cast<double>(job.steps);
    options.step = job.rate;
    const ImageFormat format{.type = PixelType::float32, .height = job.n, .width = job.n};
    Image first(ctx, format);
    copy<float>(ctx, job.first.reshape(format.shape()), first.pixels<float>());
    const Image last = make_heat(options)->apply(ctx, first);
    copy<float>(ctx, last.pixels<float>(), job.last.reshape(format.shape()));
  };
  return {"filter heat, implicit", run, true};
}

std::vector<PlaneStep> adi_steps(const Context& ctx) {
  std::vector<PlaneStep> steps = ctx.device().kind == DeviceKind::cuda ? gpu_adi_steps() : host_adi_steps();
  steps.push_back(library_adi_step());
  return steps;
}

}  // namespace whorl::studies::heat
