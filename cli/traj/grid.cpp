// The families of `whorl traj` made of parallel lines, and the random one.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "cli/options/choice.hpp"
#include "cli/traj/traj.hpp"
#include "whorl/trajectory/cartesian.hpp"
#include "whorl/trajectory/propeller.hpp"
#include "whorl/trajectory/random_trajectory.hpp"

namespace whorl::cli {

namespace {

constexpr double pi = std::numbers::pi;

const Names<SpokeOrder> blade_orders{
    {"uniform", SpokeOrder::uniform}, {"golden", SpokeOrder::golden_angle}, {"fibonacci", SpokeOrder::fibonacci}};
const Names<Undersampling> undersamplings{{"none", Undersampling::none},
                                          {"regular", Undersampling::regular},
                                          {"random", Undersampling::random},
                                          {"poisson", Undersampling::poisson_disc}};
const Names<RandomRegion> random_regions{{"box", RandomRegion::box}, {"ball", RandomRegion::ball}};

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
  made.parameters = {{"blades", static_cast<std::int64_t>(options.blades)},
                     {"lines", static_cast<std::int64_t>(options.lines)},
                     {"order", name_of(blade_orders, options.order)},
                     {"covered_radius", covered}};
  return made;
}

struct Cartesian {
  CartesianOptions options;
  std::vector<double> acceleration{1};
  std::vector<Index> calibration;
  std::vector<double> partial_fourier{1};
};

MadeTrajectory make_cartesian(const Context& ctx, const Cartesian& cartesian, const TrajImage& image) {
  CartesianOptions options = cartesian.options;
  options.matrix = image.matrix;
  std::copy(cartesian.acceleration.begin(), cartesian.acceleration.end(), options.acceleration.begin());
  std::copy(cartesian.partial_fourier.begin(), cartesian.partial_fourier.end(), options.partial_fourier.begin());
  // One number is a square.
  if (!cartesian.calibration.empty()) {
    options.calibration = {cartesian.calibration.front(), image.dim() == 3 ? cartesian.calibration.back() : 0};
  }
  const Array<std::uint8_t> mask = cartesian_mask(ctx, options);
  MadeTrajectory made{cartesian_trajectory(ctx, options.matrix[0], mask), "cartesian", image.dwell_us};
  const Index lines = made.trajectory.samples() / options.matrix[0];
  made.parameters = {{"undersampling", name_of(undersamplings, options.undersampling)},
                     {"lines", static_cast<std::int64_t>(lines)},
                     {"of_lines", static_cast<std::int64_t>(mask.size())},
                     {"seed", static_cast<std::int64_t>(options.seed)}};
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
  return {
      "propeller",
      "Blades of parallel lines, turned about the center",
      propeller_text,
      2,
      2,
      [](App& app) -> MakeTrajectory {
        const auto options = std::make_shared<PropellerOptions>();
        options->blades = 0;
        options->lines = 16;
        options->readout = 0;
        app.add_option("--blades", options->blades, "Number of blades (default: as many as cover k-space)")
            ->check(positive_number());
        app.add_option("--lines", options->lines, "Lines of a blade")->check(positive_number())->capture_default_str();
        app.add_option("--readout", options->readout, "Samples of a line (default: N)")->check(positive_number());
        add_choice(app, "--order", blade_orders, options->order, "Angles of the blades");
        app.add_option("--golden-index", options->golden_index, "n of the golden angle pi/(g + n - 1)")
            ->check(positive_number())
            ->capture_default_str();
        return [options](const Context& ctx, const TrajImage& image) { return make_propeller(ctx, *options, image); };
      }};
}

TrajFamily cartesian_family() {
  return {
      "cartesian",
      "Lines of a grid, all or some: partial Fourier, regular, random, Poisson disc",
      cartesian_text,
      2,
      3,
      [](App& app) -> MakeTrajectory {
        const auto cartesian = std::make_shared<Cartesian>();
        add_choice(app, "--undersampling", undersamplings, cartesian->options.undersampling, "Which lines to take");
        app.add_option("--acceleration", cartesian->acceleration, "Times fewer lines along y, and z; or in all")
            ->expected(1, 2)
            ->check(positive_number())
            ->capture_default_str();
        app.add_option("--calibration", cartesian->calibration, "Lines along y, and z, that are taken at the center")
            ->expected(1, 2)
            ->check(non_negative_number());
        app.add_option("--partial-fourier", cartesian->partial_fourier,
                       "Part of k-space along y, and z, that is taken: above 0.5, up to 1")
            ->expected(1, 2)
            ->check(positive_number())
            ->capture_default_str();
        app.add_option("--variation", cartesian->options.variation, "How much denser the center is; 0: the same")
            ->check(non_negative_number())
            ->capture_default_str();
        app.add_option("--seed", cartesian->options.seed, "Of the random numbers")->capture_default_str();
        return
            [cartesian](const Context& ctx, const TrajImage& image) { return make_cartesian(ctx, *cartesian, image); };
      }};
}

TrajFamily random_family() {
  return {"random", "Random positions, for tests", random_text, 2, 3, [](App& app) -> MakeTrajectory {
            struct Flags {
              Index samples = 0;
              RandomRegion region = RandomRegion::box;
              std::uint64_t seed = 1;
            };
            const auto flags = std::make_shared<Flags>();
            app.add_option("--samples", flags->samples, "Number of samples (default: as many as voxels)")
                ->check(positive_number());
            add_choice(app, "--region", random_regions, flags->region, "Where they are; a ball is a disc in 2D");
            app.add_option("--seed", flags->seed, "Of the random numbers")->capture_default_str();
            return [flags](const Context& ctx, const TrajImage& image) {
              const Index voxels = image.matrix[0] * image.matrix[1] * image.matrix[2];
              MadeTrajectory made{random_trajectory(ctx, flags->samples > 0 ? flags->samples : voxels, image.dim(),
                                                    flags->region, flags->seed),
                                  "other", image.dwell_us};
              made.parameters = {{"region", name_of(random_regions, flags->region)},
                                 {"seed", static_cast<std::int64_t>(flags->seed)}};
              return made;
            };
          }};
}

}  // namespace whorl::cli
