// What happens to the data before any image is made.
#pragma once

#include <string>
#include <vector>

#include "whorl/io/scan.hpp"
#include "whorl/recon/options.hpp"

namespace whorl::recon {

/// Prewhitens the data of all frames in place. Says in `notes` from which noise.
void prewhiten(const Context& ctx, Scan& scan, std::vector<std::string>& notes);

/// Replaces the coils of all frames by fewer virtual ones. Says in `notes` how much of the signal is kept.
void compress_coils(const Context& ctx, Scan& scan, Index virtual_coils, std::vector<std::string>& notes);

}  // namespace whorl::recon
