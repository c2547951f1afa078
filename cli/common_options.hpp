// Options that every command has.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "whorl/core/context.hpp"

namespace whorl::cli {

struct CommonOptions {
  bool quiet = false;
  bool verbose = false;
  int threads = 0;
  std::string device = "auto";
};

void add_common_options(CLI::App& app, CommonOptions& options);

/// The context that the options ask for; progress goes to standard error. Throws DeviceError.
Context make_context(const CommonOptions& options);

}  // namespace whorl::cli
