// What an image is held to: the penalty, the reference images and the support of `whorl recon`.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "whorl/recon/options.hpp"

namespace whorl::cli {

/// Behind add_recon_options. `files` are those of --prior, which choose the prior as the penalty.
void add_prior_options(App& app, ReconOptions& options, std::vector<std::string>& files);

/// Behind add_recon_options. `file` is that of --support, where it names one.
void add_support_option(App& app, ReconOptions& options, std::string& file);

/// Reads the file of --support, if there is one. Throws what read_reference throws.
void read_support(const Context& ctx, const std::string& file, ReconOptions& options);

/// Reads the files of --prior.
/// Throws  ValueError (a prior without a file), and what read_reference throws
void read_references(const Context& ctx, const std::vector<std::string>& files, ReconOptions& options);

}  // namespace whorl::cli
