// The choice of the window and grid of a NUFFT.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <tuple>
#include <vector>

#include "kernels/gridding.hpp"
#include "whorl/op/nufft.hpp"

namespace whorl {

template <class Real>
inline constexpr double unit_roundoff = std::numeric_limits<Real>::epsilon() / 2;

/// Whether the options are the same in every number.
inline bool are_equal(const NufftOptions& a, const NufftOptions& b) {
  return std::tie(a.tolerance, a.oversampling, a.window, a.normal, a.accuracy) ==
         std::tie(b.tolerance, b.oversampling, b.window, b.normal, b.accuracy);
}

struct NufftDesign {
  Window window;
  Shape grid;
};

/// The window and grid of the options. If the options leave the oversampling open, those that the cost model of the
/// context's device predicts to be fastest for this number of samples. Throws ValueError if no window reaches the
/// tolerance.
NufftDesign design_nufft(const Context& ctx, const Shape& image, Index samples, const NufftOptions& options,
                         double epsilon);

/// What plans with a design have on the host, whatever their trajectories. It takes a fifth of a millisecond, and the tables that
/// were made last are kept.
struct DesignTables {
  kernels::WindowPolynomial polynomial;  ///< of the window
  std::array<std::vector<double>, 3>
      deapodization{};  ///< of each pixel of an axis, z first: scale / window's transform
};

/// For this image; of the options tolerance and accuracy.
std::shared_ptr<const DesignTables> design_tables(const NufftDesign& design, const Shape& image,
                                                  const NufftOptions& options);

/// Throws Error if the smallest grid of this image, of elements of so many bytes, does not fit into the memory that the
/// context's device has left. The plan itself keeps lists for each part of the grid, which a system may end the process
/// for before the first transform asks for a grid.
void require_memory_for_grid(const Context& ctx, const Shape& image, std::size_t element_bytes);

/// True if the same model predicts a convolution on the doubled grid to be faster than a pair of transforms.
bool toeplitz_is_faster(const Context& ctx, const NufftDesign& design, const Shape& toeplitz_grid, Index samples);

}  // namespace whorl
