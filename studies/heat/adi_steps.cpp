#include "studies/heat/adi_steps.hpp"

namespace whorl::studies::heat {

PlaneStep library_adi_step() {
  HeatOptions scheme;
  scheme.border = Border::constant;
  scheme.method = HeatMethod::implicit;
  return library_step("filter heat, implicit", scheme);
}

std::vector<PlaneStep> adi_steps(const Context& ctx) {
  std::vector<PlaneStep> steps = ctx.device().kind == DeviceKind::cuda ? gpu_adi_steps() : host_adi_steps();
  steps.push_back(library_adi_step());
  return steps;
}

}  // namespace whorl::studies::heat
