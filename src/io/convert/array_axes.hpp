// The parts of a scan among several arrays, and the names of their axes.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "whorl/io/convert_options.hpp"

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
  std::size_t element_axes = 0;  ///< at the end, along which elements of cells or structures were joined
  std::string made{};            ///< sentences that say of what it was joined, each with a space behind it
};

/// The arrays that are a scan; without a name: there is none.
struct ArrayRoles {
  ArrayInfo data;
  ArrayInfo trajectory;
  ArrayInfo weights;
};

/// The arrays of a scan and the names of their axes, the first fastest.
struct ScanLayout {
  ArrayRoles arrays;
  std::vector<std::string> data_axes;
  std::vector<std::string> trajectory_axes;
  std::vector<std::string> weight_axes;
  std::string doubt;  ///< about axes that were guessed; empty: none
};

/// Names of axes that fit each other.
struct AxisNames {
  std::vector<std::string> trajectory;
  std::vector<std::string> data;
};

/// Axes along which images are counted, as FrameIndex orders them.
inline constexpr std::array<const char*, 5> frame_axes{"slice", "contrast", "phase", "repetition", "set"};

/// "signal (6 x 4, complex)"
std::string describe(const ArrayInfo& array);

/// What to do about data without a trajectory: a sentence without its end.
std::string how_to_place(const ArrayInfo& data);

/// The array of this name, in any case where none is spelled so, or else the only one whose name in its structure it is: "kdata" is scan.kdata; -1: none.
Index find_name(const std::vector<ArrayInfo>& arrays, const std::string& name);

/// Whether an array has as many axes as were stated; those of extent 1 at the end need no name.
bool has_axes(const ArrayInfo& array, const std::vector<std::string>& axes);

/// Finds the roles by the options, by usual names, and where these are missing by shapes that leave one choice. The
/// trajectory or the data may be missing. Throws ValueError for unknown and ambiguous names, and if both are missing.
ArrayRoles find_roles(const std::vector<ArrayInfo>& arrays, const ConvertOptions& options, const std::string& file);

/// Whether axes of the data are named as those of a Cartesian grid.
bool states_grid_axes(const ConvertOptions& options);

/// Whether data and trajectory have usual names, or the data one that says k-space, or the shapes of one pair alone are those of data
/// and real positions.
bool are_k_space(const std::vector<ArrayInfo>& arrays);

/// The names that the shapes leave; none if there is no choice, or more than one.
std::optional<AxisNames> find_axes(const ArrayInfo& trajectory, const ArrayInfo& data);

/// Whether real numbers of this shape may be positions.
bool may_be_trajectory(const ArrayInfo& array);

/// Gives a trajectory of samples the readouts and shots of the data where two axes of these, side by side, have as many
/// samples: [shot x readout, dim] beside [coil, shot, readout].
void split_readouts(ArrayRoles& roles);

/// The names where elements were joined to data or trajectory. Their axis is what the names of the arrays say (coils,
/// slices, frames). Else it is the shots where each element is one readout, too short for an image of `pixels`; the coils
/// where no other axis is; or repetitions. `doubt` says what was guessed. None: the extents of the whole arrays may tell. Throws ValueError.
std::optional<AxisNames> find_element_axes(const ArrayRoles& roles, Index pixels, const std::string& file,
                                           std::string& doubt);

/// Uses the names in the options, and finds the rest by the extents; without data, the axes of the trajectory. An axis
/// of the data that is as long as there are `echoes` is the contrasts, if one alone can be. Throws ValueError for unknown and ambiguous axes.
ScanLayout find_scan_layout(const ArrayRoles& roles, const ConvertOptions& options, Index echoes,
                            const std::string& file);

/// Names for the dimensions of BART's data or trajectory, whose first dimension is `first`. Throws ValueError for an
/// extent along a dimension that has no place in a scan.
std::vector<std::string> bart_axes(const ArrayInfo& array, const char* first, const std::string& file);

/// Stated names in the order of memory.
std::vector<std::string> fastest_first(std::vector<std::string> stated, AxisOrder order);

/// Throws ValueError for a name that is none of an array of this role.
void check_axis_names(const std::vector<std::string>& axes, const std::vector<std::string>& more, const char* role);

}  // namespace whorl::io
