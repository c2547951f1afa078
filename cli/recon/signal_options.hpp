// The model of the signal in `whorl recon`: the maps and times of its evolution, and the measured error.
#pragma once

#include <string>

#include "cli/command_line.hpp"
#include "cli/options/table_options.hpp"
#include "cli/recon/delay_options.hpp"
#include "whorl/recon/certificate.hpp"
#include "whorl/recon/options.hpp"

namespace whorl::cli {

/// The files of the maps; empty: none.
struct SignalFiles {
  std::string field_map;
  std::string r2_star;

  bool any() const { return !field_map.empty() || !r2_star.empty(); }
};

/// With those of the samples' places (delay_options.hpp).
void add_signal_options(App& app, SignalOptions& options, SignalFiles& files, PlaceOptions& place);

/// Reads the maps into the options. Throws what read_reference throws.
void read_signal_maps(const Context& ctx, const SignalFiles& files, SignalOptions& options);

/// The options by name, for the record of a run; none without maps.
Parameters describe(const SignalOptions& options);

/// The measured error of the operator for the image of a slice.
RecordTable certificate_table(const Certificate& certificate);

}  // namespace whorl::cli
