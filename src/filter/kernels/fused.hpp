// Kernels that do point operations of their neighbors as they read their image and as they write their result. What
// they do in between is that of the kernels without "_fused", to the last bit.
#pragma once

#include <algorithm>

#include "filter/kernels/edge.hpp"
#include "filter/kernels/geometry/resize.hpp"
#include "filter/kernels/ordered/morphology.hpp"
#include "filter/kernels/points/points.hpp"
#include "filter/kernels/windows/separable.hpp"
#include "filter/kernels/windows/stencil.hpp"

namespace whorl {

/// Where a filter does a point operation for its neighbor.
enum class PointPlace { load, store };

}  // namespace whorl

namespace whorl::kernels {

/// Null: none there. `from` is the image before `load`, whose pixels are T after it, and `to` that after `store`, whose
/// pixels are T (or Out) before it.
struct PointEnds {
  const PointCode* load = nullptr;
  const PointCode* store = nullptr;
};

/// Up to this radius the rows of a window are read as rows.
inline constexpr Index largest_fused_median = 4;

template <class T>
inline FilterKernel<void(const Context&, const ImageFormat&, Index radius, Edge<T>, const PointEnds&, const void* from,
                         void* to)>
    median_fused{"median with point operations"};

template <class T>
inline FilterKernel<void(const Context&, const ResizeJob&, const ResizeTaps<T>& rows, const ResizeTaps<T>& columns,
                         const PointEnds&, const void* from, void* to)>
    resize_fused{"resize with point operations"};

template <class T>
inline FilterKernel<void(const Context&, const ImageFormat&, const SeparableTaps&, const BorderOptions&,
                         const PointEnds&, const void* from, void* to)>
    separable_fused{"separable with point operations"};

template <class T, class Out>
inline FilterKernel<void(const Context&, const ImageFormat&, const Stencil&, const PointEnds&, const void* from,
                         void* to)>
    stencil_fused{"stencil with point operations"};

template <class T>
inline FilterKernel<void(const Context&, const ImageFormat&, Extremum, const std::vector<Rectangle>&, Edge<T>,
                         const PointEnds&, const void* from, void* to)>
    window_extremum_fused{"window_extremum with point operations"};

/// One table for all channels, from bytes to bytes.
inline bool is_one_byte_table(const PointCode& points) {
  const PointStep& step = points.steps[0];
  return points.count == 1 && step.op == PointOp::table && step.table_stride == 0 && points.from == PixelType::uint8 &&
         points.to == PixelType::uint8;
}

/// Steps from float32 to float32 that take few instructions, and do the same to every number of a pixel.
inline bool is_number_steps(const PointCode& points) {
  const auto is_one = [](const PointStep& step) {
    if (step.colors != step.channels) return false;
    if (step.op == PointOp::absolute || step.op == PointOp::threshold) return true;
    const auto channels = static_cast<std::size_t>(step.channels);
    const auto all_same = [&](const std::array<float, 4>& of) {
      return std::all_of(of.begin(), of.begin() + channels, [&](float v) { return v == of[0]; });
    };
    return step.op == PointOp::affine && all_same(step.scale) && all_same(step.shift);
  };
  return points.from == PixelType::float32 && points.to == PixelType::float32 &&
         std::all_of(points.steps.begin(), points.steps.begin() + points.count, is_one);
}

enum class Fusing { median, resize, separable, stencil, window_extremum };

/// What a device's kernels do as they read their image, or as they write their result. On a CPU that is everything, for
/// rows are made as rows; on a GPU what is done to the words that a thread holds.
inline bool fuses_points(DeviceKind device, Fusing kernel, PointPlace place, const PointCode& points) {
  if (device == DeviceKind::cpu) return true;
  // Resizing reads a pixel for several results.
  if (kernel == Fusing::resize && place == PointPlace::load) return false;
  return is_one_byte_table(points) || is_number_steps(points);
}

}  // namespace whorl::kernels
