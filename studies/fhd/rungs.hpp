// The steps as rungs of ladders: run on a scan and compared with double precision.
#pragma once

#include "studies/fhd/steps.hpp"
#include "studies/ladder.hpp"

namespace whorl::studies::fhd {

/// The scan, and its sums in double precision [voxel].
struct Trial {
  Scan scan;
  Array<std::complex<double>> truth;
};

/// A ladder without steps: bytes and operations of the sums, and the kind of errors; on a GPU with what its kernels take.
Ladder ladder_of(const Context& ctx, const std::string& name, const std::string& title, const Trial& trial);

/// A step on the context's device. The trial outlives the ladder.
template <class Real>
LadderStep rung(const Context& ctx, const Trial& trial, const Step<Real>& step);

/// The library's exact transform in single precision, of Mu.
LadderStep library_rung(const Context& ctx, const Trial& trial);

}  // namespace whorl::studies::fhd
