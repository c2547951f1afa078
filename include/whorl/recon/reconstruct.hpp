// Reconstructs images from a scan: the main task.
#pragma once

#include <span>

#include "whorl/recon/options.hpp"
#include "whorl/recon/recon_plan.hpp"
#include "whorl/recon/reconstruction.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// Reconstructs every frame of a scan. A scan that is moved here is consumed: its data are prewhitened and compressed in
/// place, even if they are the caller's memory (Array::refer_to). A const scan does not change; its data are copied on
/// the host first.
///
/// Both methods give images in the unit of x in A x = d. A is the (unitary, docs/explain/conventions.md) Fourier transform of
/// the image times coil sensitivities with sum |s|^2 = 1. d are the data, prewhitened to a noise of E|n|^2 = 1. The
/// scale of gridded images follows from the lowest frequencies of the data (docs/explain/conventions.md).
///
/// cg_sense solves (A^H A / s + lambda W^H W) x = A^H d / s, where s is the largest eigenvalue of A^H A and W is the
/// operator of the penalty. So lambda means the same for any gain, number of coils and matrix. cg_sense.lambda_search
/// chooses it from the first frame of each slice. Frames with the same trajectory share a plan. Frames of one slice
/// share coil maps, which come from the first of them. Reference images are resampled to the geometry of each frame
/// (whorl/prior/reference_image.hpp).
///
/// F^H F is applied as a convolution if that is faster. With exact sums, or if its spectrum is given or requested, it is
/// always a convolution. An image made with the spectrum of an earlier run with equal options is equal to the last bit.
///
/// The scan is on the host. For a GPU its data are copied there once, and the images are copied back once.
///
/// Progress  the stage "reconstruction", one step per frame, with a stage for each part of the work in it. Cancelled is
///           thrown between iterations on request
/// Threads   several may reconstruct at once, as Context allows
/// Throws    ValueError (no frames, options out of range, density weights requested that the scan does not have, the
///           discrepancy principle for data that are not prewhitened), and as the parts
/// Source    Pruessmann, Weiger, Boernert, Boesiger, Magn Reson Med 46 (2001) 638
Reconstruction reconstruct(const Context& ctx, Scan&& scan, const ReconOptions& options = {});
Reconstruction reconstruct(const Context& ctx, const Scan& scan, const ReconOptions& options = {});

/// reconstruct with what plan_reconstruction found for this context, scan and options: the samples are not counted once
/// more, which in 3D takes as long as some iterations. The plan's making has checked scan and options; here the shapes of the
/// frames are checked again.
/// Throws  ValueError (a plan for another number of frames), what reconstruct throws
Reconstruction reconstruct(const Context& ctx, Scan&& scan, const ReconOptions& options, const ReconPlan& plan);

/// reconstruct on several devices, such as all GPUs of a machine: a context for each, with a device of its own. Frames are
/// shared first, then the coils of each (ReconResources::ranks, which must be none). Each device has a thread, and a copy of the
/// data that it needs. Progress is that of the first device; KeptPlans serve it alone. The store of finished frames is used by
/// all threads at once.
/// Throws  ValueError (no context), what reconstruct throws
Reconstruction reconstruct(std::span<const Context> devices, Scan&& scan, const ReconOptions& options = {});

}  // namespace whorl
