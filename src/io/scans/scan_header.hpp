// A scan without its arrays, as JSON.
#pragma once

#include <string>
#include <vector>

#include "whorl/scan/scan.hpp"

namespace whorl::io {

/// Which arrays a frame has.
struct FrameParts {
  FrameIndex index;
  Geometry geometry;
  Index trajectory = 0;
  Index weights = -1;  ///< -1: none
};

struct ScanHeader {
  std::array<Index, 3> matrix{1, 1, 1};
  Index coils = 0;
  std::string system;
  std::string trajectory_kind;
  double dwell_us = 0;
  double noise_dwell_us = 0;
  double readout_interval_ms = 0;
  double readout_start_us = 0;  ///< NaN: readouts differ
  std::vector<double> echo_times_ms;
  bool has_noise = false;
  bool has_coil_maps = false;
  std::vector<Index> readout_lengths;  ///< of each trajectory
  std::vector<FrameParts> frames;
};

std::string format_scan_header(const ScanHeader& header);

/// Throws IoError naming `source` and what is missing or wrong; counts are checked to be consistent.
ScanHeader parse_scan_header(const std::string& text, const std::string& source);

}  // namespace whorl::io
