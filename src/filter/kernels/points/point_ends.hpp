// Point operations at the ends of other kernels: in their load and in their store, so that neighbors in a pipeline
// share a pass over the image. What a kernel does in between is the same to the last bit with and without them.
#pragma once

#include "filter/kernels/points/points.hpp"
#include "whorl/filter/border.hpp"

namespace whorl {

/// The end of a kernel at which a point operation is done.
enum class PointPlace { load, store };

}  // namespace whorl

namespace whorl::kernels {

/// Null: nothing is done there. Without a load the kernel reads pixels of its own type T; with one it reads those that
/// the program takes, and the program makes pixels T of them. In the same way for the store, from the kernel's type to
/// the program's. Only what can_fuse allows.
struct PointEnds {
  const PointCode* load = nullptr;
  const PointCode* store = nullptr;

  bool any() const { return load != nullptr || store != nullptr; }
};

/// Families of kernels that take PointEnds.
enum class KernelFamily { canny, median, resize, separable, stencil, window_extremum };

/// One task of such a kernel, as far as the point operations that it takes depend on it.
struct FusingKernel {
  KernelFamily family = KernelFamily::stencil;
  ImageFormat image;  ///< behind the load
  Index side = 1;     ///< of the kernel's window, in pixels; 1: none
  Border border = Border::reflect;
};

/// Whether a kernel of this device does the program at this end. A pass of its own is faster where it does not.
inline FilterKernel<bool(DeviceKind, const FusingKernel&, PointPlace, const PointCode&)> can_fuse{"can_fuse"};

}  // namespace whorl::kernels
