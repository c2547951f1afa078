#include "cli/recon/recon_options.hpp"

#include "cli/options/choice.hpp"
#include "cli/options/coil_options.hpp"
#include "cli/recon/lambda_options.hpp"
#include "cli/recon/prior_options.hpp"

namespace whorl::cli {

namespace {

const Names<ReconMethod> methods{{"gridding", ReconMethod::gridding}, {"cg-sense", ReconMethod::cg_sense}};
const Names<ImageMask> masks{
    {"auto", ImageMask::automatic}, {"fov", ImageMask::field_of_view}, {"none", ImageMask::none}};
const Names<DensityMethod> densities{{"auto", DensityMethod::automatic},        {"file", DensityMethod::file},
                                     {"pipe-menon", DensityMethod::pipe_menon}, {"radial", DensityMethod::radial},
                                     {"spiral", DensityMethod::spiral},         {"voronoi", DensityMethod::voronoi},
                                     {"cells", DensityMethod::cell_count},      {"none", DensityMethod::none}};
const Names<TransformMethod> transforms{{"nufft", TransformMethod::nufft}, {"exact", TransformMethod::exact}};
const Names<CombinationMethod> combinations{{"rss", CombinationMethod::root_sum_of_squares},
                                            {"matched", CombinationMethod::matched}};

void add_data_options(App& app, ReconOptions& options) {
  constexpr const char* group = "Data and density";
  app.add_flag_callback(
         "--no-prewhitening", [&options] { options.prewhiten = false; }, "Leave the noise of the coils as it is")
      ->group(group);
  app.add_option("--coils", options.virtual_coils, "Compress to so many virtual coils (0: keep all)")
      ->check(non_negative_number())
      ->capture_default_str()
      ->group(group);
  add_choice(app, "--density", densities, options.density,
             "Density weights (gridding, walsh); auto: those of the scan, else as whorl density chooses them")
      ->group(group);
  app.add_option("--pipe-menon-iterations", options.density_options.pipe_menon.iterations,
                 "Iterations of pipe-menon at most")
      ->check(positive_number())
      ->capture_default_str()
      ->group(group);
}

void add_coil_options(App& app, ReconOptions& options) {
  add_coil_map_options(app, options, "--maps", "Coil sensitivity maps (cg-sense, matched); file: those of the scan",
                       MapSources::any);
  add_choice(app, "--combine", combinations, options.combination, "Coil combination (gridding)")->group("Coils");
}

void add_solver_options(App& app, ReconOptions& options) {
  app.add_option("--iterations", options.iterations, "Iterations at most")
      ->check(positive_number())
      ->capture_default_str()
      ->group(solver_group);
  app.add_option("--tolerance", options.tolerance, "Stop at this relative residual")
      ->check(non_negative_number())
      ->capture_default_str()
      ->group(solver_group);
}

}  // namespace

void add_recon_options(App& app, ReconOptions& options) {
  add_choice(app, "--method", methods, options.method, "Method");
  add_solver_options(app, options);
  add_coil_options(app, options);
  add_data_options(app, options);
  add_choice(app, "--mask", masks, options.mask,
             "Set the corners of the field of view to 0: always (fov), or with gridding where the steps along the "
             "spokes are so wide that copies of the object lie there (auto)")
      ->group("Images");
  add_choice(app, "--transform", transforms, options.transform,
             "Between images and samples; exact sums take long on a CPU")
      ->group("Transform");
  add_nufft_options(app, options.nufft, {"--nufft-tolerance", "--nufft-accuracy", "--window-function"});
}

std::vector<std::pair<std::string, RunRecord::Value>> describe(const ReconOptions& options) {
  const auto count = [](Index value) { return static_cast<std::int64_t>(value); };
  Parameters parameters{{"method", name_of(methods, options.method)},
                        {"prewhitening", options.prewhiten},
                        {"virtual_coils", count(options.virtual_coils)},
                        {"density", name_of(densities, options.density)},
                        {"pipe_menon_iterations", count(options.density_options.pipe_menon.iterations)}};
  const auto append = [&](const Parameters& more) { parameters.insert(parameters.end(), more.begin(), more.end()); };
  parameters.emplace_back("transform", name_of(transforms, options.transform));
  append(describe_nufft(options.nufft));
  if (options.method == ReconMethod::gridding) {
    parameters.emplace_back("combination", name_of(combinations, options.combination));
  } else {
    parameters.emplace_back("iterations", count(options.iterations));
    parameters.emplace_back("tolerance", options.tolerance);
    append(describe_lambda(options.lambda, options.lambda_search));
    append(describe_penalty(options));
  }
  append(describe_coil_maps(options));
  parameters.emplace_back("mask", name_of(masks, options.mask));
  if (options.filter) parameters.emplace_back("filter", options.filter->name);
  return parameters;
}

}  // namespace whorl::cli
