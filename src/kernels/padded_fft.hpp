// Kernel family: transforms between an image and the larger periodic grid of k-space around it.
#pragma once

#include <array>
#include <complex>
#include <memory>
#include <vector>

#include "kernels/grid_layout.hpp"
#include "kernels/registry.hpp"

namespace whorl::kernels {

template <class Real>
struct PaddedFftGeometry {
  std::array<Index, 3> image;               ///< extents, z first, 1 where there is no axis
  std::array<Index, 3> grid;                ///< extents of the grid, none smaller than the image's
  std::array<std::vector<Real>, 3> factor;  ///< what each pixel of an axis is multiplied by
};

/// The place of a batch in a sum over coils. A GPU adds the first half of the coils and the second, each in the order of the
/// coils, and then both: so the sum has the same bits whatever the batches are, and where two GPUs add a half each. A CPU
/// adds all in their order.
template <class Real>
struct CoilSum {
  Index first = 0;                       ///< coils before those of the batch
  Index all = 0;                         ///< coils of the sum
  Index split = 0;                       ///< coils of its first half; all: there is one half
  std::complex<Real>* second = nullptr;  ///< of a GPU: an image for the second half until its last coil comes

  CoilSum after(Index coils) const { return {first + coils, all, split, second}; }
};

/// Transforms of a batch. Pixel i of an axis of n pixels is grid point i - floor(n/2) modulo the grid's extent; only
/// the lines that hold pixels are transformed. The transforms "of coils" take one image [z, y, x] and the sensitivities
/// of the batch, maps [coil, z, y, x]. They store no image of a single coil.
template <class Real>
class PaddedFft {
 public:
  virtual ~PaddedFft() = default;
  const GridLayout& layout() const { return layout_; }
  /// grid = DFT (exponent -2 pi i) of image * factors, zero elsewhere
  virtual void forward(const Context& ctx, const std::complex<Real>* images, std::complex<Real>* grids,
                       Index batch) const = 0;
  /// image = factors * inverse DFT (exponent +2 pi i, not normalized) of the grid, whose contents are lost
  virtual void adjoint(const Context& ctx, std::complex<Real>* grids, std::complex<Real>* images,
                       Index batch) const = 0;
  /// The grids of map * image, one for each map.
  virtual void forward_of_coils(const Context& ctx, const std::complex<Real>* image, const std::complex<Real>* maps,
                                std::complex<Real>* grids, Index batch) const = 0;
  /// The sum over coils of conj(map) * (image of the grid), once the last batch is added.
  virtual void adjoint_of_coils(const Context& ctx, std::complex<Real>* grids, const std::complex<Real>* maps,
                                std::complex<Real>* image, Index batch, const CoilSum<Real>& sum) const = 0;

 protected:
  GridLayout layout_;
};

/// The layout of the grids of this transform in memory, for numbers of `real_bytes` bytes.
inline Kernel<GridLayout(const Context&, const std::array<Index, 3>& grid, Index real_bytes)> padded_layout{
    "padded_fft"};

template <class Real>
inline Kernel<std::shared_ptr<const PaddedFft<Real>>(const Context&, const PaddedFftGeometry<Real>&)> make_padded_fft{
    "padded_fft"};

/// Convolution of images with a kernel given by its real spectrum on a grid: image = crop(inverse DFT(spectrum *
/// DFT(pad(image)))). `spectrum` is [z, y, x] of the grid, as is, without normalization.
template <class Real>
class Convolution {
 public:
  virtual ~Convolution() = default;
  virtual void apply(const Context& ctx, const std::complex<Real>* in, std::complex<Real>* out, Index batch) const = 0;
  /// out = sum over coils of conj(map) * convolution of map * in, for one image and maps [coil, z, y, x], once the last
  /// of the sum's coils are added.
  virtual void apply_over_coils(const Context& ctx, const std::complex<Real>* in, const std::complex<Real>* maps,
                                std::complex<Real>* out, Index coils, const CoilSum<Real>& sum) const = 0;
};

/// Coils are processed together if their grids are no larger than this, otherwise one at a time.
inline constexpr Index convolution_batch_bytes = Index{4} << 20;

struct ConvolutionGeometry {
  std::array<Index, 3> image;
  std::array<Index, 3> grid;
};

template <class Real>
inline Kernel<std::shared_ptr<const Convolution<Real>>(const Context&, const ConvolutionGeometry&, const Real*)>
    make_convolution{"convolution"};

}  // namespace whorl::kernels
