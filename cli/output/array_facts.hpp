// What `whorl info` says of arrays, computed once for its text and its JSON.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "whorl/io/array_files.hpp"

namespace whorl::cli {

struct ArrayFacts {
  std::string name;
  std::string fault;  ///< why it can not be read; nothing else is known then
  std::string type;
  Shape shape;
  bool is_complex = false;
  Index count = 0;  ///< finite elements; the numbers below are theirs, magnitudes where the array is complex
  double least = 0;
  double most = 0;
  double mean = 0;
  Index not_finite = 0;
  std::optional<std::array<double, 3>> voxel_mm;  ///< edges along x, y, z, where the file places its voxels
};

std::vector<ArrayFacts> describe_arrays(const std::vector<NamedArray>& arrays);

}  // namespace whorl::cli
