// How coil maps are estimated and the NUFFT is set: options of several commands.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/command_line.hpp"
#include "cli/options/choice.hpp"
#include "whorl/io/record.hpp"
#include "whorl/recon/options.hpp"

namespace whorl::cli {

using Parameters = std::vector<std::pair<std::string, RunRecord::Value>>;

/// Maps that are estimated, or those of a file too.
enum class MapSources { estimated, any };

/// The method of the maps under the option `method`, and what the methods may be told.
void add_coil_map_options(App& app, ReconOptions& options, const std::string& method, const std::string& help,
                          MapSources sources);

/// The options of add_coil_map_options by name, for the record of a run.
Parameters describe_coil_maps(const ReconOptions& options);

/// What a command calls the options of the NUFFT whose names others may have.
struct NufftOptionNames {
  std::string tolerance;
  std::string accuracy;
  std::string window;
};

/// Tolerance, what it bounds, and window of the NUFFT, and the oversampling.
void add_nufft_options(App& app, NufftOptions& options, const NufftOptionNames& names);

/// What the tolerance of a NUFFT bounds.
Option* add_accuracy(App& app, const std::string& name, NufftAccuracy& accuracy);

Parameters describe_nufft(const NufftOptions& options);

}  // namespace whorl::cli
