// Tiles into which a reconstruction is cut that does not fit into its memory.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "recon/encoding/coil_transform.hpp"
#include "recon/memory_needs.hpp"
#include "recon/run.hpp"

namespace whorl::recon {

/// The tiles with which a reconstruction fits into the context's memory, and what it then needs: the first of these that
/// fits, or else the last. Each comes in addition to those before.
///
///   nothing is spilled
///   the samples                      a GPU gets those of a frame, or for A^H d those of some coils at a time
///   the images of finished frames    a GPU has those of one group
///   the coil maps                    a GPU gets those of some coils at a time, in each A^H A; with the images of coils where
///                                    these make the maps (Walsh's method, NLINV)
///   the images of coils              gridding has those of some coils at a time, and their data
///   the grid of density weights      in a file; of a GPU the weights are made on the host
///   the solver's arrays              those of regularizers; the encoding works on copies of an image and its samples (staged)
///   the making of the spectrum       of A^H A on the doubled grid, which takes most memory in 3D: in that of a GPU's host
///   coils one at a time              gridding and NLINV on a CPU, which takes some together else; gridding and least squares
///                                    of volumes on a GPU, whose memory sets how many it takes else
///   A^H A is a pair of transforms    NLINV: without that spectrum; with coils one at a time where that is no less with several
///   what the transform takes         in files, on a CPU: plan, spectrum and grids of least squares
///
/// Least squares and gridding give the same image, to the last bit: on a CPU spilled arrays lie in files that are read as
/// memory is (mapped_array); on a GPU sums over coils do not depend on the tiles (kernels::CoilSum). A pair of transforms
/// changes the image of NLINV by less than the transform's tolerance, single coils by rounding. Several ranks, and what needs
/// the arrays whole, spill less (may_spill).
MemoryNeeds plan_tiles(const Context& ctx, const Scan& scan, const ReconOptions& options);

/// What is spilled, for people, and its bytes. `solver_bytes`: those of the solver that are.
std::vector<std::pair<std::string, Index>> spilled_bytes(const Context& ctx, const Scan& scan,
                                                         const ReconOptions& options, const Tiles& tiles,
                                                         Index solver_bytes);

/// Says what is spilled, and how many coils are taken at a time where memory sets that: on a CPU a batch is what stays in
/// its cache, and no choice that anybody has to know.
void note_tiles(Run& run, const Scan& scan, const ReconOptions& options, const Tiles& tiles, Index solver_bytes,
                const CoilTransform& transform);

}  // namespace whorl::recon
