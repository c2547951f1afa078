// Kernels that do point operations of their neighbors as they read their image and as they write their result. What
// they do in between is that of the kernels without "_fused", to the last bit.
#pragma once

#include "kernels/filter/edge.hpp"
#include "kernels/filter/morphology.hpp"
#include "kernels/filter/points.hpp"
#include "kernels/filter/resize.hpp"
#include "kernels/filter/separable.hpp"
#include "kernels/filter/stencil.hpp"

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
inline Kernel<void(const Context&, const ImageFormat&, Index radius, Edge<T>, const PointEnds&, const void* from,
                   void* to)>
    median_fused{"median with point operations"};

template <class T>
inline Kernel<void(const Context&, const ResizeJob&, const ResizeTaps<T>& rows, const ResizeTaps<T>& columns,
                   const PointEnds&, const void* from, void* to)>
    resize_fused{"resize with point operations"};

template <class T>
inline Kernel<void(const Context&, const ImageFormat&, const SeparableTaps&, const BorderOptions&, const PointEnds&,
                   const void* from, void* to)>
    separable_fused{"separable with point operations"};

template <class T, class Out>
inline Kernel<void(const Context&, const ImageFormat&, const Stencil&, const PointEnds&, const void* from, void* to)>
    stencil_fused{"stencil with point operations"};

template <class T>
inline Kernel<void(const Context&, const ImageFormat&, Extremum, const std::vector<Rectangle>&, Edge<T>,
                   const PointEnds&, const void* from, void* to)>
    window_extremum_fused{"window_extremum with point operations"};

/// Whether a device's backend has these kernels.
constexpr bool fuses_points(DeviceKind device) { return device == DeviceKind::cpu; }

}  // namespace whorl::kernels
