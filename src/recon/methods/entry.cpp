#include "recon/methods/entry.hpp"

#include <fmt/format.h>

#include "whorl/core/error.hpp"

namespace whorl::recon {

const MethodEntry& method_of(const ReconOptions& options) {
  switch (options.method) {
    case ReconMethod::gridding:
      return gridding_method;
    case ReconMethod::nlinv:
      return nlinv_method;
    case ReconMethod::cg_sense:
      break;
  }
  if (options.subspace != nullptr) return subspace_method;
  return options.regularized.terms.empty() ? cg_sense_method : regularized_method;
}

void refuse_least_squares(std::string_view name, const ReconOptions& options) {
  const CgSenseChoices& choices = options.cg_sense;
  if (choices.penalty != PenaltyKind::tikhonov || !choices.references.empty() || choices.align_references) {
    throw ValueError(fmt::format(
        "reconstruction: {} has no such penalty; smoothness and prior belong to least squares (cg-sense)", name));
  }
  if (!options.regularized.terms.empty() || options.regularized.keep_parts) {
    throw ValueError("reconstruction: regularizers belong to least squares; use cg-sense, or leave them out");
  }
  if (options.subspace != nullptr) {
    throw ValueError(fmt::format("subspace: {} does not go with a subspace; leave one of both out", name));
  }
  if (!options.joint.empty()) throw ValueError("joint scans: are not for gridding and nlinv; use cg-sense");
  if (options.certified_samples > 0) {
    throw ValueError(fmt::format("certificate: {} does not solve with an encoding operator alone; use cg-sense", name));
  }
}

}  // namespace whorl::recon
