#include "recon/encoding/reference_at.hpp"

#include <map>

#include "prior/resample_at.hpp"
#include "whorl/scan/affine.hpp"

namespace whorl::recon {

namespace {

/// The place of a slice among those of the scan, by their counters; -1 where positions do not tell slices apart, or there
/// are not `count` of them.
Index slice_number(const Scan& scan, const Geometry& place, Index count) {
  std::map<int, Geometry> slices;
  for (const ScanFrame& frame : scan.frames) slices.emplace(frame.index.slice, frame.geometry);
  if (static_cast<Index>(slices.size()) != count) return -1;
  Index number = -1;
  Index next = 0;
  for (const auto& [counter, geometry] : slices) {
    if (geometry == place && number >= 0) return -1;
    if (geometry == place) number = next;
    ++next;
  }
  return number;
}

}  // namespace

ResampledReference reference_at(const Context& ctx, const Scan& scan, const Geometry& place,
                                const ReferenceImage& reference, const Affine* aligned) {
  if (aligned != nullptr) {
    ResampledReference moved = prior::resample_at(ctx, reference, *aligned, place, scan.matrix);
    prior::check_covered(moved, reference, place);
    return moved;
  }
  const Array<float>& values = reference.values;
  const bool placed = reference.affine.in_scanner && voxel_affine(place, scan.matrix).in_scanner;
  if (!placed && scan.dim() == 2 && values.rank() == 3) {
    const Index slice = slice_number(scan, place, values.extent(0));
    if (slice >= 0) {
      const ReferenceImage one{reference.source, clone(ctx.host(), values.slice(slice)), reference.affine};
      return resample(ctx, one, place, scan.matrix);
    }
  }
  return resample(ctx, reference, place, scan.matrix);
}

}  // namespace whorl::recon
