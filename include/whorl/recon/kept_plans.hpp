// Plans that are kept from one reconstruction to the next.
#pragma once

#include <memory>

#include "whorl/core/export.hpp"

namespace WHORL_PUBLIC whorl {

/// The plan of the transform that a reconstruction used last. Scans that are reconstructed one after another with one
/// such object in their options (ReconResources::plans) plan a transform once for as long as image, coils, options of the
/// transform, device and trajectory stay the same. The images are those without it, to the last bit. Normal operators
/// of exact sums or of a file are not kept: ReconResources::normals has those.
///
/// Memory   one plan, in the pool of the context that made it. It is released before another one is made
/// Threads  one reconstruction at a time
class KeptPlans {
 public:
  KeptPlans();
  ~KeptPlans();
  KeptPlans(const KeptPlans&) = delete;
  KeptPlans& operator=(const KeptPlans&) = delete;

  struct Plan;
  /// For the library.
  Plan& plan() { return *plan_; }

 private:
  std::unique_ptr<Plan> plan_;
};

}  // namespace whorl
