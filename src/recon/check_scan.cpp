#include "recon/check_scan.hpp"

#include <fmt/format.h>

#include "recon/encoding/known_normals.hpp"
#include "recon/encoding/signal_model.hpp"
#include "recon/field_of_view.hpp"
#include "recon/frame_groups.hpp"
#include "recon/joined/check_joined.hpp"
#include "recon/methods/entry.hpp"
#include "recon/quality/error_bars.hpp"
#include "whorl/core/error.hpp"
#include "whorl/recon/option_tables.hpp"

namespace whorl::recon {

namespace {

// Name of the scan in messages: its file, if it is from one.
std::string name_of(const Scan& scan) { return scan.source.empty() ? "reconstruction: the scan" : scan.source; }

void check_maps(const Scan& scan) {
  if (scan.coil_maps.size() == 0) {
    throw ValueError(name_of(scan) +
                     ": no coil maps came with the scan; name a file of maps, or estimate them (espirit)");
  }
  const auto slices = static_cast<Index>(frames_of_slices(scan).size());
  const Index planes = scan.dim() == 2 ? slices : scan.matrix[2];
  const Shape expected{scan.coils, planes, scan.matrix[1], scan.matrix[0]};
  if (slices > 1 && scan.coil_maps.shape() == Shape{scan.coils, scan.matrix[2], scan.matrix[1], scan.matrix[0]}) {
    throw ValueError(name_of(scan) + ": coil maps of one slice for a scan of several; estimate them (espirit)");
  }
  if (scan.coil_maps.shape() != expected) {
    throw ShapeError(fmt::format("{}: coil maps of shape {}, expected [coil, z, y, x] = {}", name_of(scan),
                                 to_string(scan.coil_maps.shape()), to_string(expected)));
  }
}

}  // namespace

void check_frames(const Scan& scan, const ReconOptions& options) {
  const bool may_lack =
      options.resources.frame_data || (options.resources.ranks != nullptr && options.resources.ranks->size() > 1);
  for (const ScanFrame& frame : scan.frames) {
    if (frame.trajectory == nullptr)
      throw ValueError(name_of(scan) + ": a frame without a trajectory, expected one in each");
    const Shape expected{scan.coils, frame.trajectory->samples()};
    if (frame.trajectory->dim() != scan.dim()) {
      throw ShapeError(fmt::format("{}: a trajectory of {} dimensions for an image of {}", name_of(scan),
                                   frame.trajectory->dim(), to_string(scan.image_shape())));
    }
    // Other ranks have its data, or they are read later.
    const bool elsewhere = may_lack && frame.data.shape() == Shape{scan.coils, 0};
    if (frame.data.shape() != expected && !elsewhere) {
      throw ShapeError(fmt::format("{}: data of shape {} for a trajectory and coils of {}", name_of(scan),
                                   to_string(frame.data.shape()), to_string(expected)));
    }
  }
}

void check_scan(const Scan& scan, const ReconOptions& options) {
  if (scan.frames.empty()) throw ValueError(name_of(scan) + ": holds no frames to reconstruct");
  if (scan.coils == 0) {
    throw ValueError(name_of(scan) +
                     ": holds a trajectory and no data; give a scan, or simulate one (whorl phantom -t, phantom_scan)");
  }
  check_options(options);
  if (options.resources.ranks != nullptr && options.resources.ranks->size() > 1 &&
      (method_of(options).makes_maps || options.keep_maps || options.regularized.keep_parts)) {
    throw Unsupported(
        "reconstruction: nlinv, and to keep coil maps or the parts of images, are the work of one process or GPU; "
        "start "
        "one, or use cg-sense without kept maps and parts");
  }
  method_of(options).check(scan, options);
  check_support(options);
  if (options.virtual_coils > scan.coils) {
    throw ValueError(fmt::format("coil compression: {} virtual coils of {}; expected 1 to {}, or 0 to keep all",
                                 options.virtual_coils, scan.coils, scan.coils));
  }
  if (options.coil_maps == CoilMapMethod::nlinv && !method_of(options).makes_maps && options.nlinv.sets > 1) {
    throw ValueError(fmt::format("coil maps: {} sets of nlinv, expected one; several belong to the method nlinv",
                                 options.nlinv.sets));
  }
  if (options.filter) {
    options.filter->check({count_of_images(scan, options), scan.matrix[2], scan.matrix[1], scan.matrix[0]});
  }
  if (options.coil_maps == CoilMapMethod::file) check_maps(scan);
  check_frames(scan, options);
  check_signal(scan, options);
  check_error_bars(scan, options);
  if (options.resources.normals != nullptr) check_normals(scan, *options.resources.normals);
  check_joined(scan, options);
  for (const JointScan& one : options.joint) check_scan(*one.scan, options_of(options, one));
}

}  // namespace whorl::recon
