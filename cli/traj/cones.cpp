// The families of `whorl traj` that leave the center of a volume: cones, twisted projections, density-adapted readouts.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <numbers>

#include "cli/traj/design_options.hpp"
#include "whorl/core/error.hpp"
#include "whorl/trajectory/density_adapted_radial.hpp"
#include "whorl/trajectory/spoke_order.hpp"

namespace whorl::cli {

namespace {

using std::numbers::pi;

Index enough_cones(Index cones, const TrajImage& image) {
  return cones > 0 ? cones : std::llround(std::ceil(pi / 2 * image.largest()));
}

SamplingGap cone_gap(Index cones, const TrajImage& image) {
  return {"neighboring cones at the edge", pi / (2 * static_cast<double>(cones)), 1 / image.largest()};
}

MadeTrajectory make_cones(const Context& ctx, ConesOptions options, Index samples, const DesignOptions& design,
                          const TrajImage& image) {
  options.cones = enough_cones(options.cones, image);
  options.matrix = image.largest();
  MadeTrajectory made{.trajectory = {}, .kind = "other", .dwell_us = image.dwell_us};
  made.gaps = {cone_gap(options.cones, image)};
  // Tracks are 1 / N apart on wide cones; on narrow ones the straight lines are nearer.
  const double lines = pi / static_cast<double>(options.interleaves);
  made.gaps.push_back(
      {"neighboring tracks of a cone at the edge", std::min(1 / options.matrix, lines), 1 / options.matrix});
  made.parameters = parameters_of(options);
  if (samples > 0) {
    made.trajectory = cones_trajectory(ctx, options, samples);
  } else {
    take_design(made, designed_cones(ctx, options, design_for(design, image, 3)), design);
  }
  return made;
}

constexpr const char* cones_text = R"(On the cone of polar angle b = (c + 1/2) pi / cones arm a of M is the spiral
  k = t / 2 (sin b cos f, sin b sin f, cos b), f = 2 pi (turns t + a / M), t from 0 to 1
with the fewest turns for tracks 1/N apart. Without --samples each is run through in the least time that gradient and
slew rate allow, those of shorter cones in the time of the longest. There is one waveform for each cone.

Examples:
  whorl traj cones --matrix 64 --fov 220 --interleaves 16 -o cones.h5 --gradients g.npz
                                        101 cones, designed under gradient limits
  whorl traj cones --matrix 32 --interleaves 8 --samples 600 -o cones.h5
                                        at constant angular velocity)";

constexpr const char* twisted_text =
    R"(A readout leaves the center straight at the full gradient up to the radial fraction p and then winds about
its cone so that the density of samples in space is constant: with v the speed and k0 = p/2
  k^3 = k0^3 + 3 k0^2 v t,   |g| constant (Boada et al. 1997)
The twist sets in as fast as the slew rate allows. On the cone of polar angle b there are pi p N sin b readouts, divided
by --reduction. The speed is that of --max-gradient; there is one waveform for each cone.

Examples:
  whorl traj tpi --matrix 60 --fov 240 --max-gradient 8 --dwell 10 -o tpi.h5 --plot tpi.png
                                        sodium at 4 mm
  whorl traj tpi --matrix 60 --fov 240 --fraction 0.3 --reduction 3 --cones 40 -o tpi.h5
                                        fewer readouts)";

constexpr const char* adapted_text =
    R"(A straight readout rises to the full gradient, keeps it up to the radial fraction p, and then slows down so
that the density of samples is constant: with v the speed and k0 = p/2
  k^d = k0^d + d k0^(d-1) v t in d dimensions (Nagel et al. 2009)
There is one waveform, along the readout.

Examples:
  whorl traj density-adapted --matrix 60 60 60 --fov 240 --dwell 10 --spokes 4000 -o adapted.h5
                                        sodium in 3D, golden means
  whorl traj density-adapted --matrix 64 64 --fov 256 --order uniform -o adapted.h5
                                        in the plane)";

enum class AdaptedOrder { golden, uniform, phyllotaxis };

struct Adapted {
  Index spokes = 0;
  double fraction = 0.4;
  AdaptedOrder order = AdaptedOrder::golden;
  Index interleaves = 1;
  DesignOptions design{.limits = {.amplitude_mt_per_m = 10}};
};

const OptionTable<Adapted>& adapted_table() {
  static const OptionTable<Adapted> table =
      OptionTable<Adapted>("density-adapted trajectory")
          .integer("spokes", &Adapted::spokes, OptionRange::at_least(1), "",
                   "Number of readouts (default: pi N^2 in 3D, pi N in 2D)")
          .real("fraction", &Adapted::fraction, OptionRange::more_than(0).up_to(1), "",
                "Part p of the radius at the full gradient")
          .choice("order", &Adapted::order,
                  {{"golden", AdaptedOrder::golden},
                   {"uniform", AdaptedOrder::uniform},
                   {"phyllotaxis", AdaptedOrder::phyllotaxis}},
                  "Directions of the readouts; uniform only in 2D, phyllotaxis only in 3D")
          .integer("interleaves", &Adapted::interleaves, OptionRange::at_least(1), "", "Number of interleaves")
          .when("order phyllotaxis", [](const Adapted& options) { return options.order == AdaptedOrder::phyllotaxis; });
  return table;
}

struct Cones {
  ConesOptions options{.cones = 0};
  Index samples = 0;
  DesignOptions design;
};

const OptionTable<Cones>& cones_table() {
  static const OptionTable<Cones> table =
      OptionTable<Cones>("cones trajectory")
          .part(&Cones::options)
          .integer(
              "samples", &Cones::samples, OptionRange::at_least(1), "",
              "Samples of an arm at constant angular velocity; without it arms are designed under gradient limits");
  return table;
}

std::vector<std::array<double, 3>> directions_of(const Adapted& adapted, Index spokes, int dim) {
  if (adapted.order == (dim == 2 ? AdaptedOrder::phyllotaxis : AdaptedOrder::uniform)) {
    throw ValueError(fmt::format("density-adapted trajectory: there is no order {} in {}D",
                                 adapted_table().text_of(adapted, "order"), dim));
  }
  if (dim == 3) {
    return kooshball_directions(spokes, {.order = adapted.order == AdaptedOrder::golden ? KooshballOrder::golden_means
                                                                                        : KooshballOrder::phyllotaxis,
                                         .interleaves = adapted.interleaves,
                                         .center_out = true});
  }
  const SpokeOrder order = adapted.order == AdaptedOrder::golden ? SpokeOrder::golden_angle : SpokeOrder::uniform;
  std::vector<std::array<double, 3>> directions;
  for (const double angle : spoke_angles(spokes, order, 1, 2 * pi)) {
    directions.push_back({std::cos(angle), std::sin(angle), 0});
  }
  return directions;
}

MadeTrajectory make_adapted(const Context& ctx, Adapted adapted, const TrajImage& image) {
  const int dim = image.dim();
  const double matrix = image.largest();
  if (adapted.spokes == 0) adapted.spokes = std::llround(std::ceil(pi * std::pow(matrix, dim - 1)));
  const Index spokes = adapted.spokes;
  MadeTrajectory made{.trajectory = {}, .kind = "radial", .dwell_us = image.dwell_us};
  // The circle or sphere of radius 0.5 measures pi.
  made.gaps = {{"neighboring readouts at the edge on the mean",
                std::pow(pi / static_cast<double>(spokes), 1.0 / (dim - 1)), 1 / matrix}};
  made.parameters = parameters_of(adapted, adapted_table());
  const DesignOptions options = design_for(adapted.design, image, dim);
  take_design(made, density_adapted_radial(ctx, directions_of(adapted, spokes, dim), adapted.fraction, dim, options),
              adapted.design);
  return made;
}

}  // namespace

TrajFamily cones_family() {
  return {"cones", "Spirals on cones about z", cones_text, 3, 3, [](App& app) -> MakeTrajectory {
            const auto flags = std::make_shared<Cones>();
            add_options(app, *flags, cones_table());
            add_design_options(app, flags->design, "1H");
            return [flags](const Context& ctx, const TrajImage& image) {
              return make_cones(ctx, flags->options, flags->samples, flags->design, image);
            };
          }};
}

TrajFamily twisted_projection_family() {
  return {"tpi", "Twisted projection imaging, for sodium", twisted_text, 3, 3, [](App& app) -> MakeTrajectory {
            struct Flags {
              TwistedProjectionOptions options{.cones = 0};
              DesignOptions design{.limits = {.amplitude_mt_per_m = 8}};
            };
            const auto flags = std::make_shared<Flags>();
            add_options(app, flags->options);
            add_design_options(app, flags->design, "23Na");
            return [flags](const Context& ctx, const TrajImage& image) {
              TwistedProjectionOptions options = flags->options;
              options.cones = enough_cones(options.cones, image);
              options.matrix = image.largest();
              MadeTrajectory made{.trajectory = {}, .kind = "other", .dwell_us = image.dwell_us};
              made.gaps = {cone_gap(options.cones, image),
                           {"readouts of a cone where the twist begins, at most", options.reduction / options.matrix,
                            1 / options.matrix}};
              made.parameters = parameters_of(options);
              take_design(made, twisted_projection(ctx, options, design_for(flags->design, image, 3)), flags->design);
              return made;
            };
          }};
}

TrajFamily density_adapted_family() {
  return {"density-adapted", "Density-adapted radial, for sodium", adapted_text, 2, 3, [](App& app) -> MakeTrajectory {
            const auto adapted = std::make_shared<Adapted>();
            add_options(app, *adapted, adapted_table());
            add_design_options(app, adapted->design, "23Na");
            return [adapted](const Context& ctx, const TrajImage& image) { return make_adapted(ctx, *adapted, image); };
          }};
}

}  // namespace whorl::cli
