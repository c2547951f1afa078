#include "recon_options.hpp"

#include <map>

namespace whorl::cli {

namespace {

// Names of the values of an enumeration: what the option takes, what the help lists, what the record says.
template <class Enum>
using Names = std::map<std::string, Enum>;

const Names<ReconMethod> methods{{"gridding", ReconMethod::gridding}, {"cg-sense", ReconMethod::cg_sense}};
const Names<DensityMethod> densities{{"auto", DensityMethod::automatic},        {"file", DensityMethod::file},
                                     {"pipe-menon", DensityMethod::pipe_menon}, {"radial", DensityMethod::radial},
                                     {"spiral", DensityMethod::spiral},         {"voronoi", DensityMethod::voronoi},
                                     {"cells", DensityMethod::cell_count},      {"none", DensityMethod::none}};
const Names<CoilMapMethod> map_methods{{"espirit", CoilMapMethod::espirit}, {"walsh", CoilMapMethod::walsh}};
const Names<CombinationMethod> combinations{{"rss", CombinationMethod::root_sum_of_squares},
                                            {"matched", CombinationMethod::matched}};
const Names<WindowKind> windows{{"kaiser-bessel", WindowKind::kaiser_bessel}, {"gaussian", WindowKind::gaussian}};

template <class Enum>
std::string name_of(const Names<Enum>& names, Enum value) {
  for (const auto& [name, candidate] : names) {
    if (candidate == value) return name;
  }
  return "unknown";
}

template <class Enum>
CLI::Option* add_choice(CLI::App& app, const std::string& option, const Names<Enum>& names, Enum& value,
                        const std::string& help) {
  std::string list;
  for (const auto& [name, unused] : names) list += (list.empty() ? "" : ", ") + name;
  return app
      .add_option_function<std::string>(
          option, [&names, &value](const std::string& text) { value = names.at(text); }, help + ": " + list)
      ->check(CLI::IsMember(names).description(""))
      ->default_str(name_of(names, value));
}

void add_data_options(CLI::App& app, ReconOptions& options) {
  constexpr const char* group = "Data and density";
  app.add_flag_callback(
         "--no-prewhitening", [&options] { options.prewhiten = false; }, "Leave the noise of the coils as it is")
      ->group(group);
  app.add_option("--coils", options.virtual_coils, "Compress to so many virtual coils (0: keep all)")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->group(group);
  add_choice(app, "--density", densities, options.density, "Density weights (gridding, walsh)")->group(group);
  app.add_option("--pipe-menon-iterations", options.density_options.pipe_menon.iterations,
                 "Iterations of pipe-menon at most")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group(group);
}

void add_coil_options(CLI::App& app, ReconOptions& options) {
  constexpr const char* group = "Coils";
  add_choice(app, "--maps", map_methods, options.coil_maps, "Coil sensitivity maps (cg-sense, matched)")->group(group);
  add_choice(app, "--combine", combinations, options.combination, "Coil combination (gridding)")->group(group);
  app.add_option("--calibration", options.calibration,
                 "Extent of the center of k-space that maps are estimated from, in cycles per field of view")
      ->check(CLI::Range(4, 256))
      ->capture_default_str()
      ->group(group);
  app.add_option("--espirit-kernel", options.espirit.kernel, "Extent of ESPIRiT's kernel (0: 6 in 2D, 5 in 3D)")
      ->check(CLI::Range(0, 16))
      ->capture_default_str()
      ->group(group);
  app.add_option("--espirit-threshold", options.espirit.singular_value_threshold,
                 "ESPIRiT: singular values below this part of the largest are noise")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str()
      ->group(group);
  app.add_option("--espirit-crop", options.espirit.eigenvalue_threshold,
                 "ESPIRiT: maps are 0 where the eigenvalue is less")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str()
      ->group(group);
  app.add_option("--walsh-block", options.walsh.block, "Walsh: odd extent of the neighborhood in pixels")
      ->check(CLI::Range(1, 63))
      ->capture_default_str()
      ->group(group);
}

void add_solver_options(CLI::App& app, ReconOptions& options) {
  constexpr const char* group = "Solver (cg-sense)";
  app.add_option("--iterations", options.iterations, "Iterations at most")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group(group);
  app.add_option("--tolerance", options.tolerance, "Stop at this relative residual")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->group(group);
  app.add_option("--lambda", options.lambda, "Tikhonov weight, for an encoding operator of norm 1: 0.01 is strong")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->group(group);
}

void add_transform_options(CLI::App& app, ReconOptions& options) {
  constexpr const char* group = "Transform";
  app.add_option("--nufft-tolerance", options.nufft.tolerance, "Relative error of the NUFFT")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group(group);
  app.add_option("--oversampling", options.nufft.oversampling, "Oversampling of the grid, 1.25 to 2")
      ->check(CLI::Range(1.25, 2.0))
      ->capture_default_str()
      ->group(group);
  add_choice(app, "--window-function", windows, options.nufft.window, "Window of the gridding")->group(group);
}

}  // namespace

void add_recon_options(CLI::App& app, ReconOptions& options) {
  add_choice(app, "--method", methods, options.method, "Method");
  add_solver_options(app, options);
  add_coil_options(app, options);
  add_data_options(app, options);
  add_transform_options(app, options);
}

std::vector<std::pair<std::string, RunRecord::Value>> describe(const ReconOptions& options) {
  using Parameters = std::vector<std::pair<std::string, RunRecord::Value>>;
  const auto count = [](Index value) { return static_cast<std::int64_t>(value); };
  Parameters parameters{{"method", name_of(methods, options.method)},
                        {"prewhitening", options.prewhiten},
                        {"virtual_coils", count(options.virtual_coils)},
                        {"density", name_of(densities, options.density)},
                        {"pipe_menon_iterations", count(options.density_options.pipe_menon.iterations)},
                        {"nufft_tolerance", options.nufft.tolerance},
                        {"oversampling", options.nufft.oversampling},
                        {"window", name_of(windows, options.nufft.window)}};
  if (options.method == ReconMethod::gridding) {
    parameters.emplace_back("combination", name_of(combinations, options.combination));
  } else {
    parameters.emplace_back("iterations", count(options.iterations));
    parameters.emplace_back("tolerance", options.tolerance);
    parameters.emplace_back("lambda", options.lambda);
  }
  parameters.insert(parameters.end(), {{"maps", name_of(map_methods, options.coil_maps)},
                                       {"calibration", count(options.calibration)},
                                       {"espirit_kernel", count(options.espirit.kernel)},
                                       {"espirit_threshold", options.espirit.singular_value_threshold},
                                       {"espirit_crop", options.espirit.eigenvalue_threshold},
                                       {"walsh_block", count(options.walsh.block)}});
  return parameters;
}

}  // namespace whorl::cli
