#include "io/ismrmrd/places/counted_spokes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "io/ismrmrd/places/centers.hpp"
#include "io/ismrmrd/places/spoke_fit.hpp"
#include "whorl/core/error.hpp"
#include "whorl/trajectory/kooshball.hpp"

namespace whorl::io {

namespace {

void check_dimensions(CountedKind kind, const SortedFile& sorted, int dim) {
  if (kind == CountedKind::radial || dim == 3) return;
  throw ValueError(
      fmt::format("{}: the kind that was stated is of 3D scans, the encoding is 2D: its encoded matrix has one "
                  "pixel along z, or all readouts are of one partition",
                  sorted.source));
}

/// Number of spokes, of each partition: by the counter, or by the order in the frame.
Index spokes_of(const SortedFile& sorted, const EncodingHeader& header, bool stacked, bool& by_order) {
  const std::vector<Index> numbers = sorted.image_readouts();
  const auto step = [&](Index number) { return sorted.head(number).idx.kspace_encode_step_1; };
  by_order =
      std::all_of(numbers.begin(), numbers.end(), [&](Index number) { return step(number) == step(numbers[0]); });
  Index count = by_order ? 1 : header.steps_1.value_or(1);
  if (!by_order) {
    for (const Index number : numbers) count = std::max(count, Index{step(number)} + 1);
    return count;
  }
  for (const FramePlan& frame : sorted.plan.frames) {
    std::map<int, Index> in_partition;
    for (const Index number : frame.acquisitions) {
      count = std::max(count, ++in_partition[stacked ? sorted.head(number).idx.kspace_encode_step_2 : 0]);
    }
  }
  return count;
}

constexpr std::size_t most_probed = 256;

/// The readouts of a frame whose spokes show angles, those of the middle partition in a stack; the frame begins with spoke `first`.
void add_numbered(const SortedFile& sorted, const CountedSpokes& spokes, const FramePlan& frame, Index first,
                  std::size_t most, std::vector<NumberedReadout>& readouts) {
  Index before = first;
  for (const Index number : frame.acquisitions) {
    const AcquisitionCounters& idx = sorted.head(number).idx;
    if (spokes.stacked && idx.kspace_encode_step_2 != spokes.center_2) continue;
    if (readouts.size() == most) return;
    readouts.push_back({number, spokes.by_order ? before++ : first + Index{idx.kspace_encode_step_1}});
  }
}

/// The angles that are stated, or those that the data have where one of the usual orders fits them far better.
SpokeAngles settle_angles(const Context& ctx, const SortedFile& sorted, std::vector<SpokeAngles> orders,
                          const CountedSpokes& spokes, double period, bool stated, Notes& notes) {
  if (orders.size() == 1 || sorted.plan.coils == 0) return std::move(orders.front());
  std::vector<NumberedReadout> readouts;
  add_numbered(sorted, spokes, sorted.plan.frames.front(), 0, most_probed, readouts);
  const std::size_t found = fitting_angles(probe_spokes(ctx, sorted, spokes.sample, readouts), orders, period);
  if (found != 0) {
    notes.emplace_back(
        fmt::format("Spokes side by side are alike with {} and not with {}, which {}: the first were taken.",
                    orders[found].name, orders.front().name, stated ? "were stated" : "are those of the header"),
        NoteKind::doubt);
  }
  return std::move(orders[found]);
}

/// The place of each frame among those of its slice, contrast and set, in the order in which they begin.
std::map<FrameIndex, Index> places_in_series(const AcquisitionPlan& plan) {
  std::vector<const FramePlan*> in_time;
  for (const FramePlan& frame : plan.frames) in_time.push_back(&frame);
  std::ranges::stable_sort(in_time, {}, [](const FramePlan* frame) { return frame->acquisitions.front(); });
  std::map<FrameIndex, Index> frames_of_series;
  std::map<FrameIndex, Index> places;
  for (const FramePlan* frame : in_time) {
    FrameIndex series = frame->index;
    series.phase = series.repetition = 0;
    places[frame->index] = frames_of_series[series]++;
  }
  return places;
}

/// Whether kspace_encode_step_1 goes on in a frame behind that of an earlier one.
bool counts_on(const SortedFile& sorted, const FramePlan& earlier, const FramePlan& later) {
  const auto step = [&](Index number) { return sorted.head(number).idx.kspace_encode_step_1; };
  return step(std::ranges::min(later.acquisitions, {}, step)) > step(std::ranges::max(earlier.acquisitions, {}, step));
}

/// Lets the angles of `spokes`, `count` of each frame, go on from frame to frame where spokes side by side are far more alike then.
void settle_series(const Context& ctx, const SortedFile& sorted, Index count, double period, SpokeAngles& angles,
                   CountedSpokes& spokes, Notes& notes) {
  std::map<FrameIndex, Index> places = places_in_series(sorted.plan);
  const FramePlan& first = sorted.plan.frames.front();
  const auto second = std::ranges::find_if(sorted.plan.frames, [&](const FramePlan& frame) {
    FrameIndex same = frame.index;
    same.phase = first.index.phase;
    same.repetition = first.index.repetition;
    return places[frame.index] == 1 && same == first.index;
  });
  if (second == sorted.plan.frames.end() || places[first.index] != 0 || sorted.plan.coils == 0) return;
  if (!spokes.by_order && counts_on(sorted, first, *second)) return;
  // All spokes of angles that go on are taken, but for those of a last frame. A stray counter would make the list as long as it says.
  const Index frames = 1 + std::ranges::max_element(places, {}, [](const auto& place) { return place.second; })->second;
  if (count * frames > 2 * std::ssize(sorted.image_readouts())) return;
  std::vector<NumberedReadout> readouts;
  add_numbered(sorted, spokes, first, 0, most_probed / 2, readouts);
  add_numbered(sorted, spokes, *second, count, most_probed, readouts);
  SpokeAngles longer{angles.name, angles.of_more(count * frames), angles.of_more};
  SpokeAngles again = longer;
  for (auto i = static_cast<std::size_t>(count); i < again.turns.size(); ++i) {
    again.turns[i] = again.turns[i - static_cast<std::size_t>(count)];
  }
  if (fitting_angles(probe_spokes(ctx, sorted, spokes.sample, readouts), {again, longer}, period) == 0) return;
  for (auto& [index, place] : places) place *= count;
  spokes.first = std::move(places);
  angles = std::move(longer);
  notes.emplace_back("The angles go on from frame to frame: spokes side by side are far more alike then.",
                     NoteKind::doubt);
}

}  // namespace

bool is_spokes(CountedKind kind) { return kind != CountedKind::automatic && kind != CountedKind::cartesian; }

bool is_solid(CountedKind kind) { return kind == CountedKind::kooshball || kind == CountedKind::phyllotaxis; }

CountedSpokes count_spokes(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header,
                           const ScanReadOptions& options, Notes& notes) {
  const int dim = header.dim();
  check_dimensions(options.kind, sorted, dim);
  const bool solid = is_solid(options.kind);
  CountedSpokes spokes;
  spokes.stacked = dim == 3 && !solid;
  const Index count = spokes_of(sorted, header, spokes.stacked, spokes.by_order);
  if (!has_center_samples(sorted)) spokes.sample = find_spoke_center(ctx, sorted, header);
  if (spokes.stacked) spokes.center_2 = find_step(ctx, sorted, header, 2, notes);
  const bool center_out = spokes.sample == 0;
  std::string order;
  if (solid) {
    const bool golden = options.kind == CountedKind::kooshball;
    spokes.directions = kooshball_directions(
        count,
        {.order = golden ? KooshballOrder::golden_means : KooshballOrder::phyllotaxis, .center_out = center_out});
    order = golden ? "golden means" : "a spiral phyllotaxis";
  } else {
    const double period = center_out ? 2 * std::numbers::pi : std::numbers::pi;
    SpokeAngles angles =
        settle_angles(ctx, sorted, possible_angles(count, options, header.trajectory_kind == "goldenangle", period),
                      spokes, period, options.angle.has_value(), notes);
    order = angles.name;
    if (angles.of_more) settle_series(ctx, sorted, count, period, angles, spokes, notes);
    for (const double turn : angles.turns) spokes.directions.push_back({std::cos(turn), std::sin(turn), 0});
  }
  notes.emplace_back(fmt::format("Positions were made of the counters: {} spokes {} the center in {}, numbered by {}.",
                                 count, center_out ? "from" : "through", order,
                                 spokes.by_order ? "their order in the frame" : "kspace_encode_step_1"));
  return spokes;
}

Array<double> spoke_positions(const Context& ctx, const CountedSpokes& spokes, const EncodingHeader& header,
                              const FramePlan& frame, const std::vector<AcquisitionHead>& heads) {
  const int dim = header.dim();
  Array<double> positions(ctx, {frame.samples, dim});
  const auto k = positions.view<2>();
  std::map<int, Index> in_partition;
  const auto first = spokes.first.find(frame.index);
  const Index begin = first == spokes.first.end() ? 0 : first->second;
  Index sample = 0;
  for (const Index number : frame.acquisitions) {
    const AcquisitionHead& head = heads[static_cast<std::size_t>(number)];
    const Index before = in_partition[spokes.stacked ? head.idx.kspace_encode_step_2 : 0]++;
    const Index spoke = begin + (spokes.by_order ? before : Index{head.idx.kspace_encode_step_1});
    if (spoke >= std::ssize(spokes.directions)) {  // of a later part of a measurement
      throw IoError(
          fmt::format("spoke {} is beyond the {} that the header and the first readouts told of; state the maximum of "
                      "encodingLimits.kspace_encoding_step_1",
                      spoke, spokes.directions.size()));
    }
    const auto& direction = spokes.directions[static_cast<std::size_t>(spoke)];
    const bool reversed = head.is_reversed();
    const Index center = spokes.sample.value_or(head.center_sample);
    for (Index i = head.discard_pre; i < head.discard_pre + head.kept(); ++i, ++sample) {
      const Index along = reversed ? head.number_of_samples - 1 - i : i;
      const double radius = static_cast<double>(along - center) / static_cast<double>(header.encoded.matrix[0]);
      for (int axis = 0; axis < dim; ++axis) k(sample, axis) = radius * direction[static_cast<std::size_t>(axis)];
      if (spokes.stacked) {
        k(sample, 2) = static_cast<double>(head.idx.kspace_encode_step_2 - spokes.center_2) /
                       static_cast<double>(header.encoded.matrix[2]);
      }
    }
  }
  return positions;
}

}  // namespace whorl::io
