// Options of a reconstruction within a subspace.
#pragma once

#include <memory>
#include <utility>

#include "whorl/recon/options.hpp"
#include "whorl/recon/subspace_basis.hpp"

namespace whorl::test {

/// With a basis, which is there for as long as they are.
inline ReconOptions within(const SubspaceBasis& basis, ReconOptions options) {
  options.subspace = std::shared_ptr<const SubspaceBasis>(std::shared_ptr<const void>(), &basis);
  return options;
}

}  // namespace whorl::test
