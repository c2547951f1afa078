#include "cli/recon/signal_options.hpp"

#include <fmt/format.h>

#include <memory>

#include "whorl/io/reference_file.hpp"

namespace whorl::cli {

namespace {

constexpr const char* signal_group = "Signal during the readout";

std::shared_ptr<const ReferenceImage> read_map(const Context& ctx, const std::string& file) {
  return file.empty() ? nullptr : std::make_shared<const ReferenceImage>(read_reference(ctx, file));
}

}  // namespace

void add_signal_options(App& app, SignalOptions& options, SignalFiles& files, PlaceOptions& place) {
  app.add_input("--field-map", files.field_map,
                "Correct off-resonance by this map in Hz (NIfTI), resampled to the image (docs/physics.md)")
      ->group(signal_group);
  app.add_input("--r2star", files.r2_star,
                "Correct decay during the readout by this map of R2* in 1/s (NIfTI), resampled to the image")
      ->group(signal_group);
  add_options(app, options);
  for (const OptionDescriptor& option : option_table<SignalOptions>().descriptors()) {
    if (option.name == "dwell") continue;
    app.get_option("--" + option.name)->when("--field-map or --r2star", [&files] { return files.any(); });
  }
  app.get_option("--dwell")->when("--field-map, --r2star or --girf",
                                  [&files, &place] { return files.any() || !place.response.empty(); });
  add_place_options(app, place);
}

void read_signal_maps(const Context& ctx, const SignalFiles& files, SignalOptions& options) {
  options.field_map = read_map(ctx, files.field_map);
  options.r2_star = read_map(ctx, files.r2_star);
}

Parameters describe(const SignalOptions& options) {
  if (!options.any()) return {};
  Parameters parameters = parameters_of(options);
  if (options.field_map) parameters.emplace_back("field_map", options.field_map->source);
  if (options.r2_star) parameters.emplace_back("r2star", options.r2_star->source);
  return parameters;
}

RecordTable certificate_table(const Certificate& certificate) {
  return {fmt::format("certificate_of_slice_{}", certificate.slice),
          {{"samples", {static_cast<double>(certificate.samples)}},
           {"relative_error", {certificate.relative_error}},
           {"bound_99_percent", {certificate.bound}}}};
}

}  // namespace whorl::cli
