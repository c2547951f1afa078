#include "recon/subspace/check_subspace.hpp"

#include <fmt/format.h>

#include <iterator>

#include "recon/frame_groups.hpp"
#include "whorl/core/error.hpp"
#include "whorl/recon/subspace_basis.hpp"

namespace whorl::recon {

void check_subspace(const Scan& scan, const ReconOptions& options) {
  if (options.subspace == nullptr) return;
  const SubspaceBasis& basis = *options.subspace;
  const char* wrong = nullptr;
  if (options.method != ReconMethod::cg_sense) wrong = options.method == ReconMethod::nlinv ? "nlinv" : "gridding";
  if (options.lambda_search && options.lambda_search->method == LambdaMethod::spectrum) {
    wrong = "a lambda by the power spectrum";
  }
  if (options.error_bars.any() && options.regularizers.empty()) wrong = "error bars without regularizers";
  if (options.resources.normals != nullptr || options.keep_normals) wrong = "saved normal operators";
  if (options.signal.changes()) wrong = "a field map, an R2* map or a concomitant field";
  if (options.certified_samples > 0) wrong = "a certificate";
  if (options.transform == TransformMethod::exact) wrong = "exact sums";
  if (wrong != nullptr) {
    throw ValueError(fmt::format("subspace: {} does not go with a subspace; leave one of both out", wrong));
  }
  if (basis.vectors.rank() != 2 || basis.vectors.size() == 0) {
    throw ShapeError(
        fmt::format("subspace: a basis {}, expected [frame, component]", to_string(basis.vectors.shape())));
  }
  for (const auto& [slice, frames] : frames_of_slices(scan)) {
    if (std::ssize(frames) == basis.frames() && frames.size() > 1) continue;
    throw ValueError(fmt::format("subspace: slice {} has {} frames and the basis {}, expected as many, and at least 2",
                                 slice, frames.size(), basis.frames()));
  }
}

}  // namespace whorl::recon
