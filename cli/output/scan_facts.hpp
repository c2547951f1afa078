// What `whorl info` says of a scan, computed once for its text and its JSON.
#pragma once

#include <array>
#include <cstdint>

#include "whorl/scan/scan.hpp"

namespace whorl::cli {

struct Range {
  Index least = 0;
  Index most = 0;
};

struct ScanFacts {
  std::array<double, 3> field_of_view_mm{0, 0, 0};  ///< of the first frame; 0 where the file does not say
  std::array<double, 3> largest_k{0, 0, 0};         ///< of all frames, |k| along x, y, z in cycles per pixel
  Index slices = 0;
  Index contrasts = 0;
  Index phases = 0;
  Index repetitions = 0;
  Index sets = 0;
  Range samples;                 ///< of a frame, per coil
  Range readouts;                ///< of a frame; 0 where not known
  Index noise_samples = 0;       ///< per coil
  bool has_weights = false;      ///< some frame came with density weights
  std::uint64_t data_bytes = 0;  ///< of all frames and the noise scan, in memory
};

ScanFacts describe_scan(const Scan& scan);

}  // namespace whorl::cli
