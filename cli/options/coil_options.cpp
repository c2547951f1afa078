#include "cli/options/coil_options.hpp"

namespace whorl::cli {

namespace {

const Names<CoilMapMethod> estimated_maps{{"espirit", CoilMapMethod::espirit}, {"walsh", CoilMapMethod::walsh}};
const Names<CoilMapMethod> map_methods{
    {"espirit", CoilMapMethod::espirit}, {"walsh", CoilMapMethod::walsh}, {"file", CoilMapMethod::file}};
const Names<WindowKind> windows{{"kaiser-bessel", WindowKind::kaiser_bessel}, {"gaussian", WindowKind::gaussian}};
const Names<NufftAccuracy> accuracies{{"typical", NufftAccuracy::typical}, {"guaranteed", NufftAccuracy::guaranteed}};

}  // namespace

void add_coil_map_options(App& app, ReconOptions& options, const std::string& method, const std::string& help,
                          MapSources sources) {
  constexpr const char* group = "Coils";
  add_choice(app, method, sources == MapSources::any ? map_methods : estimated_maps, options.coil_maps, help)
      ->group(group);
  app.add_option("--calibration", options.calibration,
                 "Extent of the center of k-space that maps are estimated from, in cycles per field of view")
      ->check(range(4, 256))
      ->capture_default_str()
      ->group(group);
  app.add_option("--espirit-kernel", options.espirit.kernel, "Extent of ESPIRiT's kernel (0: 6 in 2D, 5 in 3D)")
      ->check(range(0, 16))
      ->capture_default_str()
      ->group(group);
  app.add_option("--espirit-threshold", options.espirit.singular_value_threshold,
                 "ESPIRiT: singular values below this part of the largest are noise")
      ->check(range(0.0, 1.0))
      ->capture_default_str()
      ->group(group);
  app.add_option("--espirit-crop", options.espirit.eigenvalue_threshold,
                 "ESPIRiT: maps are 0 where the eigenvalue is less")
      ->check(range(0.0, 1.0))
      ->capture_default_str()
      ->group(group);
  app.add_option("--walsh-block", options.walsh.block, "Walsh: odd extent of the neighborhood in pixels")
      ->check(range(1, 63))
      ->capture_default_str()
      ->group(group);
}

Parameters describe_coil_maps(const ReconOptions& options) {
  const auto count = [](Index value) { return static_cast<std::int64_t>(value); };
  return {{"maps", name_of(map_methods, options.coil_maps)},
          {"calibration", count(options.calibration)},
          {"espirit_kernel", count(options.espirit.kernel)},
          {"espirit_threshold", options.espirit.singular_value_threshold},
          {"espirit_crop", options.espirit.eigenvalue_threshold},
          {"walsh_block", count(options.walsh.block)}};
}

Option* add_accuracy(App& app, const std::string& name, NufftAccuracy& accuracy) {
  return add_choice(app, name, accuracies, accuracy,
                    "What the tolerance bounds: the root mean square error, wherever the samples lie, of images whose "
                    "energy is spread over the field of view, or the error of any image");
}

void add_nufft_options(App& app, NufftOptions& options, const NufftOptionNames& names) {
  constexpr const char* group = "Transform";
  app.add_option(names.tolerance, options.tolerance, "Relative error of the NUFFT")
      ->check(positive_number())
      ->capture_default_str()
      ->group(group);
  add_accuracy(app, names.accuracy, options.accuracy)->group(group);
  app.add_option("--oversampling", options.oversampling,
                 "Oversampling of the grid, 1.25 to 2 (default: the one that is predicted to be fastest)")
      ->check(range(1.25, 2.0))
      ->group(group);
  add_choice(app, names.window, windows, options.window, "Window of the gridding")->group(group);
}

Parameters describe_nufft(const NufftOptions& options) {
  return {{"nufft_tolerance", options.tolerance},
          {"nufft_accuracy", name_of(accuracies, options.accuracy)},
          {"oversampling",
           options.oversampling == 0 ? RunRecord::Value("automatic") : RunRecord::Value(options.oversampling)},
          {"window", name_of(windows, options.window)}};
}

}  // namespace whorl::cli
