// The model of the signal in `whorl recon`: the maps and times of its evolution, and the measured error.
#pragma once

#include <string>

#include "cli/command_line.hpp"
#include "cli/options/table_options.hpp"
#include "cli/recon/place/delay_options.hpp"
#include "whorl/io/measurement_facts.hpp"
#include "whorl/recon/certificate.hpp"
#include "whorl/recon/options.hpp"

namespace whorl::cli {

/// The files of the maps; empty: none. And what is known of the gradients' concomitant field.
struct SignalFiles {
  std::string field_map;
  std::string r2_star;
  bool concomitant = false;
  double field_strength_t = 0;  ///< 0: that of the scan

  bool any() const { return !field_map.empty() || !r2_star.empty() || concomitant; }
};

/// With those of the samples' places (delay_options.hpp).
void add_signal_options(App& app, SignalOptions& options, SignalFiles& files, PlaceOptions& place);

/// Reads the maps into the options. Throws what read_map throws.
void read_signal_maps(const Context& ctx, const SignalFiles& files, SignalOptions& options);

/// Sets the Larmor frequency for the concomitant field, if it is to be corrected. Throws ValueError where neither the
/// options nor the scan say the field.
void settle_field(const SignalFiles& files, const MeasurementFacts& facts, SignalOptions& options);

/// The options by name, for the record of a run; none without maps.
Parameters describe(const SignalOptions& options);

/// The measured error of the operator for the image of a slice.
RecordTable certificate_table(const Certificate& certificate);

}  // namespace whorl::cli
