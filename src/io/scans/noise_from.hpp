// A noise scan of another file.
#pragma once

#include <string>

#include "whorl/scan/scan.hpp"

namespace whorl::io {

/// Gives the scan the noise of FILE, or FILE:NAME: the acquisitions of an ISMRMRD file (in the group NAME) that are flagged as
/// noise, or all where none is, if they are noise by their values; the noise of another scan; or an array [coil, ...]. Notes
/// the source. Throws IoError, ValueError (no noise in it), ShapeError (other channels).
void take_noise_from(const Context& ctx, Scan& scan, const std::string& file_and_name);

}  // namespace whorl::io
