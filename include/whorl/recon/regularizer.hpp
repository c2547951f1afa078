// Regularizers: expectations about an image, as terms of the function that a reconstruction minimizes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "whorl/core/option_table.hpp"
#include "whorl/core/shape.hpp"
#include "whorl/prox/low_rank_sparse.hpp"
#include "whorl/prox/proximal_function.hpp"
#include "whorl/recon/lambda_search.hpp"

namespace WHORL_PUBLIC whorl {

enum class RegularizerKind {
  tv,               ///< isotropic total variation along some axes: few edges (TotalVariation)
  wavelet,          ///< the magnitudes of wavelet coefficients: few of them (WaveletL1)
  l1,               ///< the magnitudes of the pixels: few that are not 0 (L1)
  llr,              ///< the singular values of patches over the frames: few time courses at a place (LocallyLowRank)
  tgv,              ///< total generalized variation along some axes: linear between edges (GeneralizedVariation)
  ictv,             ///< total variation in space and in time, of parts of the series (InfimalVariation)
  low_rank_sparse,  ///< a part of few time courses and one with few changes (LowRankSparse)
  positive,         ///< real pixels, none below 0 (Box)
  own,              ///< a function of the caller's (Regularizer::function)
};

/// The matrices [pixel, frame] whose singular values count.
enum class LowRankMatrix { image, patches };

/// Meaning of a weight of 1, for terms of an encoding A with the largest eigenvalue s of A^H A and data d.
enum class WeightUnit {
  noise,  ///< the standard deviation of the noise of a voxel in A^H d / s, times what the kind makes of it (threshold_of_noise)
  largest,  ///< the largest magnitude of A^H d / s
};

/// A term weight * unit * g(x). With the caller's own function it is weight * u^2 g(x / u), where u is the largest magnitude of
/// A^H d / s, so that g is asked about images with values around 1.
struct Regularizer {
  RegularizerKind kind = RegularizerKind::tv;
  double weight = 1;
  WeightUnit unit = WeightUnit::noise;
  std::optional<LambdaMethod> choice{};  ///< gcv or discrepancy: one weight for all terms that have this is chosen
  std::string axes{};                    ///< tv, tgv: some of x, y, z and t (frames); empty: all of the image, not t
  std::string cyclic{};                  ///< tv, tgv, ictv: those along which the last pixel or frame meets the first
  int taps = 8;                          ///< wavelet: of Daubechies' filter
  int levels = 0;                        ///< wavelet; 0: WaveletOptions' choice
  bool approximation = false;            ///< wavelet: the approximations of the last level count too
  bool joint = false;                    ///< wavelet, l1: magnitudes over the frames together
  LowRankMatrix matrix = LowRankMatrix::image;           ///< low-rank-sparse: of the part of low rank
  int patch = 8;                                         ///< llr, low-rank-sparse with patches: pixels along each axis
  SparseTransform transform = SparseTransform::fourier;  ///< low-rank-sparse: of the sparse part
  double sparse = 1;  ///< low-rank-sparse: weight of the sparse part, relative to that of low rank
  double ratio = 2;   ///< tgv: weight of the second differences, relative to that of the first
  double time = 1;    ///< ictv: weight of the variation in time, relative to that in space
  double mix = 0;     ///< ictv: of the other differences in each of both
  bool shift = true;  ///< wavelet, llr: another random shift in each iteration; low-rank-sparse: two grids
  /// own: g, of one image [(z,) y, x], for each frame by itself, or of the series [frame, z, y, x].
  std::shared_ptr<const ProximalFunction<float>> function{};

  /// Whether it couples several frames.
  bool spans_frames() const;
  /// Whether it makes the series a sum of two parts: ictv, low-rank-sparse.
  bool has_parts() const;
};

template <>
WHORL_PUBLIC const OptionTable<Regularizer>& option_table<Regularizer>();

/// Weights with a name, in units of the noise.
inline constexpr double weak_weight = 0.3;
inline constexpr double medium_weight = 1;
inline constexpr double strong_weight = 3;
/// A weight in units of the noise below this leaves the image as it is; texts with one are refused, for they mean other units.
inline constexpr double least_weight = 0.02;

/// Reads "KIND:WEIGHT,NAME=VALUE,...", where WEIGHT is a number, weak, medium, strong, gcv (auto is the same) or discrepancy:
/// "tv:medium", "wavelet:0.5,taps=4,joint=yes", "tv:0.001,unit=largest", "positive".
/// Throws  ValueError, saying what was expected
Regularizer parse_regularizer(const std::string& text);
/// The kinds that texts name, with the options of each beside weight and unit: "tv (axes, cyclic), ..., positive".
WHORL_PUBLIC std::string regularizer_kinds();
/// The text from which parse_regularizer makes it; options at their defaults are left out.
std::string to_text(const Regularizer& regularizer);

/// Weight of a term of weight 1 in units of the noise, where noise has the standard deviation 1 in each voxel of a series
/// [frame, z, y, x]. It grows with the part of the noise that the term keeps small. The factor for tv is the best weight
/// for phantoms, the others are estimates in proportion: for tv, tgv and ictv 0.25; for wavelet 0.6, and for l1 1, both times sqrt(f) for magnitudes over f frames together; for llr, of
/// patches of p pixels, 0.25 (sqrt(p) + sqrt(f)), a part of the largest singular value of noise; for low-rank-sparse, which
/// has the size of its matrices in its own function, 0.5.
///
/// Source  singular values of noise: Geman, Ann Probab 8 (1980) 252
WHORL_PUBLIC double threshold_of_noise(const Regularizer& regularizer, const Shape& series);

/// The terms with weights in units of `largest`. Chosen weights stay, in that unit. `noise`: the standard deviation of
/// the noise of a voxel, 0 where it is not known.
/// Throws  ValueError (a weight in units of a noise that is not known)
WHORL_PUBLIC std::vector<Regularizer> in_units_of_largest(std::vector<Regularizer> regularizers, const Shape& series,
                                                          double largest, double noise);

enum class RegularizedSolver {
  automatic,    ///< fista for one term that has a proximal operator itself, admm else
  fista,        ///< accelerated proximal gradient (whorl/solver/fista.hpp): one wavelet, l1, llr or positive
  admm,         ///< with conjugate gradient inside (whorl/solver/admm.hpp)
  primal_dual,  ///< whorl/solver/primal_dual.hpp
};

/// The solver to use: what `automatic` means for these terms. With a support fista takes l1 and positive alone, since wavelets and
/// patches reach beyond it. Throws ValueError if the solver cannot take them.
RegularizedSolver solver_for(RegularizedSolver wanted, const std::vector<Regularizer>& regularizers,
                             bool has_support = false);
std::string to_string(RegularizedSolver solver);

}  // namespace whorl
