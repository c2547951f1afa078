// The spirals and the rosette of `whorl traj`.
#include "whorl/trajectory/spiral.hpp"

#include <algorithm>
#include <memory>
#include <numbers>

#include "cli/traj/design_options.hpp"
#include "cli/traj/stack.hpp"
#include "whorl/trajectory/rosette.hpp"

namespace whorl::cli {

namespace {

struct Arms {
  Index arms = 1;
  double turns = 0;
  double power = 1;
  Index samples = 0;
  DesignOptions design;
};

// Its key in records would be that of all samples.
const Shown recorded{.but = {"samples"}};

std::string samples_summary(const std::string& otherwise) {
  return "Samples of a readout at " + otherwise + "; without it the readout is designed under gradient limits";
}

const OptionTable<Arms>& arm_table() {
  static const OptionTable<Arms> table =
      OptionTable<Arms>("spiral trajectory")
          .integer("arms", &Arms::arms, OptionRange::at_least(1), "", "Number of interleaved arms")
          .real("turns", &Arms::turns, OptionRange::more_than(0), "",
                "Turns of an arm (default: as many as sample fully, power N / (2 arms))")
          .real("power", &Arms::power, {1, 100}, "",
                "The radius grows with this power of the angle: 1 Archimedes, above 1 denser center")
          .integer("samples", &Arms::samples, OptionRange::at_least(1), "",
                   samples_summary("constant angular velocity"));
  return table;
}

void add_arm_options(App& app, Arms& arms) {
  add_options(app, arms, arm_table());
  add_design_options(app, arms.design, "1H");
}

struct Rosette {
  Index shots = 1;
  double swings = 10;
  double rotations = 7;
  Index samples = 0;
  DesignOptions design;
};

const OptionTable<Rosette>& rosette_table() {
  static const OptionTable<Rosette> table =
      OptionTable<Rosette>("rosette trajectory")
          .integer("shots", &Rosette::shots, OptionRange::at_least(1), "", "Number of shots, turned evenly")
          .real("swings", &Rosette::swings, OptionRange::more_than(0), "",
                "Swings of the radius through the center and back, in a shot")
          .real("rotations", &Rosette::rotations, OptionRange::more_than(0), "", "Rotations of the direction in a shot")
          .integer("samples", &Rosette::samples, OptionRange::at_least(1), "",
                   samples_summary("constant angular velocities"));
  return table;
}

MadeTrajectory make_arms(const Context& ctx, Arms arms, const TrajImage& image) {
  const double matrix = image.in_plane();
  if (arms.turns == 0) arms.turns = arms.power * matrix / (2 * static_cast<double>(arms.arms));
  MadeTrajectory made{.trajectory = {}, .kind = "spiral", .dwell_us = image.dwell_us};
  made.gaps = {{"neighboring turns at the edge", largest_spiral_gap(arms.arms, arms.turns, arms.power), 1 / matrix}};
  made.parameters = parameters_of(arms, arm_table(), recorded);
  if (arms.samples > 0) {
    made.trajectory = spiral_trajectory(ctx, arms.arms, arms.samples, arms.turns, arms.power);
  } else {
    take_design(made, designed_spiral(ctx, arms.arms, arms.turns, arms.power, design_for(arms.design, image, 2)),
                arms.design);
  }
  return made;
}

constexpr const char* spiral_text =
    R"(Arm a of A: k = t^power / 2 (cos, sin)(2 pi (turns t + a / A)), t from 0 to 1. Neighboring turns are
power t^(power - 1) / (2 turns A) apart. Without --samples each arm is run through in the least time that gradient and
slew rate allow (Lustig, Kim, Pauly 2008), and sampled every --dwell us. The waveform is that of arm 0.

Examples:
  whorl traj spiral --matrix 192 --fov 220 --arms 16 -o spiral.h5 --gradients g.csv --plot spiral.png
                                        40 mT/m and 150 T/m/s, a sample every 2 us
  whorl traj spiral --matrix 192 --fov 220 --arms 16 -o spiral.h5 --pulseq spiral.seq --repetition-time 20
                                        a Pulseq sequence that plays it
  whorl traj spiral --matrix 80 --fov 400 --arms 8 --nucleus 129Xe --max-gradient 30 --rewind -o xenon.h5
                                        another nucleus, and back to the center at the end
  whorl traj spiral --matrix 128 --arms 4 --samples 4000 --power 2 -o spiral.h5
                                        variable density at constant angular velocity)";

constexpr const char* stack_text =
    R"(Spirals as of whorl traj spiral at kz = (p - floor(P/2)) / P. An arm is taken in all partitions before the
next one. With --rotate partition p is turned by frac(0.618 p) of the angle between arms.

Examples:
  whorl traj stack-of-spirals --matrix 192 192 32 --fov 220 220 128 --arms 16 -o stack.h5
                                        designed arms, aligned partitions
  whorl traj stack-of-spirals --matrix 128 128 24 --arms 8 --samples 3000 --rotate -o stack.h5
                                        constant angular velocity, turned partitions)";

constexpr const char* rosette_text =
    R"(Shot a of A: k = sin(2 pi swings t) / 2 (cos, sin)(2 pi (rotations t + a / (2 swings A))), t from 0 to 1.
Whole numbers close the curve. Without --samples it is run through in the least time that gradient and slew rate allow.

Examples:
  whorl traj rosette --matrix 64 --fov 240 --shots 8 --swings 10 --rotations 7 -o rosette.h5
                                        designed under gradient limits
  whorl traj rosette --matrix 64 --shots 8 --swings 10 --rotations 7 --samples 2000 -o rosette.h5
                                        at constant angular velocities)";

}  // namespace

TrajFamily spiral_family() {
  return {"spiral",
          "Spirals in the plane: Archimedean, variable density, designed in the least time",
          spiral_text,
          2,
          2,
          [](App& app) -> MakeTrajectory {
            const auto arms = std::make_shared<Arms>();
            add_arm_options(app, *arms);
            return [arms](const Context& ctx, const TrajImage& image) { return make_arms(ctx, *arms, image); };
          }};
}

TrajFamily stack_of_spirals_family() {
  return {
      "stack-of-spirals", "Spirals in the plane, repeated along kz", stack_text, 3, 3, [](App& app) -> MakeTrajectory {
        struct Flags {
          Arms arms;
          StackOptions stack{.partitions = 0};
          bool rotate = false;
        };
        const auto flags = std::make_shared<Flags>();
        add_arm_options(app, flags->arms);
        add_stack_options(app, flags->stack, flags->rotate);
        return [flags](const Context& ctx, const TrajImage& image) {
          MadeTrajectory made = make_arms(ctx, flags->arms, image);
          StackOptions stack = flags->stack;
          if (flags->rotate) stack.golden_rotation = 2 * std::numbers::pi / static_cast<double>(flags->arms.arms);
          make_stack(ctx, made, stack, image);
          return made;
        };
      }};
}

TrajFamily rosette_family() {
  return {"rosette", "Petals through the center, in the plane", rosette_text, 2, 2, [](App& app) -> MakeTrajectory {
            const auto flags = std::make_shared<Rosette>();
            add_options(app, *flags, rosette_table());
            add_design_options(app, flags->design, "1H");
            return [flags](const Context& ctx, const TrajImage& image) {
              MadeTrajectory made{.trajectory = {}, .kind = "other", .dwell_us = image.dwell_us};
              made.parameters = parameters_of(*flags, rosette_table(), recorded);
              if (flags->samples > 0) {
                made.trajectory =
                    rosette_trajectory(ctx, flags->shots, flags->samples, flags->swings, flags->rotations);
              } else {
                take_design(made,
                            designed_rosette(ctx, flags->shots, flags->swings, flags->rotations,
                                             design_for(flags->design, image, 2)),
                            flags->design);
              }
              return made;
            };
          }};
}

}  // namespace whorl::cli
