// The header of MRD v2 as that of v1.
#pragma once

#include <string>

#include "serve/mrd2/decoder.hpp"

namespace whorl::serve::mrd2 {

/// ISMRMRD's XML: what readers of whorl take. Members have the names of v1; dates and times are numbers there.
std::string header_xml(const Type& type, const Json& header);

}  // namespace whorl::serve::mrd2
