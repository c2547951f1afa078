#include "whorl/correct/play_gradients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "whorl/core/error.hpp"

namespace whorl {

namespace {

// Frames whose readouts are played alike.
struct Play {
  std::shared_ptr<const Trajectory> nominal;
  Geometry geometry;
  PlayedTrajectory played;
  std::shared_ptr<const Trajectory> moved;
};

ReadoutPlay play_of(const Scan& scan, const Geometry& geometry, double dwell_us, bool has_field) {
  ReadoutPlay play{.dwell_us = dwell_us,
                   .directions = {geometry.read_direction, geometry.phase_direction, geometry.slice_direction}};
  const auto dim = static_cast<std::size_t>(scan.dim());
  const auto& extent = geometry.field_of_view_mm;
  if (std::all_of(extent.begin(), extent.begin() + scan.dim(), [](double mm) { return mm > 0; })) {
    for (std::size_t axis = 0; axis < dim; ++axis) {
      play.pixel_mm[axis] = extent[axis] / static_cast<double>(scan.matrix[axis]);
    }
  } else if (has_field) {
    throw ValueError(
        "gradient response: its field takes gradients in mT/m, and the scan does not say its field of view; leave the "
        "field out, or repair the scan");
  }
  return play;
}

void undo_field(ScanFrame& frame, const Array<double>& turns) {
  const auto data = frame.data.view<2>();
  for (Index sample = 0; sample < data.extent(1); ++sample) {
    const std::complex<float> factor(std::polar(1.0, 2 * std::numbers::pi * turns.data()[sample]));
    for (Index coil = 0; coil < data.extent(0); ++coil) data(coil, sample) *= factor;
  }
}

}  // namespace

void play_gradients(const Context& ctx, Scan& scan, const GradientResponse& response, std::optional<double> dwell_us,
                    const GradientLead& lead) {
  const double dwell = dwell_us.value_or(scan.dwell_us);
  std::vector<Play> plays;
  double largest = 0;
  double most_turns = 0;
  ProgressStage progress(ctx, "gradient response", static_cast<Index>(scan.frames.size()));
  for (ScanFrame& frame : scan.frames) {
    auto found = std::find_if(plays.begin(), plays.end(), [&](const Play& play) {
      return play.nominal == frame.trajectory && play.geometry == frame.geometry;
    });
    if (found == plays.end()) {
      PlayedTrajectory made =
          played(ctx, *frame.trajectory, response, play_of(scan, frame.geometry, dwell, response.has_field()), lead);
      largest = std::max(largest, made.largest_shift);
      for (const double turns : made.turns.span()) most_turns = std::max(most_turns, std::abs(turns));
      auto moved = std::make_shared<const Trajectory>(std::move(made.trajectory));
      found = plays.insert(found, {frame.trajectory, frame.geometry, std::move(made), std::move(moved)});
    }
    if (response.has_field()) undo_field(frame, found->played.turns);
    frame.trajectory = found->moved;
    progress.advance();
  }
  const auto longest = static_cast<double>(*std::max_element(scan.matrix.begin(), scan.matrix.end()));
  std::string field;
  if (response.has_field()) field = fmt::format("; its field turned the signal by up to {:.3g} turns", most_turns);
  scan.notes.emplace_back(fmt::format("Gradient response: samples moved by up to {:.3g} cycles per field of view{}.",
                                      largest * longest, field));
}

}  // namespace whorl
