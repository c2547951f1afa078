// Positions and weights of a frame from its acquisitions: from trajectory columns, or from counters.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "io/ismrmrd/places/centers.hpp"
#include "io/ismrmrd/places/counted_spokes.hpp"
#include "whorl/core/context.hpp"
#include "whorl/core/note.hpp"
#include "whorl/io/ismrmrd.hpp"

namespace whorl::io {

/// How positions are made.
struct PositionRule {
  TrajectoryColumns columns = TrajectoryColumns::automatic;  ///< automatic: none, from the counters (Cartesian)
  int stored_columns = 0;
  std::array<bool, 3> counted{};  ///< axes made of counters: they are in cycles per encoded pixel already
  CounterCenters centers;         ///< of these
  std::optional<CountedSpokes> spokes;
};

/// Chooses the rule and adds a note. `stored` has the trajectory of every frame as stored [sample, column], without elements
/// for those that other readers have (ScanReadOptions::largest_of_all).
/// Throws ValueError for ambiguous columns, Unsupported for no trajectory and not Cartesian.
PositionRule choose_positions(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header,
                              const std::vector<Array<float>>& stored, const ScanReadOptions& options, Notes& notes);

/// Positions [sample, dim] of a frame, in the unit of the file (counted axes: cycles per encoded pixel).
Array<double> make_positions(const Context& ctx, const PositionRule& rule, const EncodingHeader& header,
                             const FramePlan& frame, const std::vector<AcquisitionHead>& heads,
                             const Array<float>& stored);

/// Density weights [sample] of a frame; no elements without weights. Throws ValueError for a negative weight.
Array<float> make_weights(const Context& ctx, const PositionRule& rule, const FramePlan& frame,
                          const Array<float>& stored, const std::string& file);

}  // namespace whorl::io
