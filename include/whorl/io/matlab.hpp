// MATLAB files: numeric arrays of versions 4, 5 and 7.3, through matio where whorl was built with it.
#pragma once

#include <complex>
#include <filesystem>
#include <string>
#include <vector>

#include "whorl/core/view.hpp"

namespace whorl {

/// A numeric variable of a MATLAB file.
struct MatlabVariable {
  std::string name;
  std::vector<Index> extents;  ///< as MATLAB's size(): Fortran order, the FIRST axis is fastest in memory
  bool is_complex = false;
  bool is_numeric = false;  ///< else a cell, a struct, text or the like, which can not be read
};

/// Names and sizes of all variables. Throws IoError (missing, damaged or foreign file), Unsupported (built without
/// matio).
std::vector<MatlabVariable> list_matlab_variables(const std::filesystem::path& path);

/// The elements of a numeric variable in the order of the file: the first axis of `extents` is fastest. Real variables
/// have imaginary parts 0. Throws IoError (no such variable, not numeric, damaged file), Unsupported.
std::vector<std::complex<double>> read_matlab_variable(const std::filesystem::path& path,
                                                       const MatlabVariable& variable);

}  // namespace whorl
