// A scan of a request, from what was read to the frames that are reconstructed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "whorl/core/note.hpp"
#include "whorl/io/measurement_facts.hpp"
#include "whorl/job/corrections.hpp"
#include "whorl/job/request.hpp"
#include "whorl/prior/reference_image.hpp"
#include "whorl/recon/joint_scan.hpp"
#include "whorl/scan/self_gating.hpp"

namespace whorl::job {

struct FramedScan {
  GatedScan framed;
  Corrected corrected;  ///< what was undone
  bool moved = false;   ///< to the place of another scan
};

/// Reads the scan of a request from its file, with what the outputs need to know of the measurement. Throws as read_scan.
Scan read_file(const Context& ctx, ReconRequest& request, MeasurementFacts& facts);

/// The first of several scans that are solved together, to whose place the others are moved.
struct FirstScan {
  const Scan& scan;
  std::optional<ReferenceImage> image{};  ///< first_image, where the object of the others is aligned with it
};

/// Undoes what the request says and makes the frames. The request's signal gets the field and the weights of the samples; its
/// spilling, where the frames lie in files. `data_in_file`: the data do. `first`: to whose place the frames are moved.
FramedScan framed_scan(const Context& ctx, ReconRequest& request, Scan whole, const MeasurementFacts& facts,
                       bool data_in_file, const FirstScan* first = nullptr);

/// Maps of the signal during the readout, of the request's files.
void read_signal_maps(const Context& ctx, ReconRequest& request);

/// The name of a scan in the places of {}, in all names of files that are read beside it.
void name_after_scan(ReconRequest& request, const FileOr<Scan>& scan);

/// The further scans of a request whose names have {} still, at the place of the first one. Their notes, with their names, go
/// to `notes`.
/// Throws  ValueError (a scan at another place with coil maps of its own), and as read_scan, correct, make_frames and align_scan
std::vector<JointScan> read_joint_scans(const Context& ctx, const ReconRequest& request, const Scan& first,
                                        Notes& notes);

}  // namespace whorl::job
