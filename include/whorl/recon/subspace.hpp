// Reconstruction of a series of images within a subspace of time courses.
#pragma once

#include <span>
#include <vector>

#include "whorl/recon/recon_plan.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/recon/subspace_basis.hpp"

namespace WHORL_PUBLIC whorl {

/// Images of the coefficients of each slice, whose frame t is sum_k basis[t, k] x_k: reconstruct with ReconOptions::subspace.
Reconstruction reconstruct_subspace(const Context& ctx, Scan scan, const SubspaceBasis& basis,
                                    const ReconOptions& options);

/// reconstruct_subspace on several devices, each with a thread of its own, which share the work as ranks do.
Reconstruction reconstruct_subspace(std::span<const Context> devices, Scan&& scan, const SubspaceBasis& basis,
                                    const ReconOptions& options);

/// Which frames of a scan must have data on this rank: those of its slices where it leads their solver. The scan needs
/// neither trajectories nor data.
std::vector<bool> subspace_frames_read_by(const Communicator& ranks, const Scan& scan, const ReconOptions& options);

/// As plan_reconstruction.
ReconPlan plan_subspace_reconstruction(const Context& ctx, const Scan& scan, const SubspaceBasis& basis,
                                       const ReconOptions& options);

/// As reconstruction_memory.
Index subspace_reconstruction_memory(const Context& ctx, const Scan& scan, const SubspaceBasis& basis,
                                     const ReconOptions& options);

}  // namespace whorl
