#include "cli/traj/design_options.hpp"

#include "cli/options/option_of.hpp"

namespace whorl::cli {

void add_design_options(App& app, DesignFlags& flags, const std::string& nucleus) {
  constexpr const char* group = "Gradients (need --fov)";
  flags.gamma_mhz_per_t = gyromagnetic_ratio(nucleus);
  app.add_option("--max-gradient", flags.max_gradient, "Largest |g| in mT/m")
      ->check(positive_number())
      ->capture_default_str()
      ->group(group);
  app.add_option("--max-slew", flags.max_slew, "Largest slew rate in T/m/s")
      ->check(positive_number())
      ->capture_default_str()
      ->group(group);
  add_text_option(app, "--nucleus", flags.gamma_mhz_per_t, gyromagnetic_ratio,
                  "1H, 2H, 3He, 7Li, 13C, 17O, 19F, 23Na, 31P, 129Xe, or gamma/(2 pi) in MHz/T", nucleus_names())
      ->default_str(nucleus)
      ->group(group);
  app.add_option("--raster", flags.raster_us, "Time between values of the waveform in us")
      ->check(positive_number())
      ->capture_default_str()
      ->group(group);
  app.add_flag("--rewind", flags.rewind, "End the waveform at the center of k-space, not with the ramp to zero")
      ->group(group);
}

DesignOptions design_options(const DesignFlags& flags, const TrajImage& image, int axes) {
  constexpr double default_dwell_us = 2;
  return {{flags.max_gradient, flags.max_slew, flags.gamma_mhz_per_t, image.pixel_mm(axes)},
          image.dwell_us > 0 ? image.dwell_us : default_dwell_us,
          flags.raster_us,
          flags.rewind ? GradientEnd::rewind : GradientEnd::ramp_down};
}

void take_design(MadeTrajectory& made, DesignedTrajectory&& design, const DesignFlags& flags) {
  made.trajectory = std::move(design.trajectory);
  made.gradients = std::move(design.gradients);
  made.dwell_us = design.dwell_us;
  made.parameters.emplace_back("max_gradient_mt_per_m", flags.max_gradient);
  made.parameters.emplace_back("max_slew_t_per_m_s", flags.max_slew);
  made.parameters.emplace_back("gamma_mhz_per_t", flags.gamma_mhz_per_t);
  made.parameters.emplace_back("raster_us", flags.raster_us);
  made.parameters.emplace_back("rewind", flags.rewind);
}

}  // namespace whorl::cli
