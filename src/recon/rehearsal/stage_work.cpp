#include "recon/rehearsal/stage_work.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "op/nufft_workload.hpp"
#include "op/toeplitz.hpp"
#include "recon/encoding/encoding.hpp"
#include "recon/memory.hpp"
#include "recon/subspace/slice_frames.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::recon {

namespace {

struct StageUnits {
  std::string_view stage;
  double (*units)(const Workload&);
};

double solved(const Workload& work) { return work.frames * (work.adjoint + work.applications * work.normal); }
double solved_within(const Workload& work) { return work.slices * work.applications * work.normal; }
double planned(const Workload& work) {
  return work.spectra > 0 ? work.spectra : work.trajectories * work.adjoint / work.own_coils;
}
double per_trajectory(const Workload& work) { return work.trajectories * work.adjoint / work.own_coils; }
double per_slice(const Workload& work) { return work.slices * work.coils * work.voxels; }
double applied_per_slice(const Workload& work) { return work.slices * work.normal; }
// One or two solves of the first frame.
double chosen_by_spectrum(const Workload& work) {
  return work.slices * (work.adjoint + work.applications * work.normal);
}
double of_data(const Workload& work) { return work.samples; }
double of_images(const Workload& work) { return work.frames * work.voxels; }

// Stages that are not here take a part of each image.
constexpr std::array stages{
    StageUnits{"reading", of_data},
    StageUnits{"spilling", of_data},
    StageUnits{"upload", of_data},
    StageUnits{"scattering", of_data},
    StageUnits{"prewhitening", of_data},
    StageUnits{"coil compression", of_data},
    StageUnits{"plan", planned},
    StageUnits{"normal operator", per_trajectory},
    StageUnits{"density compensation", per_trajectory},
    StageUnits{"signal factors", per_slice},
    StageUnits{"signal spectra", per_trajectory},
    StageUnits{"coil maps", per_slice},
    StageUnits{"prior", per_slice},
    StageUnits{"largest eigenvalue", applied_per_slice},
    StageUnits{
        "choice of lambda",
        [](const Workload& work) { return work.by_spectrum ? chosen_by_spectrum(work) : applied_per_slice(work); }},
    StageUnits{"choice of weights", applied_per_slice},
    StageUnits{"certificate", per_slice},
    StageUnits{"conjugate gradient", solved},
    StageUnits{"regularized least squares", solved},
    StageUnits{"nlinv", solved},
    StageUnits{"right-hand side", [](const Workload& work) { return work.slices * work.adjoint; }},
    StageUnits{"coefficients", solved_within},
    StageUnits{"error bars", solved},
    StageUnits{"gridding",
               [](const Workload& work) { return (work.grids ? work.frames : work.slices) * work.adjoint; }},
    StageUnits{"coil combination", [](const Workload& work) { return of_images(work) * work.coils; }},
};

void count_scan(const Scan& scan, Workload& work) {
  std::set<const Trajectory*> trajectories;
  std::set<int> slices;
  for (const ScanFrame& frame : scan.frames) {
    trajectories.insert(frame.trajectory.get());
    slices.insert(frame.index.slice);
  }
  work.trajectories = static_cast<double>(trajectories.size());
  work.slices = static_cast<double>(slices.size());
  work.samples = static_cast<double>(scan.samples() * scan.coils);
}

}  // namespace

Workload workload_of(const Context& ctx, const Scan& scan, const ReconOptions& options, Index ranks) {
  const Shape image = scan.image_shape();
  const Index all_coils = coils_used(scan, options);
  const Index coils = divide_up(all_coils, ranks);
  Workload work{.frames = static_cast<double>(scan.frames.size()),
                .coils = static_cast<double>(all_coils),
                .own_coils = static_cast<double>(coils),
                .voxels = static_cast<double>(image.size()),
                .iterations = static_cast<double>(options.method == ReconMethod::nlinv
                                                      ? options.nlinv.steps * options.nlinv.iterations
                                                      : options.iterations),
                .by_spectrum = options.lambda_search && options.lambda_search->method == LambdaMethod::spectrum,
                .grids = options.method == ReconMethod::gridding};
  work.applications = work.iterations;
  count_scan(scan, work);
  const Index samples = scan.samples() / static_cast<Index>(scan.frames.size());
  if (options.transform == TransformMethod::exact) {  // its normal operator is always a convolution
    work.adjoint = 1e-9 * static_cast<double>(samples) * work.voxels * work.own_coils;
    work.normal = 1e-9 * 10 * work.voxels * work.own_coils;
    return work;
  }
  const NufftWorkload transform =
      nufft_workload<float>(ctx, image, samples, coils, transform_options(ctx, image, samples, options));
  work.adjoint = transform.adjoint_seconds;
  work.normal = transform.normal_seconds;
  return work;
}

Workload subspace_workload(const Context& ctx, const Scan& scan, const SubspaceBasis& basis,
                           const ReconOptions& options, Index ranks) {
  const Shape image = scan.image_shape();
  const Index all_coils = coils_used(scan, options);
  const Index coils = divide_up(all_coils, ranks);
  const Index components = basis.components();
  Workload work{.coils = static_cast<double>(all_coils),
                .own_coils = static_cast<double>(coils),
                .voxels = static_cast<double>(image.size()),
                .iterations = static_cast<double>(options.iterations)};
  work.applications = work.iterations;
  count_scan(scan, work);
  const Index samples = scan.samples() / static_cast<Index>(work.slices);  // of a slice
  work.frames = work.slices * static_cast<double>(components);
  const auto adjoint = [&](const Shape& grid, Index of_coils) {
    return nufft_workload<float>(ctx, grid, samples, of_coils, pair_options(ctx, grid, samples, options))
        .adjoint_seconds;
  };
  const Shape grid = normal_grid(image);
  const Index pairs = components * (components + 1) / 2;
  work.spectra = work.slices * (static_cast<double>(pairs) * adjoint(grid, 1) + adjoint(image, 1));
  work.adjoint = static_cast<double>(components) * adjoint(image, coils);
  work.normal = subspace_seconds(ctx, image, components, coils);
  return work;
}

namespace {

const StageUnits* find(std::string_view stage) {
  return std::find_if(stages.begin(), stages.end(), [&](const StageUnits& of) { return of.stage == stage; });
}

}  // namespace

double units_of(std::string_view stage, const Workload& work) {
  const StageUnits* const found = find(stage);
  return found == stages.end() ? of_images(work) : found->units(work);
}

bool is_solver(std::string_view stage) {
  const StageUnits* const found = find(stage);
  return found != stages.end() && (found->units == solved || found->units == solved_within);
}

bool applies_normal(std::string_view stage) {
  const StageUnits* const found = find(stage);
  return found != stages.end() && (is_solver(stage) || found->units == applied_per_slice);
}

}  // namespace whorl::recon
