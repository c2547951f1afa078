// What least squares holds an image to: the penalty and the reference images of `whorl recon`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "coil_options.hpp"
#include "whorl/recon/options.hpp"

namespace whorl::cli {

/// `files` are those of --prior, which choose the prior as the penalty.
void add_prior_options(CLI::App& app, ReconOptions& options, std::vector<std::string>& files);

/// Reads the files of --prior.
/// Throws  ValueError (a prior without a file), and what read_reference throws
void read_references(const Context& ctx, const std::vector<std::string>& files, ReconOptions& options);

/// The options by name, for the record of a run.
Parameters describe_penalty(const ReconOptions& options);

}  // namespace whorl::cli
