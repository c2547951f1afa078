// The report's note on banks of shared memory: a pixel as four bytes of one bank, or as four words of four banks.
#pragma once

#include <vector>

#include "studies/image_filters/convolution/convolution.hpp"
#include "studies/results.hpp"

namespace whorl::studies::image_filters {

/// The mean of 7 x 7 pixels from a tile in shared memory, whose channels are read one by one: bytes packed in a word,
/// four words a pixel, a plane of words for each channel. None where whorl is built without kernels for a GPU.
std::vector<Step> bank_steps();
/// Window of the means above.
Window mean_window();

/// Times and errors for a picture of size x size; a GPU's.
Table banks_table(const Context& ctx, Index size);

}  // namespace whorl::studies::image_filters
