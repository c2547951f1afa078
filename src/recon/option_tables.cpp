#include "whorl/recon/option_tables.hpp"

#include "whorl/calib/option_tables.hpp"
#include "whorl/density/option_tables.hpp"
#include "whorl/op/option_tables.hpp"
#include "whorl/prior/option_tables.hpp"

namespace whorl {

namespace {

// Beyond it a penalty leaves nothing of an image, and float32 may not hold the products.
constexpr OptionRange lambda_range{0, 1e30};

// From 1 on a solver stops at its start, an image of zeros.
OptionRange residual_range() { return OptionRange::at_least(0).less_than(1); }

bool is_cg_sense(const ReconOptions& options) { return options.method == ReconMethod::cg_sense; }
bool is_nlinv(const ReconOptions& options) { return options.method == ReconMethod::nlinv; }
bool is_gridding(const ReconOptions& options) { return options.method == ReconMethod::gridding; }
bool has_penalty(const ReconOptions& options) {
  return is_cg_sense(options) && (options.cg_sense.lambda > 0 || options.cg_sense.lambda_search);
}
bool has_prior(const ReconOptions& options) {
  return has_penalty(options) && options.cg_sense.penalty == PenaltyKind::prior;
}
bool has_regularizers(const ReconOptions& options) {
  return is_cg_sense(options) && !options.regularized.terms.empty();
}
bool maps_by_espirit(const ReconOptions& options) {
  return needs_coil_maps(options) && options.coil_maps == CoilMapMethod::espirit;
}
bool estimates_maps(const ReconOptions& options) {
  return needs_coil_maps(options) && options.coil_maps != CoilMapMethod::file;
}
bool uses_nlinv(const ReconOptions& options) {
  return is_nlinv(options) || (needs_coil_maps(options) && options.coil_maps == CoilMapMethod::nlinv);
}
bool maps_by_walsh(const ReconOptions& options) {
  return needs_coil_maps(options) && options.coil_maps == CoilMapMethod::walsh;
}
OptionValue texts_of_terms(const RegularizedChoices& options) {
  std::vector<std::string> texts;
  for (const Regularizer& what : options.terms) texts.push_back(to_text(what));
  return texts;
}
void set_terms(RegularizedChoices& options, const OptionValue& value) {
  // One text of several terms is split at its commas, and so are a term's own options: "taps=4" has no kind, "positive" is one.
  std::vector<std::string> terms;
  for (const std::string& text : std::get<std::vector<std::string>>(value)) {
    if (terms.empty() || text.find(':') != std::string::npos || text.find('=') == std::string::npos) {
      terms.push_back(text);
    } else {
      terms.back() += "," + text;
    }
  }
  options.terms.clear();
  for (const std::string& term : terms) options.terms.push_back(parse_regularizer(term));
}
bool takes_density(const ReconOptions& options) { return is_gridding(options) || maps_by_walsh(options); }

// The choices of a method, under the conditions that the whole table has for them.

OptionTable<GriddingChoices> combination() {
  return OptionTable<GriddingChoices>("gridding")
      .choice("combine", &GriddingChoices::combination,
              {{"rss", CombinationMethod::root_sum_of_squares}, {"matched", CombinationMethod::matched}},
              "Coil combination")
      .recorded_as("combination");
}

OptionTable<CgSenseChoices> solver() {
  return OptionTable<CgSenseChoices>("cg-sense")
      .integer("iterations", &CgSenseChoices::iterations, OptionRange::at_least(1), "", "Iterations at most")
      .real_or("tolerance", &CgSenseChoices::tolerance, residual_range(), "",
               "Stop at this relative residual; auto: where the error is a tenth of the noise, and at 1e-4 where the "
               "noise is not known",
               "auto", -1)
      .real("lambda", &CgSenseChoices::lambda, lambda_range, "", "Weight of the penalty")
      .for_programs();
}

OptionTable<CgSenseChoices> penalty() {
  return OptionTable<CgSenseChoices>("cg-sense")
      .choice(
          "penalty", &CgSenseChoices::penalty,
          {{"tikhonov", PenaltyKind::tikhonov}, {"smoothness", PenaltyKind::smoothness}, {"prior", PenaltyKind::prior}},
          "What the penalty keeps small: the values, the differences of neighbors, or the differences within a "
          "tissue of the references");
}

OptionTable<CgSenseChoices> edges_of_prior() {
  return OptionTable<CgSenseChoices>("cg-sense")
      .part(&CgSenseChoices::edges, {{"noise", "prior-noise"}, {"contrast", "prior-contrast"}});
}

OptionTable<CgSenseChoices> place_of_prior() {
  return OptionTable<CgSenseChoices>("cg-sense")
      .flag("prior-align", &CgSenseChoices::align_references,
            "Move each reference to where the scan has the object, rigidly and by mutual information");
}

OptionTable<RegularizedChoices> terms() {
  return OptionTable<RegularizedChoices>("regularizers")
      .custom({.name = "regularize",
               .summary = "Terms beside lambda's, each KIND:WEIGHT,NAME=VALUE,... (docs/howto/regularization.md)",
               .by_place = false,
               .type = OptionType::texts,
               .least_values = 0,
               .most_values = 0},
              &texts_of_terms, &set_terms)
      .for_programs();
}

OptionTable<RegularizedChoices> solver_of_terms() {
  return OptionTable<RegularizedChoices>("regularizers")
      .choice("solver", &RegularizedChoices::solver,
              {{"auto", RegularizedSolver::automatic},
               {"fista", RegularizedSolver::fista},
               {"admm", RegularizedSolver::admm},
               {"pdhg", RegularizedSolver::primal_dual}},
              "How regularizers are minimized: auto is fista for one that is wavelet, l1, llr or positive, admm else")
      .real("change", &RegularizedChoices::change, OptionRange::at_least(0), "",
            "Stop where an iteration changes the images by at most this, relative to them (0: by --tolerance alone)");
}

OptionTable<RegularizedChoices> parts_of_terms() {
  return OptionTable<RegularizedChoices>("regularizers")
      .flag("keep-parts", &RegularizedChoices::keep_parts, "Give the parts of low-rank-sparse or ictv back")
      .for_programs();
}

}  // namespace

template <>
const OptionTable<LeastSquaresOptions>& option_table<LeastSquaresOptions>() {
  static const OptionTable<LeastSquaresOptions> table =
      OptionTable<LeastSquaresOptions>("least squares")
          .group("Solver")
          .integer("iterations", &LeastSquaresOptions::iterations, OptionRange::at_least(1), "", "Iterations at most")
          .real("tolerance", &LeastSquaresOptions::tolerance, residual_range(), "", "Stop at this relative residual")
          .recorded_as("residual")
          .real("lambda", &LeastSquaresOptions::lambda, lambda_range, "", "Weight of the penalty")
          .for_programs();
  return table;
}

template <>
const OptionTable<LambdaSweepOptions>& option_table<LambdaSweepOptions>() {
  using Sweep = LambdaSweepOptions;
  static const OptionTable<Sweep> table =
      OptionTable<Sweep>("choice of lambda")
          .integer("probes", &Sweep::probes, OptionRange::at_least(0), "",
                   "Random vectors from which gcv estimates the degrees of freedom")
          .integer("seed", &Sweep::seed, {}, "", "Seed of the random vectors")
          .real_or("lowest", &Sweep::lowest, OptionRange::more_than(0), "",
                   "The least lambda that is tried; auto: by the penalty", "auto", 0)
          .for_programs()
          .real_or("highest", &Sweep::highest, OptionRange::more_than(0), "", "The largest", "auto", 0)
          .for_programs()
          .integer("per-decade", &Sweep::per_decade, {1, 1000}, "", "How many between a lambda and ten times that")
          .for_programs()
          .integer("iterations", &Sweep::iterations, OptionRange::at_least(1), "", "Iterations at most, of an image")
          .for_programs()
          .integer("probe-iterations", &Sweep::probe_iterations, OptionRange::at_least(1), "",
                   "Iterations at most, of a random vector")
          .for_programs();
  return table;
}

template <>
const OptionTable<LambdaSearchOptions>& option_table<LambdaSearchOptions>() {
  using Search = LambdaSearchOptions;
  static const OptionTable<Search> table =
      OptionTable<Search>("choice of lambda")
          .choice("method", &Search::method,
                  {{to_string(LambdaMethod::gcv), LambdaMethod::gcv},
                   {to_string(LambdaMethod::l_curve), LambdaMethod::l_curve},
                   {to_string(LambdaMethod::discrepancy), LambdaMethod::discrepancy},
                   {to_string(LambdaMethod::spectrum), LambdaMethod::spectrum}},
                  "How lambda is chosen")
          .for_programs()
          .real("noise-energy", &Search::noise_energy, OptionRange::more_than(0), "",
                "Energy of the noise in a sample, for the discrepancy principle")
          .for_programs()
          .part(&Search::sweep);
  return table;
}

template <>
const OptionTable<StandardDeviationOptions>& option_table<StandardDeviationOptions>() {
  using Noise = StandardDeviationOptions;
  static const OptionTable<Noise> table =
      OptionTable<Noise>("standard deviation")
          .choice("method", &Noise::method,
                  {{"replica", StandardDeviationMethod::replica}, {"probe", StandardDeviationMethod::probe}},
                  "Method for the standard deviation")
          .integer("replicas", &Noise::count, {1, 1000000}, "",
                   "Pseudo replicas or probes: the error falls with the root of their number")
          .integer("seed", &Noise::seed, {}, "", "Seed of the replicas' noise")
          .integer("iterations", &Noise::iterations, OptionRange::at_least(1), "",
                   "Iterations of a replica, of the bias and of a point spread, at most")
          .real("tolerance", &Noise::tolerance, residual_range(), "",
                "Replicas, bias and point spreads stop at this relative residual; 0.01 times lambda is safe")
          .integer("batch", &Noise::batch, OptionRange::at_least(1), "", "How many are solved together, at most")
          .for_programs();
  return table;
}

template <>
const OptionTable<ErrorBarOptions>& option_table<ErrorBarOptions>() {
  using Bars = ErrorBarOptions;
  static const OptionTable<Bars> table =
      OptionTable<Bars>("error bars")
          .group("Error bars")
          .flag("stddev", &Bars::standard_deviation, "Each voxel's standard deviation")
          .recorded_as("standard_deviation")
          .for_programs()
          .flag("gfactor", &Bars::g_factor, "The g-factor")
          .recorded_as("g_factor")
          .for_programs()
          .flag("bias", &Bars::bias, "The bias under the penalty")
          .for_programs()
          .flag("truth-bar", &Bars::truth_bar, "How far the truth may lie by noise and penalty, with 68 %")
          .for_programs()
          .flag("truth-bound", &Bars::truth_bound, "With 95 %, also where the penalty does not know of a region")
          .for_programs()
          .real("unseen-radius", &Bars::unseen_radius, {0, 16}, "voxels",
                "Radius of a region that differs from its surroundings and that no reference shows")
          .when("a bound of the truth", [](const Bars& bars) { return bars.truth_bound; })
          .part(&Bars::noise, {{"method", "stddev-method"},
                               {"seed", "noise-seed"},
                               {"iterations", "noise-iterations"},
                               {"tolerance", "noise-tolerance"}})
          .when("an error bar", [](const Bars& bars) { return bars.any(); });
  return table;
}

template <>
const OptionTable<ReconOptions>& option_table<ReconOptions>() {
  using Recon = ReconOptions;
  static const OptionTable<Recon> table =
      OptionTable<Recon>("reconstruction")
          .choice(
              "method", &Recon::method,
              {{"cg-sense", ReconMethod::cg_sense}, {"gridding", ReconMethod::gridding}, {"nlinv", ReconMethod::nlinv}},
              "Method; nlinv: image and coil maps together, for scans without a calibration region")

          .group("Solver (cg-sense)")
          .part(&Recon::cg_sense, {}, solver())
          .when("cg-sense", &is_cg_sense)
          .real("noise", &Recon::noise, OptionRange::at_least(0), "",
                "Standard deviation of the noise in a sample of data that are not prewhitened; 0: not known")
          .when("cg-sense without prewhitening",
                [](const Recon& options) { return is_cg_sense(options) && !options.prewhiten; })
          .for_programs()

          .group("Coils")
          .choice("maps", &Recon::coil_maps,
                  {{"espirit", CoilMapMethod::espirit},
                   {"walsh", CoilMapMethod::walsh},
                   {"nlinv", CoilMapMethod::nlinv},
                   {"file", CoilMapMethod::file}},
                  "Coil sensitivity maps; file: those of the scan")
          .when("cg-sense or combine matched", &needs_coil_maps)
          .choice("maps-from", &Recon::maps_from,
                  {{"first", CoilMapData::first_frame}, {"all", CoilMapData::all_frames}},
                  "Estimate maps from the first frame of each slice, or from all of them together")
          .when("coil maps by espirit, walsh or nlinv", &estimates_maps)
          .integer("calibration", &Recon::calibration, {4, 256}, "cycles per field of view",
                   "Extent of the center of k-space that maps are estimated from")
          .when("coil maps by espirit", &maps_by_espirit)
          .part(&Recon::espirit,
                {{"kernel", "espirit-kernel"}, {"threshold", "espirit-threshold"}, {"crop", "espirit-crop"}})
          .when("coil maps by espirit", &maps_by_espirit)
          .part(&Recon::walsh, {{"block", "walsh-block"}})
          .when("coil maps by walsh", &maps_by_walsh)
          .part(&Recon::nlinv, {{"sets", "nlinv-sets"},
                                {"steps", "nlinv-steps"},
                                {"alpha", "nlinv-alpha"},
                                {"reduction", "nlinv-reduction"},
                                {"smoothness", "nlinv-smoothness"},
                                {"order", "nlinv-order"},
                                {"period", "nlinv-period"},
                                {"iterations", "nlinv-iterations"},
                                {"tolerance", "nlinv-tolerance"},
                                {"damping", "nlinv-damping"}})
          .when("nlinv, or coil maps by nlinv", &uses_nlinv)
          .flag("keep-maps", &Recon::keep_maps, "Give the coil maps back")
          .for_programs()
          .part(&Recon::gridding, {}, combination())
          .when("gridding", &is_gridding)
          .part(&Recon::regularized, {}, parts_of_terms())

          .group("Data and density")
          .flag("prewhitening", &Recon::prewhiten, "Prewhiten, from the noise scan or the edge of k-space",
                "Do not make the noise of the coils equal and independent")
          .flag("noise-check", &Recon::judge_noise, "Leave a noise scan out that is not the noise of the data",
                "Take a noise scan as it is")
          .when("prewhitening", [](const Recon& options) { return options.prewhiten; })
          .integer("coils", &Recon::virtual_coils, OptionRange::at_least(0), "",
                   "Compress to this many virtual coils (0: keep all)")
          .recorded_as("virtual_coils")
          .choice("density", &Recon::density, density_method_words(),
                  "Density weights; auto: those of the scan, else those that fit the trajectory")
          .when("gridding or coil maps by walsh", &takes_density)
          .part(&Recon::density_options)
          .when("gridding or coil maps by walsh", &takes_density)

          .group("Images")
          .choice(
              "mask", &Recon::mask,
              {{"auto", ImageMask::automatic}, {"fov", ImageMask::field_of_view}, {"none", ImageMask::none}},
              "Set the corners of the field of view to 0: always (fov), or only with gridding if the steps along the "
              "spokes are so wide that copies of the object appear there (auto)")
          .choice(
              "support", &Recon::support,
              {{"auto", ImageSupport::automatic},
               {"ball", ImageSupport::ball},
               {"image", ImageSupport::image},
               {"none", ImageSupport::none}},
              "Where the image may differ from 0, in the solver of every method: everywhere (none), in the ellipsoid "
              "inscribed in the field of view (ball), or where an image is above 1/2; auto: none, but gridding as the "
              "mask")
          .for_programs()

          .group("Transform")
          .choice("transform", &Recon::transform,
                  {{"nufft", TransformMethod::nufft}, {"exact", TransformMethod::exact}},
                  "Transform between images and samples; exact sums take long on a CPU")
          .part(&Recon::nufft,
                {{"tolerance", "nufft-tolerance"},
                 {"accuracy", "nufft-accuracy"},
                 {"window", "window-function", "window"}},
                options_with_automatic_tolerance())
          .when("transform nufft", [](const Recon& options) { return options.transform == TransformMethod::nufft; })

          .part(&Recon::signal)
          .for_programs()

          .group("Penalty (cg-sense)")
          .part(&Recon::cg_sense, {}, penalty())
          .when("cg-sense and a lambda above 0", &has_penalty)
          .part(&Recon::cg_sense, {}, edges_of_prior())
          .when("a prior and a lambda above 0", &has_prior)
          .part(&Recon::cg_sense, {}, place_of_prior())
          .when("a prior and a lambda above 0, without regularizers and subspaces",
                [](const Recon& options) {
                  return has_prior(options) && options.regularized.terms.empty() && options.subspace == nullptr;
                })
          .part(&Recon::regularized, {}, terms())
          .when("cg-sense", &is_cg_sense)
          .part(&Recon::regularized, {}, solver_of_terms())
          .when("regularizers", &has_regularizers)

          .group("Error bars")
          .integer("certify", &Recon::certified_samples, OptionRange::at_least(0), "",
                   "Measure the error of the encoding operator at this many random samples of each slice, by the exact "
                   "model in double (50 or more; 0: no measurement)")
          .recorded_as("certified_samples")
          .when("cg-sense", &is_cg_sense)
          .flag("keep-normals", &Recon::keep_normals, "Give the normal operators back")
          .for_programs()
          .part(&Recon::error_bars)
          .for_programs();
  return table;
}

}  // namespace whorl
