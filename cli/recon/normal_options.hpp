// The normal operator from a file, and into one.
#pragma once

#include <string>

#include "cli/command_line.hpp"
#include "whorl/core/context.hpp"
#include "whorl/recon/options.hpp"

namespace whorl::cli {

struct NormalFiles {
  std::string given;  ///< to read; empty: none
  std::string saved;  ///< to write; empty: none
};

void add_normal_options(App& app, NormalFiles& files, const ReconOptions& options);

/// Reads what is given into the options, and asks for what is to be saved. Throws as read_normals.
void prepare_normals(const Context& ctx, const NormalFiles& files, ReconOptions& options);

}  // namespace whorl::cli
