// What the stages of a reconstruction have to do, in units that grow as their times do.
#pragma once

#include <string_view>

#include "whorl/recon/options.hpp"
#include "whorl/recon/subspace.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::recon {

struct Workload {
  double frames = 0;
  double trajectories = 0;  ///< for each of which the transform is planned
  double slices = 0;
  double coils = 0;          ///< after compression
  double own_coils = 0;      ///< of these, what a rank transforms
  double voxels = 0;         ///< of an image
  double samples = 0;        ///< of all frames, times the coils of the scan
  double adjoint = 0;        ///< A^H of a frame for these, by the model that chooses the NUFFT's grid
  double normal = 0;         ///< A^H A of a frame for these
  double iterations = 0;     ///< of each frame, at most
  double applications = 0;   ///< of A^H A in a solve of each frame
  bool by_spectrum = false;  ///< lambda, from one or two solves; else from many
  bool grids = false;        ///< all frames; else the first of each slice, if any
  double spectra = 0;        ///< of pairs of components of a subspace, by the same model; with it, frames are slices
};

/// With an application for each iteration that the options allow. `ranks`: that share the coils.
Workload workload_of(const Context& ctx, const Scan& scan, const ReconOptions& options, Index ranks = 1);

/// That of a subspace: A^H and A^H A are those of all components and frames of a slice.
Workload subspace_workload(const Context& ctx, const Scan& scan, const SubspaceBasis& basis,
                           const ReconOptions& options, Index ranks = 1);

/// Those of a stage by its name, as Run::time has it.
double units_of(std::string_view stage, const Workload& work);

/// Whether a stage solves for images.
bool is_solver(std::string_view stage);

/// Whether a stage applies A^H A of all coils, which ranks share.
bool applies_normal(std::string_view stage);

}  // namespace whorl::recon
