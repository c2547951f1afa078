// Clahe: equalizes light tile by tile, with limited contrast.
#pragma once

#include "whorl/filter/filter.hpp"

namespace WHORL_PUBLIC whorl {

struct ClaheOptions {
  Index tiles = 8;         ///< along each side, 1 to 256
  double clip_limit = 40;  ///< limit of a level's count, in multiples of a tile's mean count per level; 0: none
};

/// Contrast-limited adaptive histogram equalization of gray integers, the same as OpenCV's. Counts above the limit are
/// distributed to all levels. Each pixel takes the tables of the four tiles around it, with bilinear weights. If the
/// tiles do not divide the image, it is continued by reflection at its right and lower edge. Alpha stays. Slice by
/// slice.
/// Throws  ValueError (tiles, clip limit); Unsupported (other than gray integers)
/// Source  Zuiderveld, Graphics Gems IV (1994) 474
std::unique_ptr<Filter> make_clahe(const ClaheOptions& options);

}  // namespace whorl
