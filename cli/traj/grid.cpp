// The families of `whorl traj` made of parallel lines, and the random one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "cli/options/table_options.hpp"
#include "cli/traj/traj.hpp"
#include "whorl/core/error.hpp"
#include "whorl/trajectory/option_tables.hpp"

namespace whorl::cli {

namespace {

using std::numbers::pi;

MadeTrajectory make_propeller(const Context& ctx, PropellerOptions options, const TrajImage& image) {
  options.matrix = image.in_plane();
  if (options.readout == 0) options.readout = static_cast<Index>(options.matrix);
  // Blades that touch at the edge: L / (2 N) = sin(pi / (2 blades)) / 2.
  const double width = std::min(1.0, static_cast<double>(options.lines) / options.matrix);
  if (options.blades == 0) options.blades = std::llround(std::ceil(pi / (2 * std::asin(width)) - 1e-9));
  MadeTrajectory made{propeller_trajectory(ctx, options), "other", image.dwell_us};
  // Where the gap between blades opens further in, what is missing at the edge is undersampled by the ratio of radii.
  const double covered = propeller_covered_radius(options);
  made.gaps = {{"lines at the edge, blades together", 0.5 / covered / options.matrix, 1 / options.matrix}};
  made.parameters = parameters_of(options);
  made.parameters.emplace_back("covered_radius", covered);
  return made;
}

struct Cartesian {
  CartesianOptions options;
  std::vector<Index> calibration;
};

// One number is a square, which the library's pair of numbers can not tell.
const OptionTable<Cartesian>& calibration_table() {
  static const OptionTable<Cartesian> table =
      OptionTable<Cartesian>("cartesian trajectory")
          .list("calibration", &Cartesian::calibration, 1, 2, OptionRange::at_least(0), "",
                "Lines along y, and z, that are taken at the center");
  return table;
}

void add_cartesian_options(App& app, Cartesian& cartesian) {
  add_options(app, cartesian.options, {.but = {"calibration"}});
  add_options(app, cartesian, calibration_table());
  const CartesianOptions& options = cartesian.options;
  const auto leaves_out = [&options] { return options.undersampling != Undersampling::none; };
  const auto draws = [&options] {
    return options.undersampling == Undersampling::random || options.undersampling == Undersampling::poisson_disc;
  };
  const auto& part = options.partial_fourier;
  app.get_option("--acceleration")->when("--undersampling", leaves_out);
  app.get_option("--calibration")->when("--undersampling or --partial-fourier", [leaves_out, &part] {
    return leaves_out() || part[0] < 1 || part[1] < 1;
  });
  for (const char* name : {"--variation", "--seed"}) {
    app.get_option(name)->when("--undersampling random or poisson", draws);
  }
}

// Numbers along z say nothing of an image that has no z.
void check_axes(const Cartesian& cartesian, const TrajImage& image) {
  if (image.dim() == 3) return;
  const bool calibration = cartesian.calibration.size() > 1;
  if (!calibration && cartesian.options.partial_fourier[1] == 1) return;
  throw ValueError(fmt::format(
      "cartesian trajectory: {} has a number along z, and the image is 2D; give one number, or a matrix x y z",
      calibration ? "--calibration" : "--partial-fourier"));
}

MadeTrajectory make_cartesian(const Context& ctx, const Cartesian& cartesian, const TrajImage& image) {
  check_axes(cartesian, image);
  CartesianOptions options = cartesian.options;
  options.matrix = image.matrix;
  if (!cartesian.calibration.empty()) {
    options.calibration = {cartesian.calibration.front(), image.dim() == 3 ? cartesian.calibration.back() : 0};
  }
  const Array<std::uint8_t> mask = cartesian_mask(ctx, options);
  MadeTrajectory made{cartesian_trajectory(ctx, options.matrix[0], mask), "cartesian", image.dwell_us};
  const Index lines = made.trajectory.samples() / options.matrix[0];
  made.parameters = parameters_of(options);
  append(made.parameters,
         {{"lines", static_cast<std::int64_t>(lines)}, {"of_lines", static_cast<std::int64_t>(mask.size())}});
  if (options.undersampling == Undersampling::none || options.undersampling == Undersampling::regular) {
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(image.dim() - 1); ++axis) {
      const bool all = options.undersampling == Undersampling::none;
      const double nyquist = 1 / static_cast<double>(options.matrix[axis + 1]);
      made.gaps.push_back({axis == 0 ? "neighboring lines along y" : "neighboring lines along z",
                           nyquist * (all ? 1 : options.acceleration[axis]), nyquist});
    }
  }
  return made;
}

struct Random {
  Index samples = 0;
  RandomRegion region = RandomRegion::box;
  std::uint64_t seed = 1;
};

const OptionTable<Random>& random_table() {
  static const OptionTable<Random> table =
      OptionTable<Random>("random trajectory")
          .integer("samples", &Random::samples, OptionRange::at_least(1), "",
                   "Number of samples (default: as many as voxels)")
          .choice("region", &Random::region, {{"box", RandomRegion::box}, {"ball", RandomRegion::ball}},
                  "Where the samples lie; a ball is a disc in 2D")
          .integer("seed", &Random::seed, {}, "", "Seed of the random numbers");
  return table;
}

constexpr const char* propeller_text =
    R"(Blades of parallel lines, 1/N apart, turned about the center; their corners lie on the circle of radius 0.5.

Examples:
  whorl traj propeller --matrix 128 --lines 16 -o propeller.h5 --plot propeller.png
                                        as many blades as cover k-space
  whorl traj propeller --matrix 128 --lines 24 --blades 13 --order golden -o propeller.h5
                                        blades in golden order)";

constexpr const char* cartesian_text = R"(Lines along x at ky = (y - floor(Ny/2)) / Ny, and kz. Which are taken:
  regular  every a-th along y and b-th along z of --acceleration a b, through the center
  random   with a density that falls with |k| as (1 - r)^variation
  poisson  no two closer than a distance that grows from the center to the edge by 1 + variation
--calibration adds a full center; --partial-fourier leaves out lines at negative k.

Examples:
  whorl traj cartesian --matrix 256 192 --undersampling regular --acceleration 3 --calibration 24 -o lines.h5
                                        every third line and a calibration region
  whorl traj cartesian --matrix 256 192 120 --undersampling poisson --acceleration 8 --calibration 24 -o mask.h5
                                        variable-density Poisson disc in 3D
  whorl traj cartesian --matrix 128 128 --partial-fourier 0.625 -o partial.h5
                                        5/8 of k-space)";

constexpr const char* random_text = R"(Independent positions for tests, the same for the same seed everywhere.

Examples:
  whorl traj random --matrix 64 64 --samples 20000 -o random.h5
                                        20000 samples in the square
  whorl traj random --matrix 32 32 32 --region ball --seed 7 -o random.h5
                                        as many as the image has voxels, in the ball)";

}  // namespace

TrajFamily propeller_family() {
  return {"propeller",
          "Blades of parallel lines, turned about the center",
          propeller_text,
          2,
          2,
          [](App& app) -> MakeTrajectory {
            const auto options = std::make_shared<PropellerOptions>();
            options->blades = 0;
            options->lines = 16;
            options->readout = 0;
            add_options(app, *options);
            return
                [options](const Context& ctx, const TrajImage& image) { return make_propeller(ctx, *options, image); };
          }};
}

TrajFamily cartesian_family() {
  return {"cartesian",
          "Lines of a grid, all or some: partial Fourier, regular, random, Poisson disc",
          cartesian_text,
          2,
          3,
          [](App& app) -> MakeTrajectory {
            const auto cartesian = std::make_shared<Cartesian>();
            add_cartesian_options(app, *cartesian);
            return [cartesian](const Context& ctx, const TrajImage& image) {
              return make_cartesian(ctx, *cartesian, image);
            };
          }};
}

TrajFamily random_family() {
  return {"random", "Random positions, for tests", random_text, 2, 3, [](App& app) -> MakeTrajectory {
            const auto flags = std::make_shared<Random>();
            add_options(app, *flags, random_table());
            return [flags](const Context& ctx, const TrajImage& image) {
              const Index voxels = image.matrix[0] * image.matrix[1] * image.matrix[2];
              MadeTrajectory made{random_trajectory(ctx, flags->samples > 0 ? flags->samples : voxels, image.dim(),
                                                    flags->region, flags->seed),
                                  "other", image.dwell_us};
              made.parameters = parameters_of(*flags, random_table(), {.but = {"samples"}});
              return made;
            };
          }};
}

}  // namespace whorl::cli
