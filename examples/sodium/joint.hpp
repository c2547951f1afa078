// Several scans of one head, each with receivers, readouts, gain and noise of its own: alone, averaged, and solved jointly.
#pragma once

#include <string>
#include <vector>

#include "measurement.hpp"

namespace sodium {

struct JointSettings {
  ScanSettings scan{.size = 32, .coils = 4, .noise = 10};  ///< the readouts are shared; the noise is that of the first
  int scans = 3;                                           ///< the noise of each is 1.5 times that of the one before
};

/// An image and its error.
struct JointRow {
  std::string name;
  double error = 0;  ///< relative to the truth in the root mean square over the head, after the best scale
};

/// Each scan alone, the mean of their images weighted by their noise, and the joint image.
std::vector<JointRow> run_joint(const whorl::Context& ctx, const JointSettings& settings);

/// For people.
std::string table_of(const std::vector<JointRow>& rows);

}  // namespace sodium
