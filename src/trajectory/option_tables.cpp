#include "whorl/trajectory/option_tables.hpp"

#include <cmath>

namespace whorl {

namespace {

constexpr const char* gradients = "Gradients (need fov)";
// Beyond any scanner's, and such that no time of a design overflows.
constexpr OptionRange limit_range{1e-6, 1e9};

}  // namespace

const std::vector<std::pair<std::string, SpokeOrder>>& spoke_order_words() {
  static const std::vector<std::pair<std::string, SpokeOrder>> words{
      {"uniform", SpokeOrder::uniform}, {"golden", SpokeOrder::golden_angle}, {"fibonacci", SpokeOrder::fibonacci}};
  return words;
}

template <>
const OptionTable<SpokeOptions>& option_table<SpokeOptions>() {
  static const OptionTable<SpokeOptions> table =
      OptionTable<SpokeOptions>("radial trajectory")
          .integer("golden-index", &SpokeOptions::golden_index, OptionRange::at_least(1), "",
                   "n of the golden angle pi/(g + n - 1): 1 is 111.25 degrees, 7 is 23.63")
          .flag("center-out", &SpokeOptions::center_out, "Spokes start at the center; else they run through it");
  return table;
}

template <>
const OptionTable<KooshballOptions>& option_table<KooshballOptions>() {
  static const OptionTable<KooshballOptions> table =
      OptionTable<KooshballOptions>("kooshball trajectory")
          .choice("order", &KooshballOptions::order,
                  {{"golden", KooshballOrder::golden_means}, {"phyllotaxis", KooshballOrder::phyllotaxis}},
                  "Directions of the spokes")
          .integer("interleaves", &KooshballOptions::interleaves, OptionRange::at_least(1), "",
                   "Number of interleaves, best a Fibonacci number")
          .when("order phyllotaxis",
                [](const KooshballOptions& options) { return options.order == KooshballOrder::phyllotaxis; })
          .flag("center-out", &KooshballOptions::center_out, "Spokes start at the center; else they run through it");
  return table;
}

template <>
const OptionTable<StackOptions>& option_table<StackOptions>() {
  static const OptionTable<StackOptions> table =
      OptionTable<StackOptions>("stack trajectory")
          .integer("partitions", &StackOptions::partitions, OptionRange::at_least(1), "",
                   "Number of partitions (default: the matrix along z)")
          .choice("kz-order", &StackOptions::order,
                  {{"linear", PartitionOrder::linear}, {"centric", PartitionOrder::centric}}, "Order of the partitions")
          .real("rotation", &StackOptions::golden_rotation, {}, "rad",
                "Angle after which the plane looks the same; partitions are turned by golden parts of it")
          .recorded_as("rotation_rad")
          .for_programs();
  return table;
}

template <>
const OptionTable<ConesOptions>& option_table<ConesOptions>() {
  static const OptionTable<ConesOptions> table =
      OptionTable<ConesOptions>("cones trajectory")
          .integer("cones", &ConesOptions::cones, OptionRange::at_least(1), "",
                   "Number of cones (default: as many as sample fully, pi/2 N)")
          .integer("interleaves", &ConesOptions::interleaves, OptionRange::at_least(1), "", "Arms on each cone")
          .real("matrix", &ConesOptions::matrix, OptionRange::more_than(0), "pixels", "N, of which the turns follow")
          .for_programs();
  return table;
}

template <>
const OptionTable<TwistedProjectionOptions>& option_table<TwistedProjectionOptions>() {
  using Twisted = TwistedProjectionOptions;
  static const OptionTable<Twisted> table =
      OptionTable<Twisted>("twisted projection trajectory")
          .integer("cones", &Twisted::cones, OptionRange::at_least(1), "",
                   "Number of cones (default: as many as sample fully, pi/2 N)")
          .real("fraction", &Twisted::fraction, OptionRange::more_than(0).up_to(1), "",
                "Part p of the radius that is straight")
          .real("reduction", &Twisted::reduction, OptionRange::more_than(0), "",
                "Undersampling: the readouts of each cone are divided by this")
          .real("matrix", &Twisted::matrix, OptionRange::more_than(0), "pixels",
                "N, of which the number of readouts on a cone follows")
          .for_programs();
  return table;
}

template <>
const OptionTable<PropellerOptions>& option_table<PropellerOptions>() {
  using Propeller = PropellerOptions;
  static const OptionTable<Propeller> table =
      OptionTable<Propeller>("propeller trajectory")
          .integer("blades", &Propeller::blades, OptionRange::at_least(1), "",
                   "Number of blades (default: as many as cover k-space)")
          .integer("lines", &Propeller::lines, OptionRange::at_least(1), "", "Lines of a blade")
          .integer("readout", &Propeller::readout, OptionRange::at_least(1), "", "Samples of a line (default: N)")
          .choice("order", &Propeller::order, spoke_order_words(), "Angles of the blades")
          .integer("golden-index", &Propeller::golden_index, OptionRange::at_least(1), "",
                   "n of the golden angle pi/(g + n - 1)")
          .when("order golden or fibonacci",
                [](const Propeller& options) { return options.order != SpokeOrder::uniform; })
          .real("matrix", &Propeller::matrix, OptionRange::more_than(0), "pixels", "N: lines are 1 / N apart")
          .for_programs();
  return table;
}

template <>
const OptionTable<CartesianOptions>& option_table<CartesianOptions>() {
  using Cartesian = CartesianOptions;
  static const OptionTable<Cartesian> table =
      OptionTable<Cartesian>("cartesian trajectory")
          .choice("undersampling", &Cartesian::undersampling,
                  {{"none", Undersampling::none},
                   {"regular", Undersampling::regular},
                   {"random", Undersampling::random},
                   {"poisson", Undersampling::poisson_disc}},
                  "Which lines to take")
          .list("acceleration", &Cartesian::acceleration, 1, 2, OptionRange::more_than(0), "",
                "How many times fewer lines to take along y and z; random and poisson take the product in all")
          .list("calibration", &Cartesian::calibration, 1, 2, OptionRange::at_least(0), "",
                "Lines along y, and z, that are taken at the center")
          .list("partial-fourier", &Cartesian::partial_fourier, 1, 2, OptionRange::more_than(0.5).up_to(1), "",
                "Part of k-space along y, and z, that is taken")
          .real("variation", &Cartesian::variation, OptionRange::at_least(0), "",
                "How much denser the center is; 0: the same")
          .integer("seed", &Cartesian::seed, {}, "", "Seed of the random numbers");
  return table;
}

template <>
const OptionTable<GradientLimits>& option_table<GradientLimits>() {
  static const OptionTable<GradientLimits> table =
      OptionTable<GradientLimits>("gradient limits")
          .group(gradients)
          .real("max-gradient", &GradientLimits::amplitude_mt_per_m, limit_range, "mT/m", "Largest |g|")
          .recorded_as("max_gradient_mt_per_m")
          .real("max-slew", &GradientLimits::slew_t_per_m_s, limit_range, "T/m/s", "Largest slew rate")
          .recorded_as("max_slew_t_per_m_s")
          .custom(
              {.name = "nucleus",
               .summary = "Nucleus: its name, or gamma/(2 pi)",
               .unit = "MHz/T",
               .range = OptionRange::more_than(0),
               .fallback = "1H",
               .choices = nucleus_names(),
               .type = OptionType::number,
               .record = "gamma_mhz_per_t"},
              [](const GradientLimits& limits) -> OptionValue { return limits.gamma_mhz_per_t; },
              [](GradientLimits& limits, const OptionValue& value) {
                limits.gamma_mhz_per_t = std::holds_alternative<double>(value)
                                             ? std::get<double>(value)
                                             : gyromagnetic_ratio(std::get<std::string>(value));
              })
          .real("pixel", &GradientLimits::pixel_mm, OptionRange::more_than(0), "mm", "Field of view over matrix size")
          .for_programs();
  return table;
}

template <>
const OptionTable<DesignOptions>& option_table<DesignOptions>() {
  static const OptionTable<DesignOptions> table =
      OptionTable<DesignOptions>("readout design")
          .group(gradients)
          .part(&DesignOptions::limits)
          .real("raster", &DesignOptions::raster_us, OptionRange::more_than(0), "us",
                "Time between values of the waveform")
          .recorded_as("raster_us")
          .custom(
              {.name = "rewind",
               .summary = "End the waveform at the center of k-space, not with the ramp to zero",
               .choices = {"yes", "no"},
               .type = OptionType::flag},
              [](const DesignOptions& options) -> OptionValue { return options.end == GradientEnd::rewind; },
              [](DesignOptions& options, const OptionValue& value) {
                options.end = std::get<bool>(value) ? GradientEnd::rewind : GradientEnd::ramp_down;
              })
          .real("dwell", &DesignOptions::dwell_us, OptionRange::more_than(0), "us", "Time between samples")
          .recorded_as("dwell_us")
          .for_programs();
  return table;
}

}  // namespace whorl
