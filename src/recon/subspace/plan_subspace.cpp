// What a reconstruction within a subspace takes of a device's memory, and how often it does what.
#include <algorithm>
#include <complex>
#include <set>

#include "op/nufft_workload.hpp"
#include "recon/encoding/calibrate.hpp"
#include "recon/encoding/calibration_frame.hpp"
#include "recon/encoding/map_memory.hpp"
#include "recon/field_of_view.hpp"
#include "recon/least_squares_recon.hpp"
#include "recon/memory.hpp"
#include "recon/prepare.hpp"
#include "recon/regularized/regularized_recon.hpp"
#include "recon/stage_memory.hpp"
#include "recon/subspace/check_subspace.hpp"
#include "recon/subspace/slice_frames.hpp"
#include "whorl/op/subspace.hpp"
#include "whorl/recon/subspace.hpp"

namespace whorl {

namespace {

constexpr auto complex_bytes = static_cast<Index>(sizeof(std::complex<float>));

bool is_real(const SubspaceBasis& basis) {
  return std::ranges::all_of(basis.vectors.span(), [](const std::complex<double>& value) { return value.imag() == 0; });
}

// Maps are made of all frames, whose data are copied for them.
void add_coil_maps(const Context& ctx, recon::MemoryPlan& plan, const Scan& scan, const ScanFrame& first, Index coils,
                   const ReconOptions& all) {
  recon::MemoryPlan making;
  making.hold(plan.held());
  if (recon::joins_frames(scan, first, all)) {
    recon::add_joined_maps(ctx, making, scan, first, coils, all, {});
  } else {
    making.add(recon::coil_map_memory(ctx, scan, first, coils, all));
  }
  plan.use(making.peak() - plan.held(), "coil maps");
  plan.hold(coils * scan.image_shape().size() * complex_bytes);
}

// The stages of a slice, beside what is prepared.
void add_slice(const Context& ctx, recon::MemoryPlan& plan, const Scan& scan, const recon::SliceFrames& slice,
               const SubspaceBasis& basis, const ReconOptions& options) {
  const ReconOptions all = recon::with_all_frames(options);
  const Shape image = scan.image_shape();
  const Index components = basis.components();
  const Index coils = recon::coils_used(scan, options);
  const bool on_host = ctx.device().kind == DeviceKind::cpu;
  const Index image_bytes = image.size() * complex_bytes;
  const Index images = components * image_bytes;
  if (on_host && options.signal.weights != nullptr) plan.hold(slice.samples * static_cast<Index>(sizeof(float)));
  plan.add(recon::support_memory(ctx, scan, options));
  add_coil_maps(ctx, plan, scan, *slice.frames.front(), coils, all);
  const Array<double> points = recon::joined_points(ctx, slice);
  const Index points_bytes = on_host ? points.size() * static_cast<Index>(sizeof(double)) : 0;
  const NufftOptions nufft = recon::pair_options(ctx, image, slice.samples, all);
  const NufftMemory spectra = subspace_memory<float>(ctx, points, image, components, coils, is_real(basis), nufft);
  const NufftMemory transform = nufft_memory<float>(ctx, points, image, coils, nufft);
  plan.hold(components * slice.samples * complex_bytes);
  plan.add({spectra.plan, points_bytes + spectra.plan + spectra.planning}, "plan");
  plan.add({transform.plan, points_bytes + transform.plan + transform.planning}, "plan");
  plan.use(spectra.normal + 3 * images, "largest eigenvalue");
  plan.hold(images);
  // The data of some coils on the host and on the device, or their product with a course; their maps.
  const Index at_once = nufft_workload<float>(ctx, image, slice.samples, coils, nufft).coils_at_once;
  const Index data = at_once * slice.samples * complex_bytes;
  plan.use(images + data + std::max(on_host ? data : 0, data + at_once * image_bytes + transform.adjoint),
           "right-hand side");
  plan.hold(images);
  // As of least squares of that many images, whose right-hand side is kept.
  const recon::LeastSquaresSizes sizes{
      .transform = {.normal = spectra.normal}, .voxels = image.size(), .axes = image.rank(), .beside = {}};
  plan.use(options.regularizers.empty() ? recon::least_squares_memory(sizes, components)
                                        : recon::regularized_memory(sizes, components, 1, options).bytes,
           "coefficients");
}

}  // namespace

ReconPlan plan_subspace_reconstruction(const Context& ctx, const Scan& scan, const SubspaceBasis& basis,
                                       const ReconOptions& options) {
  recon::check_subspace(scan, basis, options);
  const ReconOptions all = recon::with_all_frames(options);
  const Shape image = scan.image_shape();
  const std::vector<recon::SliceFrames> slices = recon::frames_of_slices(scan);
  recon::MemoryPlan prepared;
  if (ctx.device().kind == DeviceKind::cpu) {
    prepared.add(recon::prepare_memory(ctx, scan, all, recon::subspace_tiles(all)), "preparation");
    prepared.hold(std::ssize(slices) * basis.components() * image.size() * complex_bytes);
  }
  ReconPlan plan{.limit = recon::usable_memory(ctx),
                 .stage_bytes = {},
                 .solves = std::ssize(slices),
                 .frames_at_once = basis.frames(),
                 .convolution = true,
                 .iterations = options.iterations,
                 .frames = std::ssize(scan.frames)};
  std::set<const Trajectory*> trajectories;
  for (const ScanFrame& frame : scan.frames) trajectories.insert(frame.trajectory.get());
  plan.trajectories = std::ssize(trajectories);
  for (const recon::SliceFrames& slice : slices) {
    recon::MemoryPlan one = prepared;
    add_slice(ctx, one, scan, slice, basis, options);
    if (one.peak() > plan.bytes) plan.stage_bytes = one.stages();
    plan.bytes = std::max(plan.bytes, one.peak());
    const NufftOptions nufft = recon::pair_options(ctx, image, slice.samples, all);
    plan.coils_at_once =
        nufft_workload<float>(ctx, image, slice.samples, recon::coils_used(scan, options), nufft).coils_at_once;
  }
  return plan;
}

Index subspace_reconstruction_memory(const Context& ctx, const Scan& scan, const SubspaceBasis& basis,
                                     const ReconOptions& options) {
  return plan_subspace_reconstruction(ctx, scan, basis, options).bytes;
}

}  // namespace whorl
