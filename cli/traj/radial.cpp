// The radial families of `whorl traj`.
#include <cmath>
#include <memory>
#include <numbers>

#include "cli/options/table_options.hpp"
#include "cli/traj/stack.hpp"
#include "whorl/trajectory/option_tables.hpp"

namespace whorl::cli {

namespace {

using std::numbers::pi;

struct Spokes {
  Index spokes = 0;
  Index readout = 0;
  SpokeOrder order = SpokeOrder::uniform;
  SpokeOptions options;

  double period() const { return options.center_out ? 2 * pi : pi; }
};

// Numbers that were not given are 0 until the image is known.
template <class Counted>
OptionTable<Counted> count_table(const std::string& title, const std::string& all) {
  return OptionTable<Counted>(title)
      .integer("spokes", &Counted::spokes, OptionRange::at_least(1), "", "Number of spokes (default: " + all + ")")
      .integer("readout", &Counted::readout, OptionRange::at_least(1), "",
               "Samples of a spoke (default: N with --center-out, else 2 N: oversampled twice)");
}

const OptionTable<Spokes>& spoke_table() {
  static const OptionTable<Spokes> table =
      count_table<Spokes>("radial trajectory", "as many as sample fully, pi/2 N, or pi N with --center-out")
          .choice("order", &Spokes::order, spoke_order_words(), "Angles of the spokes")
          .part(&Spokes::options);
  return table;
}

struct Kooshball {
  Index spokes = 0;
  Index readout = 0;
  KooshballOptions options;
};

const OptionTable<Kooshball>& kooshball_table() {
  static const OptionTable<Kooshball> table =
      count_table<Kooshball>("kooshball trajectory",
                             "as many as sample fully on the mean, pi/2 N^2, or pi N^2 with --center-out")
          .part(&Kooshball::options);
  return table;
}

Index readout_of(Index readout, bool center_out, double matrix) {
  return readout > 0 ? readout : static_cast<Index>(center_out ? matrix : 2 * matrix);
}

// Sets the numbers that were not given, and makes the star.
MadeTrajectory make_star(const Context& ctx, Spokes spokes, const TrajImage& image) {
  const double matrix = image.in_plane();
  if (spokes.spokes == 0) spokes.spokes = std::llround(std::ceil(spokes.period() / 2 * matrix));
  spokes.readout = readout_of(spokes.readout, spokes.options.center_out, matrix);
  MadeTrajectory made{radial_trajectory(ctx, spokes.spokes, spokes.readout, spokes.order, spokes.options),
                      spokes.order == SpokeOrder::golden_angle ? "goldenangle" : "radial", image.dwell_us};
  const auto angles = spoke_angles(spokes.spokes, spokes.order, spokes.options.golden_index, spokes.period());
  made.gaps = {{"neighboring spokes at the edge", largest_angle_gap(angles, spokes.period()) / 2, 1 / matrix}};
  made.parameters = parameters_of(spokes, spoke_table());
  return made;
}

void add_spoke_options(App& app, Spokes& spokes) {
  add_options(app, spokes, spoke_table());
  app.get_option("--golden-index")->when("order golden or fibonacci", [&spokes] {
    return spokes.order != SpokeOrder::uniform;
  });
}

constexpr const char* radial_text = R"(Spoke s has the angle
  uniform    pi s / spokes
  golden     pi s / (g + n - 1), g = (1 + sqrt(5)) / 2, n = --golden-index
  fibonacci  pi s F(m-1) / spokes for spokes = F(m) + (n - 1) F(m-1): golden order, even angles
(2 pi in the place of pi with --center-out) and radii (i - floor(readout/2)) / readout, or i / (2 readout).

Examples:
  whorl traj radial --matrix 192 -o radial.h5
                                        as many uniform spokes as sample fully
  whorl traj radial --matrix 192 --spokes 89 --order fibonacci -o radial.h5
                                        golden order, yet even: 89 is a Fibonacci number
  whorl traj radial --matrix 128 --order golden --golden-index 7 --center-out -o radial.h5
                                        tiny golden angle from the center outwards)";

constexpr const char* kooshball_text = R"(Spoke s of S has the direction (sin b cos a, sin b sin a, cos b) with
  golden       cos b = frac(0.4656 s), a = 2 pi frac(0.6823 s)
  phyllotaxis  b = pi/2 sqrt(s'/S), a = s' 137.51 degrees; interleaf m holds s' = m, m + M, m + 2 M, ...
on a hemisphere; with --center-out on the sphere.

Examples:
  whorl traj kooshball --matrix 64 --spokes 2000 -o koosh.h5
                                        golden means
  whorl traj kooshball --matrix 64 --spokes 2210 --order phyllotaxis --interleaves 34 -o koosh.h5
                                        34 smooth interleaves of 65 spokes)";

constexpr const char* spoke_stack_text =
    R"(Stars as of whorl traj radial at kz = (p - floor(P/2)) / P. A spoke is taken in all partitions before the
next one. With --rotate partition p is turned by frac(0.618 p) of the angle between uniform neighbors.

Examples:
  whorl traj stack-of-stars --matrix 192 192 40 --spokes 89 --order golden -o stack.h5
                                        aligned partitions from the lowest kz to the highest
  whorl traj stack-of-stars --matrix 192 192 40 --spokes 64 --rotate --kz-order centric -o stack.h5
                                        turned partitions, from the center outwards)";

}  // namespace

TrajFamily radial_family() {
  return {"radial",
          "Spokes in the plane: uniform, golden, tiny golden, Fibonacci",
          radial_text,
          2,
          2,
          [](App& app) -> MakeTrajectory {
            const auto spokes = std::make_shared<Spokes>();
            add_spoke_options(app, *spokes);
            return [spokes](const Context& ctx, const TrajImage& image) { return make_star(ctx, *spokes, image); };
          }};
}

TrajFamily kooshball_family() {
  return {"kooshball",
          "Spokes in all directions: golden means, spiral phyllotaxis",
          kooshball_text,
          3,
          3,
          [](App& app) -> MakeTrajectory {
            const auto flags = std::make_shared<Kooshball>();
            add_options(app, *flags, kooshball_table());
            return [flags](const Context& ctx, const TrajImage& image) {
              const double matrix = image.largest();
              Kooshball wanted = *flags;
              const KooshballOptions& options = wanted.options;
              const double per_spoke = options.center_out ? 1 : 2;
              // Whole interleaves, with at least as many spokes.
              const double all = pi * matrix * matrix / per_spoke;
              if (wanted.spokes == 0) {
                wanted.spokes =
                    std::llround(std::ceil(all / static_cast<double>(options.interleaves))) * options.interleaves;
              }
              wanted.readout = readout_of(wanted.readout, options.center_out, matrix);
              MadeTrajectory made{kooshball_trajectory(ctx, wanted.spokes, wanted.readout, options), "radial",
                                  image.dwell_us};
              // The sphere of radius 0.5 has the area pi.
              made.gaps = {{"neighboring spokes at the edge on the mean",
                            std::sqrt(pi / (per_spoke * static_cast<double>(wanted.spokes))), 1 / matrix}};
              made.parameters = parameters_of(wanted, kooshball_table());
              return made;
            };
          }};
}

TrajFamily stack_of_stars_family() {
  return {"stack-of-stars",
          "Stars in the plane, repeated along kz",
          spoke_stack_text,
          3,
          3,
          [](App& app) -> MakeTrajectory {
            struct Flags {
              Spokes spokes;
              StackOptions stack{.partitions = 0};
              bool rotate = false;
            };
            const auto flags = std::make_shared<Flags>();
            add_spoke_options(app, flags->spokes);
            add_stack_options(app, flags->stack, flags->rotate);
            return [flags](const Context& ctx, const TrajImage& image) {
              MadeTrajectory made = make_star(ctx, flags->spokes, image);
              const Index spokes = made.trajectory.samples() / made.trajectory.readout_length;
              StackOptions stack = flags->stack;
              if (flags->rotate) stack.golden_rotation = flags->spokes.period() / static_cast<double>(spokes);
              make_stack(ctx, made, stack, image);
              return made;
            };
          }};
}

}  // namespace whorl::cli
