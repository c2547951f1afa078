// Which variable of a MATLAB file is what, and what its axes are.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "whorl/io/convert.hpp"
#include "whorl/io/matlab.hpp"

namespace whorl::io {

/// The variables of a scan and the names of their axes.
struct MatlabLayout {
  MatlabVariable data;
  MatlabVariable trajectory;
  MatlabVariable weights;  ///< no name: none
  std::vector<std::string> data_axes;
  std::vector<std::string> trajectory_axes;
  std::vector<std::string> weight_axes;
};

/// Axes along which images are counted, as FrameIndex orders them.
inline constexpr std::array<const char*, 5> frame_axes{"slice", "contrast", "phase", "repetition", "set"};

/// Takes what the options say and finds the rest by usual names and by extents. Throws ValueError for what is unknown,
/// missing or fits in several ways.
MatlabLayout find_matlab_layout(const std::vector<MatlabVariable>& variables, const ConvertOptions& options,
                                const std::string& file);

}  // namespace whorl::io
