// Bilinear resizing: new sample i of n_new lies at i (n_old - 1) / (n_new - 1).
#pragma once

#include <vector>

#include "studies/image_filters/job.hpp"

namespace whorl::studies::image_filters {

/// Where a new sample lies: between the old ones `index` and `index + 1`, at `part` of the way.
template <class Real>
struct Place {
  int index;
  Real part;
};

template <class Real>
constexpr Place<Real> place_of(int i, int n_old, int n_new) {
  if (n_new == 1) return {(n_old - 1) / 2, Real((n_old - 1) % 2) / 2};
  const Real at = static_cast<Real>(i) * static_cast<Real>(n_old - 1) / static_cast<Real>(n_new - 1);
  // The last sample is the right end of the last pair.
  int index = static_cast<int>(at);
  if (index > n_old - 2) index = n_old - 2;
  return {index, at - static_cast<Real>(index)};
}

std::vector<Step> resize_on_host();
std::vector<Step> resize_on_gpu();

}  // namespace whorl::studies::image_filters
