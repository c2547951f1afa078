// What the study prints.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "studies/fmri/session.hpp"
#include "studies/power/meter.hpp"
#include "studies/results.hpp"

namespace whorl::studies::fmri {

/// A series of volumes, processed.
struct Series {
  std::string name;
  Detection detection;
  GeneralLinearModel::Maps maps;
  std::vector<double> field_hz;
  std::vector<ObjectPose> poses;
};

Table detection_table(const Protocol& protocol, std::span<const Series> series);
/// What was found of motion and drift, against what was stated; root mean squares over the volumes.
Table correction_table(const Course& course, std::span<const Series> series);

/// The stream of the last series, for as long as it was measured.
struct Stream {
  std::vector<Latency> latencies;
  Usage usage;  ///< a run is a volume
};
Table stream_table(const Stream& stream);
Table preparation_table(const Preparation& preparation);

/// The t-maps of a slice of each series, and the active tissue.
NamedPicture maps_picture(const Context& ctx, const Protocol& protocol, std::span<const Series> series);

}  // namespace whorl::studies::fmri
