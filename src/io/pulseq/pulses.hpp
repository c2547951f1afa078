// RF pulses: what they do to k, and when.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "io/pulseq/sequence.hpp"
#include "io/pulseq/waveform.hpp"

namespace whorl::io::pulseq {

struct PulseTime {
  bool refocuses = false;  ///< else it excites
  double center = 0;       ///< s after the start of its block
};

/// How pulses act on k.
class PulseTimes {
 public:
  PulseTimes(const Sequence& sequence, ShapeCache& shapes) : sequence_(&sequence), shapes_(&shapes) {}

  /// Nothing for a pulse that neither excites nor refocuses. Throws IoError.
  std::optional<PulseTime> get(Id id);
  /// From the start of its block to its end, in s. Throws IoError.
  double duration(Id id) const;
  /// Pulses whose use the file does not say.
  Index guessed() const { return guessed_; }

 private:
  std::optional<PulseTime> make(Id id, const Pulse& pulse);
  std::vector<double> times_of(Id id, const Pulse& pulse, std::size_t count);
  double flip_angle(Id id, const Pulse& pulse, const std::vector<double>& magnitude, const std::vector<double>& times);

  const Sequence* sequence_;
  ShapeCache* shapes_;
  std::map<Id, std::optional<PulseTime>> known_;
  Index guessed_ = 0;
};

}  // namespace whorl::io::pulseq
