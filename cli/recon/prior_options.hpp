// What least squares holds an image to: the penalty and the reference images of `whorl recon`.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "whorl/recon/options.hpp"

namespace whorl::cli {

/// Behind add_recon_options. `files` are those of --prior, which choose the prior as the penalty.
void add_prior_options(App& app, ReconOptions& options, std::vector<std::string>& files);

/// Reads the files of --prior.
/// Throws  ValueError (a prior without a file), and what read_reference throws
void read_references(const Context& ctx, const std::vector<std::string>& files, ReconOptions& options);

}  // namespace whorl::cli
