// Filters for complex images in arrays: what a reconstruction makes.
#pragma once

#include <complex>
#include <memory>
#include <string>

#include "whorl/core/array.hpp"
#include "whorl/filter/pipeline.hpp"

namespace whorl {

/// A pipeline for complex images [frame, z, y, x], each frame a volume. It has to give float32 images of the same
/// extents, complex or gray; gray ones come back with an imaginary part of 0.
class ComplexImageFilter {
 public:
  /// Throws  as Pipeline::parse
  explicit ComplexImageFilter(std::string pipeline);

  /// Throws ValueError or Unsupported, in one line, where the pipeline does not take images of this shape, or gives
  /// others than it should.
  void check(const Shape& shape) const;
  /// The filtered images, on the context's device as the images are.
  Array<std::complex<float>> apply(const Context& ctx, const Array<std::complex<float>>& images) const;

 private:
  std::string text_;
  std::shared_ptr<const Pipeline> pipeline_;
};

}  // namespace whorl
