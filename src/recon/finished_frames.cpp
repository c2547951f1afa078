#include "recon/finished_frames.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "whorl/core/error.hpp"

namespace whorl::recon {

using Complex = std::complex<float>;

bool FinishedFrames::find(const Context& ctx, const FrameGroup& group, ArrayRef<Complex> images,
                          std::vector<SolverReport>& reports) const {
  if (store_ == nullptr) return false;
  std::vector<FinishedFrame> found;
  for (Index i = 0; i < images.extent(0); ++i) {
    std::optional<FinishedFrame> frame = store_->find(number(group.images.first + i));
    if (!frame) return false;
    if (frame->image.shape() != images.shape().tail()) {
      throw ShapeError(fmt::format("finished frames: frame {} has an image of shape {}, expected {}",
                                   number(group.images.first + i), to_string(frame->image.shape()),
                                   to_string(images.shape().tail())));
    }
    found.push_back(std::move(*frame));
  }
  reports.clear();
  for (Index i = 0; i < images.extent(0); ++i) {
    FinishedFrame& frame = found[static_cast<std::size_t>(i)];
    copy<Complex>(ctx, frame.image, images.slice(i));
    reports.push_back(std::move(frame.report));
  }
  ctx.synchronize();  // the copies on the host go
  return true;
}

void FinishedFrames::keep(const Context& ctx, const FrameGroup& group, ArrayRef<const Complex> images,
                          const std::vector<SolverReport>& reports) const {
  if (store_ == nullptr) return;
  for (Index i = 0; i < images.extent(0); ++i) {
    store_->keep(number(group.images.first + i),
                 {to_host<const Complex>(ctx, images.slice(i)), reports[static_cast<std::size_t>(i)]});
  }
}

std::unique_ptr<SolverStates<float>> FinishedFrames::states(const FrameGroup& group) const {
  if (store_ == nullptr) return nullptr;
  std::vector<Index> numbers;
  for (Index image = group.images.first; image < group.images.last; ++image) numbers.push_back(number(image));
  return store_->states(numbers);
}

}  // namespace whorl::recon
