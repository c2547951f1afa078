// The counts of ISMRMRD's header.
#pragma once

#include <string>

namespace whorl::io {

/// Throws IoError where the size of a matrix or the limit of a counter that is read is no whole number from 0 to 65535, the
/// schema's unsignedShort. ISMRMRD's parser takes any number modulo 65536, and text for 0.
void check_header_counts(const std::string& xml, const std::string& file);

}  // namespace whorl::io
