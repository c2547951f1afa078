#include "cli/recon/signal_options.hpp"

#include <fmt/format.h>

#include <memory>

#include "whorl/core/error.hpp"
#include "whorl/io/reference_file.hpp"
#include "whorl/trajectory/gradient_limits.hpp"

namespace whorl::cli {

namespace {

constexpr const char* signal_group = "Signal during the readout";
constexpr const char* maps = "--field-map, --r2star or --concomitant";

const OptionTable<SignalFiles>& field_table() {
  static const OptionTable<SignalFiles> table =
      OptionTable<SignalFiles>("signal")
          .group(signal_group)
          .real(
              "field-strength", &SignalFiles::field_strength_t, {0, 100}, "T",
              "Main field, in place of the scan's (0: that of the scan); for other nuclei than 1H, times the ratio of "
              "their gyromagnetic ratios")
          .when("--concomitant", [](const SignalFiles& files) { return files.concomitant; });
  return table;
}

std::shared_ptr<const ReferenceImage> map_from(const Context& ctx, const std::string& file) {
  return file.empty() ? nullptr : std::make_shared<const ReferenceImage>(read_map(ctx, file));
}

}  // namespace

void add_signal_options(App& app, SignalOptions& options, SignalFiles& files, PlaceOptions& place) {
  app.add_input("--field-map", files.field_map,
                "Correct off-resonance by this map in Hz (NIfTI, NumPy, BART, HDF5, ...), resampled to the image "
                "(docs/howto/off-resonance.md)")
      ->group(signal_group);
  app.add_input("--r2star", files.r2_star,
                "Correct decay during the readout by this map of R2* in 1/s, resampled to the image")
      ->group(signal_group);
  app.add_flag("--concomitant", files.concomitant,
               "Correct the concomitant field of the gradients, for spirals off the center of the magnet or across its "
               "axis (docs/howto/off-resonance.md)")
      ->group(signal_group);
  add_options(app, files, field_table());
  add_options(app, options);
  for (const OptionDescriptor& option : option_table<SignalOptions>().descriptors()) {
    if (option.name == "dwell" || !option.on_command_line) continue;
    app.get_option("--" + option.name)->when(maps, [&files] { return files.any(); });
  }
  app.get_option("--dwell")->when("--field-map, --r2star, --concomitant or --girf",
                                  [&files, &place] { return files.any() || !place.response.empty(); });
  add_place_options(app, place);
}

void read_signal_maps(const Context& ctx, const SignalFiles& files, SignalOptions& options) {
  options.field_map = map_from(ctx, files.field_map);
  options.r2_star = map_from(ctx, files.r2_star);
}

void settle_field(const SignalFiles& files, const MeasurementFacts& facts, SignalOptions& options) {
  if (!files.concomitant) return;
  const double tesla = files.field_strength_t > 0 ? files.field_strength_t : facts.field_strength_t;
  options.larmor_mhz = tesla * gyromagnetic_ratio("1H");
  if (tesla > 0) return;
  if (!(facts.resonance_hz > 0)) {
    throw ValueError("concomitant field: the scan does not say the main field; give it in T (--field-strength)");
  }
  options.larmor_mhz = 1e-6 * facts.resonance_hz;
}

Parameters describe(const SignalOptions& options) {
  if (!options.changes()) return {};
  Parameters parameters = parameters_of(options);
  if (options.field_map) parameters.emplace_back("field_map", options.field_map->source);
  if (options.r2_star) parameters.emplace_back("r2star", options.r2_star->source);
  if (options.larmor_mhz) parameters.emplace_back("concomitant_larmor_mhz", *options.larmor_mhz);
  return parameters;
}

RecordTable certificate_table(const Certificate& certificate) {
  return {fmt::format("certificate_of_slice_{}", certificate.slice),
          {{"samples", {static_cast<double>(certificate.samples)}},
           {"relative_error", {certificate.relative_error}},
           {"bound_99_percent", {certificate.bound}}}};
}

}  // namespace whorl::cli
