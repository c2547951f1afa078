// Contents of KeptPlans.
#pragma once

#include <complex>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "recon/encoding/coil_transform.hpp"
#include "whorl/core/array.hpp"
#include "whorl/recon/kept_plans.hpp"
#include "whorl/recon/options.hpp"
#include "whorl/scan/affine.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl {

/// Maps [coil, (z,) y, x] by slice.
using SliceMaps = std::map<int, Array<std::complex<float>>>;

struct KeptPlans::Plan {
  /// All that determines a transform.
  struct Key {
    std::shared_ptr<const Trajectory> trajectory;
    Shape image;
    Index coils = 0;
    NufftOptions nufft;
    bool exact = false;
    Device device;
  };

  /// Whether this is the plan for the key.
  bool is_for(const Key& other) const;
  /// The plan for the key, or none, and then none is kept. It holds on to the key's trajectory instead of an equal one.
  std::shared_ptr<const recon::CoilTransform> take(const Key& other);
  void keep(Key of, std::shared_ptr<const recon::CoilTransform> made);
  void release();

  Key key;
  std::shared_ptr<const recon::CoilTransform> transform;
  /// The largest eigenvalue of A^H A of each slice's first frame, where later frames come in other reconstructions and share it as
  /// they do within one. None: each reconstruction finds its own.
  std::optional<std::map<int, double>> eigenvalues;
  /// The maps of each slice, kept likewise. Maps of later scans are ignored.
  std::optional<SliceMaps> maps;
  /// Places of the references of each slice by its first frame, kept in the same way.
  std::optional<std::map<int, std::vector<Affine>>> aligned;
};

namespace recon {

/// The maps that reconstructions with these options keep, or none.
SliceMaps* kept_maps(const ReconOptions& options);

}  // namespace recon

}  // namespace whorl
