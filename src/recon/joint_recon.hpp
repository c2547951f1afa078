// Images and coil maps together (NLINV), and the coil maps that a result gives.
#pragma once

#include <complex>
#include <vector>

#include "recon/encoding/coil_transform.hpp"
#include "recon/memory_needs.hpp"
#include "recon/run.hpp"
#include "recon/tiles/spill.hpp"
#include "whorl/calib/nlinv.hpp"
#include "whorl/recon/reconstruction.hpp"

namespace whorl::recon {

/// The solver of the frames of a slice. `spill`: where its arrays of all coils go. Then a CPU takes as many coils at a time as
/// the transform does, so that the result has the same bits, and a GPU one. `support`: as support_at; null: everywhere.
Nlinv<float> joint_solver(const Run& run, const Shape& image, Index coils, const CoilTransform& transform,
                          const ReconOptions& options, const Spill* spill, std::shared_ptr<const Array<float>> support);

/// What it takes on the context's device for a frame, with what the transform needs to be applied.
Index joint_memory(const Context& ctx, const Shape& image, const ScanFrame& frame, Index coils,
                   const NufftMemory& transform, const ReconOptions& options, const Tiles& tiles);

/// One frame: its image, with several sets their images in `sets` [set, (z,) y, x], and how the steps went. The joint
/// solution starts from the frame before.
SolverReport joint_image(Run& run, Nlinv<float>& joint, const LinearOperator<float>& transform, const ScanFrame& frame,
                         ArrayRef<std::complex<float>> image, ArrayRef<std::complex<float>> sets);

/// The place of a frame's images of the sets among those of all frames [frame, set, (z,) y, x], on the host, which are made
/// for the first one; of one set nothing. `images`: [frame, (z,) y, x].
ArrayRef<std::complex<float>> sets_of(const Run& run, const Shape& images, Index sets, Index frame,
                                      Array<std::complex<float>>& all);

/// The coil maps of slices, one after another, on the host.
class KeptMaps {
 public:
  /// Adds the maps of a slice, [(set,) coil, (z,) y, x], on the run's device.
  void add(const Run& run, ArrayRef<const std::complex<float>> maps);
  /// [slice, set, coil, z, y, x] for a volume [z, y, x]; empty where there are none.
  Array<std::complex<float>> take(const Run& run, Index coils, const Shape& volume);

 private:
  std::vector<Array<std::complex<float>>> slices_;
};

}  // namespace whorl::recon
