// LowRankSparse: a series as the sum of a part of low rank and one that is sparse in time.
#pragma once

#include <complex>
#include <vector>

#include "whorl/prox/infimal_function.hpp"

namespace WHORL_PUBLIC whorl {

/// Numbers of which the sparse part has few.
enum class SparseTransform {
  fourier,      ///< coefficients of the unitary Fourier transform over the frames
  differences,  ///< differences to the next frame
};

struct LowRankSparseOptions {
  double sparse = 1;  ///< weight of the sparse part, relative to that of the part of low rank
  SparseTransform transform = SparseTransform::fourier;
  Index patch = 0;        ///< low rank within patches of so many pixels along each axis; 0: of the whole series
  bool two_grids = true;  ///< patches: those of two grids, half a patch apart along each axis
};

/// A series is the sum of a part L of low rank and a part S that is sparse in time, whichever parts cost least:
///
///   g(x) = weight min_S  c |x - S|_* + sparse |T S|_1,   c = sqrt(max(pixels, frames))
///
/// |L|_* is the nuclear norm of LowRank or LocallyLowRank, or the mean of those of two grids. `pixels` are those of its
/// matrix, and T is the transform over the frames. With this c and `sparse` 1 the parts of a sum of low rank and few entries are found exactly under mild
/// conditions. A series that does not change, of at least as many pixels as frames, costs as much in L as it does in S with
/// the Fourier transform. w is S.
///
/// Shapes  x [frame, z, y, x], z = 1 in 2D
/// Throws  ShapeError (another number of axes), ValueError (one frame, options out of range), and as LocallyLowRank
/// Source  Otazo, Candes, Sodickson, Magn Reson Med 73 (2015) 1125; c: Candes, Li, Ma, Wright, J ACM 58 (2011) 11
template <class Real>
class LowRankSparse final : public InfimalFunction<Real> {
 public:
  using Complex = std::complex<Real>;

  LowRankSparse(const Shape& shape, double weight, const LowRankSparseOptions& options = {});

 private:
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<const Complex> w,
                  ArrayRef<Complex> y) const override;
  void do_add_adjoint(const Context& ctx, double factor, ArrayRef<const Complex> y, ArrayRef<Complex> sum_x,
                      ArrayRef<Complex> sum_w) const override;
  void do_add_normal(const Context& ctx, double factor, ArrayRef<const Complex> x, ArrayRef<const Complex> w,
                     ArrayRef<Complex> sum_x, ArrayRef<Complex> sum_w) const override;
  using Part = typename InfimalFunction<Real>::Part;

  static std::vector<Part> parts_of(const Shape& shape, double weight, const LowRankSparseOptions& options);
  double scale_of_grid() const;
  /// to = T from, or T^H from
  void transform(const Context& ctx, bool adjoint, ArrayRef<const Complex> from, ArrayRef<Complex> to) const;

  SparseTransform transform_;
  Index grids_;                                // each has an image of y: (x - S) / sqrt(grids)
  std::vector<std::complex<double>> fourier_;  // [frequency, frame]
  std::vector<std::complex<double>> inverse_;  // [frame, frequency]
};

}  // namespace whorl
