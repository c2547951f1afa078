// What `whorl recon` writes beside the image.
#pragma once

#include "cli/command_line.hpp"
#include "cli/recon/recon_words.hpp"

namespace whorl::cli {

/// The files that are written beside the image, and how. Behind the options that they depend on.
void add_picture_options(App& app, ReconWords& words);
void add_movie_options(App& app, ReconOutputs& outputs);
void add_correction_outputs(App& app, ReconRequest& request);
void add_subspace_outputs(App& app, ReconRequest& request);
void add_map_outputs(App& app, ReconRequest& request);
void add_error_bar_options(App& app, ReconRequest& request);

}  // namespace whorl::cli
