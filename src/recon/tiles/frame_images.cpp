#include "recon/tiles/frame_images.hpp"

#include <utility>

namespace whorl::recon {

using Complex = std::complex<float>;

void FrameImages::make(const Run& run, const Shape& image, FrameRange frames, const Spill* spill) {
  image_ = image;
  first_ = frames.first;
  const Shape volume{image.rank() == 3 ? image[0] : 1, image[-2], image[-1]};
  const Shape all = volume.with_front(frames.count());
  all_ = spill != nullptr ? spill->make(all) : Array<Complex>(run.ctx, all);
}

void FrameImages::enter(const Run& run, const FrameGroup& group) {
  if (all_.size() == 0 || all_.device() == run.ctx.device()) return;
  group_ = Array<Complex>(run.solver_ctx, image_.with_front(static_cast<Index>(group.frames.size())));
  group_first_ = group.first;
}

void FrameImages::leave(const Run& run) {
  if (group_.size() == 0) return;
  const Index first = group_first_ - first_;
  copy<Complex>(run.ctx, group_, all_.ref().range(first, first + group_.extent(0)).reshape(group_.shape()));
  group_ = {};
}

ArrayRef<Complex> FrameImages::of(Index frame) {
  return group_.size() > 0 ? group_.slice(frame - group_first_) : all_.slice(frame - first_).reshape(image_);
}

ArrayRef<Complex> FrameImages::of(const FrameGroup& group) {
  const ArrayRef<Complex> first = of(group.first);
  return {first.data(), image_.with_front(static_cast<Index>(group.frames.size())), first.device()};
}

}  // namespace whorl::recon
