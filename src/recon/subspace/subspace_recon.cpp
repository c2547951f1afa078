#include <memory>
#include <utility>

#include "whorl/recon/shared_frames.hpp"
#include "whorl/recon/subspace.hpp"

namespace whorl {

namespace {

// The options with a basis, which is there for as long as they are.
ReconOptions within(const SubspaceBasis& basis, ReconOptions options) {
  options.subspace = std::shared_ptr<const SubspaceBasis>(std::shared_ptr<const void>(), &basis);
  return options;
}

}  // namespace

Reconstruction reconstruct_subspace(const Context& ctx, Scan scan, const SubspaceBasis& basis,
                                    const ReconOptions& options) {
  return reconstruct(ctx, std::move(scan), within(basis, options));
}

Reconstruction reconstruct_subspace(std::span<const Context> devices, Scan&& scan, const SubspaceBasis& basis,
                                    const ReconOptions& options) {
  return reconstruct(devices, std::move(scan), within(basis, options));
}

std::vector<bool> subspace_frames_read_by(const Communicator& ranks, const Scan& scan, const ReconOptions& options) {
  return frames_read_by(ranks, scan, within({}, options)).data;
}

ReconPlan plan_subspace_reconstruction(const Context& ctx, const Scan& scan, const SubspaceBasis& basis,
                                       const ReconOptions& options) {
  return plan_reconstruction(ctx, scan, within(basis, options));
}

Index subspace_reconstruction_memory(const Context& ctx, const Scan& scan, const SubspaceBasis& basis,
                                     const ReconOptions& options) {
  return reconstruction_memory(ctx, scan, within(basis, options));
}

}  // namespace whorl
