// The subspace of `whorl recon`.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "cli/options/table_options.hpp"
#include "whorl/recon/subspace.hpp"

namespace whorl::cli {

/// What a basis is made from.
enum class SubspaceSource { none, t2, t1, frames };

struct SubspaceRequest {
  std::string file;                              ///< with a basis [frame, component]
  SubspaceSource from = SubspaceSource::none;    ///< in the place of a file
  Index rank = 4;                                ///< components
  std::array<double, 2> relaxation_ms{10, 500};  ///< of the dictionary
  Index resolution = 16;                         ///< of the frames that make a basis
  std::string saved;                             ///< file to write the basis to
  std::string frames;                            ///< file to write the frames to

  bool any() const { return !file.empty() || from != SubspaceSource::none; }
};

void add_subspace_options(App& app, SubspaceRequest& request, const ReconOptions& recon);

/// Where the images will lie: those of the scan's frames, or with a subspace of the components of each slice.
std::vector<ImageFrame> image_frames(const SubspaceRequest& request, const Scan& scan);

/// The basis for the frames of a scan. Collective: the first rank makes it for all.
SubspaceBasis subspace_basis(const Context& ctx, Communicator& ranks, const SubspaceRequest& request, const Scan& scan);

/// All frames of the coefficients, slice by slice [slice and frame, z, y, x], and their places.
struct SubspaceFrames {
  Array<std::complex<float>> images;
  std::vector<ImageFrame> frames;
};
SubspaceFrames all_subspace_frames(const Context& ctx, const Reconstruction& coefficients, const SubspaceBasis& basis);

Parameters describe(const SubspaceRequest& request);

}  // namespace whorl::cli
