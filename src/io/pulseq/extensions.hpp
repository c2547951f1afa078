// Extensions of blocks: labels and rotations.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "io/pulseq/sequence.hpp"
#include "whorl/scan/image_frame.hpp"

namespace whorl::io::pulseq {

class BlockExtensions {
 public:
  explicit BlockExtensions(const Sequence& sequence) : sequence_(&sequence) {}

  /// Takes the extensions of the next block. Throws IoError.
  void take(const Block& block);

  /// A vector along the block's axes, along those of the gradients.
  std::array<double, 3> turned(const std::array<double, 3>& v) const;

  /// Why readouts of this block are left out, or nothing.
  std::string_view left_out() const;
  /// Throws IoError for labels that are no counters.
  FrameIndex frame() const;

  bool soft_delays() const { return soft_delays_; }
  /// Extensions of the blocks that are not known.
  const std::set<std::string>& ignored() const { return ignored_; }

 private:
  bool is_set(const std::string& label) const;
  int counter(const std::string& label) const;

  const Sequence* sequence_;
  std::map<std::string, double> labels_;
  std::optional<std::array<double, 4>> rotation_;
  bool soft_delays_ = false;
  std::set<std::string> ignored_;
};

}  // namespace whorl::io::pulseq
