// Kernel family: reduces the magnitudes of single values or of groups of values.
#pragma once

#include <array>
#include <complex>

#include "kernels/registry.hpp"

namespace whorl::kernels {

/// Groups of values: [batch, group, z, y, x]. A group is the values at one position z, y, x; |v| is its Euclidean norm.
struct Groups {
  Index batch = 1;
  Index group = 1;
  std::array<Index, 3> extent{};
  std::array<Index, 3> spared{};  ///< the groups in this box at the start of z, y, x are left out; empty: none are
};

/// v = max(0, 1 - threshold / |v|) v for each group, in place; |v| = 0 stays.
template <class Real>
inline Kernel<void(const Context&, const Groups&, double threshold, std::complex<Real>* v)> shrink_groups{"shrink"};

/// sum |v| over the groups, in double and in a fixed order
template <class Real>
inline Kernel<double(const Context&, const Groups&, const std::complex<Real>* v)> sum_of_norms{"sum of norms"};

/// Sums that a dual step leaves, in double and in a fixed order.
struct DualSums {
  double value;   ///< sum |v| over the groups, or over the pixels of an image's differences
  double change;  ///< |new y - old y|^2
};

/// y = P(y + sigma v) in one pass: P scales each group to a length of at most `radius`.
template <class Real>
inline Kernel<DualSums(const Context&, const Groups&, double sigma, double radius, const std::complex<Real>* v,
                       std::complex<Real>* y)>
    groups_dual_step{"dual step"};

/// v = its real part, moved into [low, high], in place
template <class Real>
inline Kernel<void(const Context&, Index count, double low, double high, std::complex<Real>* v)> clamp_real{"box"};

}  // namespace whorl::kernels
