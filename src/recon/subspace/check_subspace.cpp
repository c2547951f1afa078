#include "recon/subspace/check_subspace.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "recon/check_scan.hpp"
#include "recon/subspace/slice_frames.hpp"
#include "whorl/core/error.hpp"

namespace whorl::recon {

namespace {

ReconOptions with_first_frames(ReconOptions options) {
  options.maps_from = CoilMapData::first_frame;
  return options;
}

}  // namespace

void check_subspace(const Scan& scan, const SubspaceBasis& basis, const ReconOptions& options) {
  // Weights do not go with maps of all frames elsewhere; here these are made without them.
  check_scan(scan, with_first_frames(options));
  const char* wrong = nullptr;
  if (options.method != ReconMethod::cg_sense) wrong = options.method == ReconMethod::nlinv ? "nlinv" : "gridding";
  if (options.penalty != PenaltyKind::tikhonov) wrong = "another penalty than tikhonov";
  if (options.lambda_search) wrong = "a lambda to be chosen";
  if (std::any_of(options.regularizers.begin(), options.regularizers.end(),
                  [](const Regularizer& what) { return what.choice.has_value(); })) {
    wrong = "a weight to be chosen";
  }
  if (options.error_bars.any()) wrong = "error bars";
  if (options.normals != nullptr || options.keep_normals) wrong = "saved normal operators";
  if (options.filter) wrong = "a filter";
  if (options.keep_parts) wrong = "parts to keep";
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
  for (const SliceFrames& slice : frames_of_slices(scan)) {
    if (static_cast<Index>(slice.frames.size()) == basis.frames() && basis.frames() > 1) continue;
    throw ValueError(fmt::format("subspace: slice {} has {} frames and the basis {}, expected as many, and at least 2",
                                 slice.frames.front()->index.slice, slice.frames.size(), basis.frames()));
  }
}

}  // namespace whorl::recon
