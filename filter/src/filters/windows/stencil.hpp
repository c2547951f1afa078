// Filters that correlate with a kernel and finish the sums.
#pragma once

#include <memory>
#include <string>

#include "whorl/filter/border.hpp"
#include "whorl/filter/filter.hpp"
#include "whorl/filter/negatives.hpp"
#include "whorl/filter/windows/image_kernel.hpp"

namespace whorl::filters {

struct StencilOptions {
  ImageKernel kernel;
  double divisor = 1;
  double offset = 0;
  Negatives negatives = Negatives::clip;
  bool keeps_alpha = false;  ///< false: alpha is filtered like a color
};

/// Throws as make_custom, naming the filter.
std::unique_ptr<Filter> make_stencil(std::string name, const StencilOptions& options, const BorderOptions& border);

/// The words for Negatives.
std::vector<std::pair<std::string, Negatives>> negatives_words();
inline constexpr const char* negatives_summary = "how results below 0 are stored (signed: as float32, not clipped)";

}  // namespace whorl::filters
