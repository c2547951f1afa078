// The parts of a scan among several arrays, and the names of their axes.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "whorl/io/convert.hpp"

namespace whorl::io {

/// How the format of an array counts and fills its axes.
enum class AxisOrder {
  first_fastest,  ///< MATLAB, NIfTI: size() as the program says it
  last_fastest,   ///< NumPy, HDF5; whorl's own order [frame, coil, sample] and [sample, dim] is taken where it fits
  bart,           ///< BART: the first is fastest, and every dimension has its meaning
};

/// An array without its values.
struct ArrayInfo {
  std::string name;
  std::vector<Index> extents;  ///< the FIRST axis is fastest in memory, whatever the order of the format
  bool is_complex = false;
  AxisOrder order = AxisOrder::first_fastest;
};

/// The arrays of a scan and the names of their axes, the first fastest.
struct ScanLayout {
  ArrayInfo data;
  ArrayInfo trajectory;
  ArrayInfo weights;  ///< no name: none
  std::vector<std::string> data_axes;
  std::vector<std::string> trajectory_axes;
  std::vector<std::string> weight_axes;
};

/// Axes along which images are counted, as FrameIndex orders them.
inline constexpr std::array<const char*, 5> frame_axes{"slice", "contrast", "phase", "repetition", "set"};

/// Uses the names in the options, and finds the rest by usual names and by extents. Throws ValueError for unknown,
/// missing or ambiguous arrays and axes.
ScanLayout find_scan_layout(const std::vector<ArrayInfo>& arrays, const ConvertOptions& options,
                            const std::string& file);

}  // namespace whorl::io
