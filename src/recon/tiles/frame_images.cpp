#include "recon/tiles/frame_images.hpp"

#include <utility>

namespace whorl::recon {

using Complex = std::complex<float>;

void FrameImages::make(const Run& run, const Shape& image, FrameRange images, const Spill* spill) {
  image_ = image;
  first_ = images.first;
  const Shape volume{image.rank() == 3 ? image[0] : 1, image[-2], image[-1]};
  const Shape all = volume.with_front(images.count());
  all_ = spill != nullptr ? spill->make(all) : Array<Complex>(run.ctx, all);
}

void FrameImages::enter(const Run& run, const FrameGroup& group) {
  if (all_.size() == 0 || all_.device() == run.ctx.device()) return;
  group_ = Array<Complex>(run.solver_ctx, image_.with_front(group.images.count()));
  group_first_ = group.images.first;
}

void FrameImages::leave(const Run& run) {
  if (group_.size() == 0) return;
  const Index first = group_first_ - first_;
  copy<Complex>(run.ctx, group_, all_.ref().range(first, first + group_.extent(0)).reshape(group_.shape()));
  group_ = {};
}

ArrayRef<Complex> FrameImages::of(Index image) {
  return group_.size() > 0 ? group_.slice(image - group_first_) : all_.slice(image - first_).reshape(image_);
}

ArrayRef<Complex> FrameImages::of(const FrameGroup& group) {
  const ArrayRef<Complex> first = of(group.images.first);
  return {first.data(), image_.with_front(group.images.count()), first.device()};
}

}  // namespace whorl::recon
