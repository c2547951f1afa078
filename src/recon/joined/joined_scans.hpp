// Several scans of one object that are solved together: the coils of all are one set, and each has the trajectory of its scan.
#pragma once

#include <complex>
#include <deque>
#include <utility>
#include <vector>

#include "recon/encoding/calibrate.hpp"
#include "recon/encoding/encoding.hpp"
#include "recon/run.hpp"

namespace whorl::recon {

/// The scans of a reconstruction, where it is one of several.
class JoinedScans {
 public:
  /// The further scans of the options, copied on the host, with their frames in the order of those of `first`.
  JoinedScans(const Context& ctx, const Scan& first, const ReconOptions& options, const Tiles& tiles);

  bool any() const { return !parts_.empty(); }

  /// Prepares the further scans as the run has prepared the first, in its unit. Then makes one scan of all: each frame has the
  /// positions and the data of all scans, one after another, and the encodings are those of all.
  /// Throws  ValueError (a scan whose noise is not known, where they are prewhitened), and as recon::prepare
  void join(Run& run, Scan& first, Encodings& encodings);

  /// The maps of a frame's slice, of all coils, as recon::coil_maps makes those of one scan.
  CoilMaps coil_maps(Run& run, std::size_t frame, const ReconOptions& options, const Array<float>* support) const;

 private:
  // Stays where it is: its encodings refer to the rest.
  struct Part {
    Part(Scan of, ReconOptions how, const Tiles& tiles)
        : scan(std::move(of)), options(std::move(how)), encodings(scan, options, tiles) {}

    Scan scan;
    ReconOptions options;
    Encodings encodings;
  };

  void prepare_others(Run& run);
  void check_noise(const Run& run, const Scan& scan, const ReconOptions& options) const;
  Array<std::complex<float>> joined_data(const Context& ctx, std::size_t frame);

  std::deque<Part> parts_;  // the first is that of the call
  Tiles tiles_;
};

}  // namespace whorl::recon
