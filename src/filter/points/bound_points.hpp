// BoundPoints: a point program with its tables on a device.
#pragma once

#include "filter/points/point_program.hpp"

namespace whorl {

class BoundPoints {
 public:
  /// At most kernels::most_point_steps steps.
  BoundPoints(const Context& ctx, const PointProgram& program);

  /// For kernels that take it into their load or store; lives as long as this.
  const kernels::PointCode& code() const { return code_; }
  /// One pass over the image. Formats as the program says.
  void apply(const Context& ctx, const Image& input, Image& result) const;

 private:
  kernels::PointCode code_;
  std::vector<Array<std::uint8_t>> tables_;
};

/// The first pixel, whatever its type.
const void* raw_pixels(const Image& image);
void* raw_pixels(Image& image);

}  // namespace whorl
