// BoundPoints: a point program with its tables on a device.
#pragma once

#include "filter/src/points/point_program.hpp"

namespace whorl {

class BoundPoints {
 public:
  /// At most kernels::most_point_steps steps.
  BoundPoints(const Context& ctx, const PointProgram& program);

  /// The program for kernels and their load or store; valid as long as this object.
  const kernels::PointCode& code() const { return code_; }
  /// Applies the program in a pass of its own. The formats are those of the program.
  void apply(const Context& ctx, const Image& input, Image& result) const;

 private:
  kernels::PointCode code_;
  std::vector<Array<std::uint8_t>> tables_;
};

/// The first pixel, whatever its type.
const void* raw_pixels(const Image& image);
void* raw_pixels(Image& image);

}  // namespace whorl
