// The point operations that a GPU's kernels do in their load and store:
//
//   canny             any program, in the load, for images that its kernel of tiles takes; canny_rows, which is faster,
//                     takes none, so a separate pass precedes it
//   resize            words, in the store, because an old pixel is read for several new ones
//   median            words, for windows of up to 9 x 9
//   separable         words; bytes only with up to 9 taps, because longer windows use the tensor cores
//   stencil,
//   window_extremum   words
//
// "Words" are programs that a thread applies to the words that it holds (ends.cuh): a table for bytes, or the same
// steps for all floats.
#include <algorithm>

#include "filter/src/cuda/canny/canny_rows.hpp"
#include "filter/src/kernels/points/point_ends.hpp"

namespace whorl::backend::cuda {

namespace {

using kernels::KernelFamily;
using kernels::PointCode;
using kernels::PointOp;
using kernels::PointStep;

// One table for all channels, from bytes to bytes.
bool is_byte_table(const PointCode& program) {
  const PointStep& step = program.steps[0];
  return program.count == 1 && step.op == PointOp::table && step.table_stride == 0 &&
         program.from == PixelType::uint8 && program.to == PixelType::uint8;
}

// Steps from float32 to float32 that take few instructions, and do the same to every number of a pixel.
bool is_number_steps(const PointCode& program) {
  const auto is_one = [](const PointStep& step) {
    if (step.colors != step.channels) return false;
    if (step.op == PointOp::absolute || step.op == PointOp::threshold) return true;
    const auto channels = static_cast<std::size_t>(step.channels);
    const auto all_same = [&](const std::array<float, 4>& of) {
      return std::all_of(of.begin(), of.begin() + channels, [&](float v) { return v == of[0]; });
    };
    return step.op == PointOp::affine && all_same(step.scale) && all_same(step.shift);
  };
  return program.from == PixelType::float32 && program.to == PixelType::float32 &&
         std::all_of(program.steps.begin(), program.steps.begin() + program.count, is_one);
}

// Whether a pass of point operations followed by canny_rows is preferred to tiles with the operations in their load. On
// an H200, gamma before canny takes 0.173 ms for 4096 x 4096 RGB this way, and 0.298 ms with tiles.
constexpr bool prefers_canny_rows = true;

bool can_fuse(DeviceKind /*device*/, const kernels::FusingKernel& kernel, PointPlace place, const PointCode& program) {
  constexpr Index widest_fused = 9;
  const bool is_words = is_byte_table(program) || is_number_steps(program);
  const bool is_wide = kernel.side > widest_fused;
  switch (kernel.family) {
    case KernelFamily::canny:
      return place == PointPlace::load &&
             !(prefers_canny_rows && thins_by_rows(kernel.image, static_cast<int>(kernel.side / 2), kernel.border));
    case KernelFamily::resize:
      return is_words && place == PointPlace::store;
    case KernelFamily::median:
      return is_words && !is_wide;
    case KernelFamily::separable:
      return is_words && !(is_wide && kernel.image.type == PixelType::uint8);
    default:
      return is_words;
  }
}

}  // namespace

void register_can_fuse() { kernels::can_fuse.set(DeviceKind::cuda, can_fuse); }

}  // namespace whorl::backend::cuda
