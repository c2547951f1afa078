// Filters for complex images in arrays, as a reconstruction returns them.
#pragma once

#include <complex>
#include <memory>
#include <string>

#include "whorl/core/array.hpp"
#include "whorl/filter/pipeline.hpp"

namespace WHORL_PUBLIC whorl {

/// A pipeline for complex images [frame, z, y, x]; each frame is a volume. The result has to be float32 of the same
/// extents, complex or gray. Gray results get an imaginary part of 0.
///
/// Threads  several may use it at once, as Context allows
class ComplexImageFilter {
 public:
  /// Throws  as Pipeline::parse
  explicit ComplexImageFilter(std::string pipeline);

  /// Throws ValueError or Unsupported if the pipeline does not take images of this shape, or if its result has another
  /// format than the class accepts (see above).
  void check(const Shape& shape) const;
  /// The filtered images, on the context's device as the images are.
  Array<std::complex<float>> apply(const Context& ctx, const Array<std::complex<float>>& images) const;

  /// The pipeline as the last step of a reconstruction: of a Hook {name, check, apply} such as ImageHook
  /// (whorl/recon/options.hpp), which does not know filters.
  template <class Hook>
  Hook hook() const {
    return {text_, [filter = *this](const Shape& images) { filter.check(images); },
            [filter = *this](const Context& ctx, const Array<std::complex<float>>& images) {
              return filter.apply(ctx, images);
            }};
  }

 private:
  std::string text_;
  std::shared_ptr<const Pipeline> pipeline_;
};

}  // namespace whorl
