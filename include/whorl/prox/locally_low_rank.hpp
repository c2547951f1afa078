// LocallyLowRank: the sum of singular values of the patches of a series of images.
#pragma once

#include <array>
#include <cstdint>

#include "whorl/prox/proximal_function.hpp"

namespace WHORL_PUBLIC whorl {

struct LocallyLowRankOptions {
  Index patch = 8;         ///< pixels of a patch along each axis of an image; at most the whole axis
  bool shifts = true;      ///< passes differ by shifts; false: all are pass 0
  Index start = 0;         ///< the first patch of pass 0 begins at this pixel along each axis, modulo the patch
  std::uint64_t seed = 1;  ///< of the shifts
};

/// g(x) = sum over patches of the nuclear norm (the sum of singular values) of a matrix with a column for each image of
/// the series (frames or contrasts) and a row for each pixel of the patch. The patches tile the image.
///
///   prox_{t g}(x) replaces each singular value s by max(0, s - t)
///
/// In pass n > 0 the patches begin at another place, evenly spread (a digital sequence, by the seed), and wrap around the
/// image's ends.
///
/// Shapes    [image, y, x] or [image, z, y, x]
/// Accuracy  singular values below about 1e-7 of the largest are only rounding: they come from Gram matrices in double
/// Throws    ShapeError (another number of axes), ValueError (a patch below 1 pixel, a start below 0), Unsupported (patches with more
///           than 64 pixels of series with more than 64 images)
/// Source    Cai, Candes, Shen, SIAM J Optim 20 (2010) 1956; patches: Trzasko, Manduca, Proc ISMRM 19 (2011) 4371
template <class Real>
class LocallyLowRank final : public ProximalFunction<Real> {
 public:
  using Complex = std::complex<Real>;

  LocallyLowRank(const Shape& shape, const LocallyLowRankOptions& options);

  bool has_versions() const override { return options_.shifts; }

 private:
  double do_value(const Context& ctx, ArrayRef<const Complex> x) const override;
  void do_prox(const Context& ctx, double step, ArrayRef<Complex> x, Index pass) const override;
  bool value_takes_long() const override { return true; }
  double do_prox_and_value(const Context& ctx, double step, ArrayRef<Complex> x, Index pass) const override;
  std::array<Index, 3> shift_of(Index pass) const;

  std::array<Index, 4> extent_;  // image, z, y, x
  std::array<Index, 3> patch_{};
  LocallyLowRankOptions options_;
};

}  // namespace whorl
