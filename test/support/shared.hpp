// Operators of a test's own as parts of others.
#pragma once

#include <memory>
#include <vector>

#include "whorl/recon/least_squares.hpp"

namespace whorl::test {

/// An operator that the test keeps alive, for those that are built from it.
template <class Real>
Operator<Real> shared(const LinearOperator<Real>& op) {
  return std::shared_ptr<const LinearOperator<Real>>(std::shared_ptr<void>(), &op);
}

/// |W x|^2 as the only penalty; null: that of Tikhonov.
template <class Real>
std::vector<QuadraticPenalty<Real>> penalty_of(const LinearOperator<Real>* W) {
  if (W == nullptr) return {{nullptr, 1}};
  return {{shared<Real>(*W), 1}};
}

}  // namespace whorl::test
