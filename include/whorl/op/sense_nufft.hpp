// SenseNufft: the encoding operator of parallel imaging along any trajectory.
#pragma once

#include "whorl/op/nufft.hpp"

namespace WHORL_PUBLIC whorl {

/// Whether maps are those of all coils, or of a part of them, whose image is added to those of other parts.
enum class CoilsOfSum { all, part };

/// The non-uniform FFT of one image as each coil receives it: Sense, then Nufft, in one operator that does not store
/// the images of the coils.
///
///   forward  y[c,j] = s * sum_r maps[c,r] x[r] exp(-2*pi*i k_j . r)
///   adjoint  x[r] = s * sum_c conj(maps[c,r]) sum_j y[c,j] exp(+2*pi*i k_j . r)
///
/// with r and s as in Nufft. The normal operator is a convolution if that of the Nufft is. Sums over coils have a fixed
/// order, so each run gives the same bits, with tiles of any number of coils too. On a GPU they are the first half of the
/// coils plus the second, so two GPUs with a half each add up to the same bits.
///
/// Shapes    maps [coil, z, y, x] ([coil, y, x] in 2D), domain [z, y, x] ([y, x]); range [coil, sample]
/// Accuracy  that of Nufft
/// Memory    that of Nufft; on a GPU an image more; with maps in tiles, besides it the maps of a tile
/// Throws    ShapeError (maps of another shape than the transform's domain), DeviceError (maps on another device than
///           the transform)
/// Threads   as LinearOperator
/// Source    Pruessmann, Weiger, Boernert, Boesiger, Magn Reson Med 46 (2001) 638
template <class Real>
class SenseNufft final : public LinearOperator<Real> {
 public:
  using Complex = std::complex<Real>;

  /// Shares the transform's plan; the transform itself may be destroyed.
  SenseNufft(const Nufft<Real>& nufft, Array<Complex> maps, CoilsOfSum coils = CoilsOfSum::all);
  /// For maps that do not fit beside the transform: they lie on the host and are copied to the transform's device in tiles
  /// of `tile` coils, in every application. The sums of the tiles are added in their order. Throws ValueError (tile < 1).
  SenseNufft(const Nufft<Real>& nufft, Array<Complex> maps, Index tile, CoilsOfSum coils = CoilsOfSum::all);
  SenseNufft(SenseNufft&&) noexcept;
  ~SenseNufft() override;

  /// The adjoint of data on the host, of which those of a tile are on the context's device at a time; without tiles, those
  /// of as many coils as the transform takes at once. The data of a CPU are taken where they are. Throws as adjoint.
  void adjoint_from_host(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const;

 protected:
  void do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const override;

 private:
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override;
  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override;

  Index tile() const;

  // Calls work(maps of a tile on the context's device, its first coil).
  template <class Work>
  void for_each_tile(const Context& ctx, Index tile, const Work& work) const;
  // Calls work(maps of a tile on the context's device, their place in the sum).
  template <class Work>
  void add_tiles(const Context& ctx, Index tile, const Work& work) const;

  std::shared_ptr<const NufftPlan<Real>> plan_;
  Array<Complex> maps_;
  Index tile_ = 0;  // coils; 0: all
  CoilsOfSum coils_ = CoilsOfSum::all;
};

}  // namespace whorl
