// The samples of a scan at the places where its gradients have put them.
#pragma once

#include <optional>

#include "whorl/correct/gradient_response.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// Gives the frames of a scan the trajectories that gradients of this response play (correct/gradient_response.hpp),
/// along the directions of each frame, and undoes the phase of the response's field. Frames that lie alike and share a
/// trajectory still do. Without a field of view, pixels count as equally long along all axes. A note says by how much
/// samples moved.
///
/// Throws  as played; ValueError (a dwell time that neither the scan nor `dwell_us` says, a field response without a
///         field of view)
void play_gradients(const Context& ctx, Scan& scan, const GradientResponse& response,
                    std::optional<double> dwell_us = {}, const GradientLead& lead = {});

}  // namespace whorl
