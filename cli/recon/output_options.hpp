// The options of a request on the command line.
#pragma once

#include "cli/command.hpp"
#include "cli/recon/recon_words.hpp"

namespace whorl::cli {

/// All that the table of a request has, and --psf.
void add_request_options(App& app, ReconRequest& request);

}  // namespace whorl::cli
