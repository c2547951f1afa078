// The terms of regularized least squares as the solvers take them.
#pragma once

#include <string>
#include <vector>

#include "recon/regularizers/term.hpp"
#include "whorl/core/error.hpp"
#include "whorl/recon/regularized_least_squares.hpp"
#include "whorl/solver/proximal_problem.hpp"

namespace whorl::recon {

/// How many images of the terms' domain x of `elements` is: several problems may be solved as one, and each term applies to
/// each of them. Throws ShapeError where x is no whole number of them.
template <class Real>
Index count_of_copies(Index elements, const std::vector<ProximalPenalty<Real>>& penalties) {
  Index copies = 1;
  for (const ProximalPenalty<Real>& one : penalties) {
    const Index size = one.domain().size();
    copies = elements / size;
    if (copies * size == elements && copies > 0) continue;
    throw ShapeError("regularized least squares: x has " + std::to_string(elements) +
                     " elements, expected a whole number of times the " + std::to_string(size) + " of the terms");
  }
  return copies;
}

/// Like solver_for, but for terms that are made: the solver that `automatic` stands for. Throws ValueError where fista cannot take them.
template <class Real>
RegularizedSolver solver_of(RegularizedSolver wanted, const std::vector<ProximalPenalty<Real>>& penalties,
                            bool has_support) {
  const bool takes_fista = penalties.size() == 1 && penalties.front().weighted() != nullptr &&
                           (!has_support || penalties.front().weighted()->g->is_pointwise());
  return settled_solver(wanted, takes_fista);
}

/// How many numbers all unknowns are, one array after the other: x of `elements`, and the further ones of each term, those
/// of its copies one after the other.
template <class Real>
Index count_of_unknowns(Index elements, const std::vector<ProximalPenalty<Real>>& penalties) {
  const Index copies = count_of_copies(elements, penalties);
  Index count = elements;
  for (const ProximalPenalty<Real>& one : penalties) count += copies * one.unknowns();
  return count;
}

/// The terms, for arrays of all unknowns of which x has `elements`. They refer to the penalties. The range of a term of
/// several copies is [copy, range of one...].
template <class Real>
std::vector<DualTerm<Real>> dual_terms(Index elements, const std::vector<ProximalPenalty<Real>>& penalties);

}  // namespace whorl::recon
