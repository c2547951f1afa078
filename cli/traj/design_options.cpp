#include "cli/traj/design_options.hpp"

namespace whorl::cli {

void add_design_options(App& app, DesignOptions& design, const std::string& nucleus) {
  design.limits.gamma_mhz_per_t = gyromagnetic_ratio(nucleus);
  add_options(app, design, {.changed = {{.name = "nucleus", .fallback = nucleus}}});
}

DesignOptions design_for(DesignOptions design, const TrajImage& image, int axes) {
  design.limits.pixel_mm = image.pixel_mm(axes);
  if (image.dwell_us > 0) design.dwell_us = image.dwell_us;
  return design;
}

void take_design(MadeTrajectory& made, DesignedTrajectory&& found, const DesignOptions& design) {
  made.trajectory = std::move(found.trajectory);
  made.gradients = std::move(found.gradients);
  made.dwell_us = found.dwell_us;
  append(made.parameters, parameters_of(design));
}

}  // namespace whorl::cli
