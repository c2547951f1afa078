// A gradient event over time: linear between points.
#pragma once

#include <vector>

#include "io/pulseq/sequence.hpp"

namespace whorl::io::pulseq {

/// Points of a gradient, in the time of its block, and its integral up to each. Before and after them it is 0.
struct Waveform {
  std::vector<double> seconds;
  std::vector<double> values;    ///< Hz/m
  std::vector<double> integral;  ///< 1/m

  /// The integral from the start of the block to a time of the block.
  double integral_to(double time) const;
  /// In Hz/m.
  double value_at(double time) const;
  double end() const { return seconds.empty() ? 0 : seconds.back(); }
};

/// Shapes by their numbers, each decompressed once. Throws IoError where all together have too many values.
class ShapeCache {
 public:
  explicit ShapeCache(const Sequence& sequence) : sequence_(&sequence) {}
  const std::vector<double>& get(Id shape);

 private:
  const Sequence* sequence_;
  std::map<Id, std::vector<double>> shapes_;
  Index values_ = 0;
};

/// The waveforms of gradients, and the value that the one before it ends with on each axis, which older files need.
class WaveformMaker {
 public:
  WaveformMaker(const Sequence& sequence, ShapeCache& shapes) : sequence_(&sequence), shapes_(&shapes) {}

  /// The waveform of a block's gradient on an axis (0 to 2); empty where there is none. To be called for all blocks in
  /// their order. Throws IoError, also where all together have too many points.
  Waveform next(const Block& block, std::size_t axis);

 private:
  Waveform from_shape(const Gradient& gradient, Id id, double before) const;

  const Sequence* sequence_;
  ShapeCache* shapes_;
  std::array<double, 3> before_{};
  Index points_ = 0;
};

}  // namespace whorl::io::pulseq
