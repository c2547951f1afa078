// Spokes whose directions follow from the counters of the acquisitions.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/ismrmrd/probe.hpp"
#include "whorl/core/array.hpp"
#include "whorl/core/note.hpp"
#include "whorl/io/ismrmrd.hpp"

namespace whorl::io {

struct CountedSpokes {
  std::vector<std::array<double, 3>> directions;  ///< by number of the spoke
  bool by_order = false;        ///< kspace_encode_step_1 is the same everywhere: the order in the frame counts
  bool stacked = false;         ///< kz from kspace_encode_step_2
  std::optional<Index> sample;  ///< the center, as CounterCenters::sample
  Index center_2 = 0;
  std::map<FrameIndex, Index> first;  ///< the first spoke of frames that go on from those before; not listed: 0
};

/// True for kinds of spokes.
bool is_spokes(CountedKind kind);
/// True for spokes in all directions of space.
bool is_solid(CountedKind kind);

/// The spokes of the kind and order in the options. Spokes from the center have angles over a whole turn. Notes what was found.
/// Throws ValueError for a kind that does not fit the dimensions of the encoding.
CountedSpokes count_spokes(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header,
                           const ScanReadOptions& options, Notes& notes);

/// Positions [sample, dim] of a frame, in cycles per encoded pixel along x, which is that of all axes of the spokes.
Array<double> spoke_positions(const Context& ctx, const CountedSpokes& spokes, const EncodingHeader& header,
                              const FramePlan& frame, const std::vector<AcquisitionHead>& heads);

}  // namespace whorl::io
