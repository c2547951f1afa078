// A part of few time courses and one with few changes (LowRankSparse).
#include "whorl/prox/low_rank_sparse.hpp"
#include "recon/regularizers/term.hpp"
#include "whorl/recon/regularized_least_squares.hpp"

namespace whorl::recon {

namespace {

template <class Real>
ProximalPenalty<Real> make_low_rank_sparse(const Shape& series, const Regularizer& what, double unit) {
  return {std::make_shared<const LowRankSparse<Real>>(
      series, what.weight * unit,
      LowRankSparseOptions{.sparse = what.sparse,
                           .transform = what.transform,
                           .patch = what.matrix == LowRankMatrix::patches ? what.patch : 0,
                           .two_grids = what.shift})};
}

bool has_patches(const Regularizer& what) { return what.matrix == LowRankMatrix::patches; }

// Patches on two grids have a dual variable for each.
TermArrays arrays_of_parts(const Regularizer& what, Index /*image_axes*/) {
  const Index grids = has_patches(what) && what.patch > 1 && what.shift ? 2 : 1;
  return {
      .duals = grids + 1, .unknowns = 1, .working = grids + 4, .joins = what.transform == SparseTransform::differences};
}

}  // namespace

extern const RegularizerTerm low_rank_sparse_term{
    .kind = RegularizerKind::low_rank_sparse,
    .word = "low-rank-sparse",
    .options = {{{"weight"},
                 {"unit"},
                 {"matrix"},
                 {"patch", "matrix=patches", has_patches},
                 {"transform"},
                 {"sparse"},
                 {"shift", "matrix=patches", has_patches}}},
    .has_proximal_operator = false,
    .has_parts = true,
    .spans_frames = always,
    .threshold = [](const Regularizer& /*what*/, const Shape& /*series*/) { return 0.5; },
    .arrays = arrays_of_parts,
    .make = make_low_rank_sparse<float>,
    .make_double = make_low_rank_sparse<double>};

}  // namespace whorl::recon
