#include "io/ismrmrd/places/counted_spokes.hpp"

#include <fmt/format.h>
#include <ismrmrd/ismrmrd.h>

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

/// The angles that are stated, or those that the data have where one of the usual orders fits them far better.
SpokeAngles settle_angles(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header,
                          const ScanReadOptions& options, const CountedSpokes& spokes, Index count, Notes& notes) {
  using std::numbers::pi;
  const double period = spokes.sample == 0 ? 2 * pi : pi;
  std::vector<SpokeAngles> orders = possible_angles(count, options, header.trajectory_kind == "goldenangle", period);
  if (orders.size() == 1 || sorted.plan.coils == 0) return std::move(orders.front());
  Index before = 0;
  const auto number_of = [&](Index number) -> std::optional<Index> {
    const AcquisitionCounters& idx = sorted.head(number).idx;
    if (spokes.stacked && idx.kspace_encode_step_2 != spokes.center_2) return std::nullopt;
    return spokes.by_order ? before++ : Index{idx.kspace_encode_step_1};
  };
  const std::size_t found = fitting_angles(probe_spokes(ctx, sorted, spokes.sample, number_of), orders, period);
  if (found != 0) {
    notes.emplace_back(
        fmt::format("Spokes side by side are alike with {} and not with {}, which {}: the first were taken.",
                    orders[found].name, orders.front().name, options.angle ? "were stated" : "are those of the header"),
        NoteKind::doubt);
  }
  return std::move(orders[found]);
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
    const SpokeAngles angles = settle_angles(ctx, sorted, header, options, spokes, count, notes);
    order = angles.name;
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
  std::map<int, std::size_t> in_partition;
  Index sample = 0;
  for (const Index number : frame.acquisitions) {
    const AcquisitionHead& head = heads[static_cast<std::size_t>(number)];
    const std::size_t before = in_partition[spokes.stacked ? head.idx.kspace_encode_step_2 : 0]++;
    const auto& direction = spokes.directions[spokes.by_order ? before : head.idx.kspace_encode_step_1];
    const bool reversed = head.flag(ISMRMRD::ISMRMRD_ACQ_IS_REVERSE);
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
