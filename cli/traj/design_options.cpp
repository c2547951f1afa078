#include "cli/traj/design_options.hpp"

namespace whorl::cli {

void add_design_options(App& app, DesignOptions& design, const std::string& nucleus) {
  design.limits.gamma_mhz_per_t = gyromagnetic_ratio(nucleus);
  add_options(app, design, {.changed = {{.name = "nucleus", .fallback = nucleus}}});
  if (!app.has_option("--samples")) return;
  const Option* samples = app.get_option("--samples");
  for (const OptionDescriptor& option : option_table<DesignOptions>().descriptors()) {
    if (!option.on_command_line) continue;
    app.get_option("--" + option.name)->when(designed_readouts, [samples] { return samples->count() == 0; });
  }
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
  made.played = std::move(found.played);
  made.gamma_mhz_per_t = found.gamma_mhz_per_t;
  append(made.parameters, parameters_of(design));
}

}  // namespace whorl::cli
