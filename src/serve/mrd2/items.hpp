// Items of MRD v2 as whorl has them, of both versions of its schema: 2.1.1 counts time in ms, 2.2.1 in ns.
#pragma once

#include "serve/image_message.hpp"
#include "serve/mrd2/decoder.hpp"

namespace whorl::serve::mrd2 {

/// Throws IoError for counts and extents that no acquisition of ISMRMRD has and that contradict each other, Unsupported for
/// samples whose phases are yet to be turned.
Acquisition acquisition_of(const Json& item);

/// The item with its tag: geometry, counters, times and what is said of it.
Json image_item(const OutgoingImage& image, ImageOutput output);

}  // namespace whorl::serve::mrd2
