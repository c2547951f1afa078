// The terms of regularized least squares as the solvers take them.
#pragma once

#include <vector>

#include "whorl/recon/regularized_least_squares.hpp"
#include "whorl/solver/proximal_problem.hpp"

namespace whorl::recon {

/// How many numbers all unknowns are, one array after the other: x of `elements`, and the further ones of each term.
template <class Real>
Index count_of_unknowns(Index elements, const std::vector<ProximalPenalty<Real>>& penalties) {
  Index count = elements;
  for (const ProximalPenalty<Real>& one : penalties) {
    if (one.infimal != nullptr) count += one.infimal->auxiliary().size();
  }
  return count;
}

/// The terms, for arrays of all unknowns of which x has `elements`. They refer to the penalties.
template <class Real>
std::vector<DualTerm<Real>> dual_terms(Index elements, const std::vector<ProximalPenalty<Real>>& penalties);

}  // namespace whorl::recon
