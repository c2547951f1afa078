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

/// v = its real part, clamped to [low, high], in place
template <class Real>
inline Kernel<void(const Context&, Index count, double low, double high, std::complex<Real>* v)> clamp_real{"box"};

}  // namespace whorl::kernels
