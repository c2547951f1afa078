// Point operations at the ends of other kernels: in their load and in their store, so that neighbors in a pipeline
// share a pass over the image. The result is the same to the last bit as with separate passes.
#pragma once

#include "filter/src/kernels/points/points.hpp"
#include "whorl/filter/border.hpp"

namespace whorl {

/// The end of a kernel at which a point operation is done.
enum class PointPlace { load, store };

}  // namespace whorl

namespace whorl::kernels {

/// Null: no operation at this end. Without a load the kernel reads pixels of its own type T. With a load it reads
/// pixels of the program's input type, and the program makes pixels T of them. Likewise the store converts from the
/// kernel's type to the program's. Only programs that can_fuse allows.
struct PointEnds {
  const PointCode* load = nullptr;
  const PointCode* store = nullptr;

  bool any() const { return load != nullptr || store != nullptr; }
};

/// Families of kernels that take PointEnds.
enum class KernelFamily { canny, median, resize, separable, stencil, window_extremum };

/// The properties of such a kernel's task on which the supported point operations depend.
struct FusingKernel {
  KernelFamily family = KernelFamily::stencil;
  ImageFormat image;  ///< after the load
  Index side = 1;     ///< of the kernel's window, in pixels; 1: none
  Border border = Border::reflect;
};

/// Whether a kernel of this device does the program at this end. If not, a separate pass is needed or faster.
inline FilterKernel<bool(DeviceKind, const FusingKernel&, PointPlace, const PointCode&)> can_fuse{"can_fuse"};

}  // namespace whorl::kernels
