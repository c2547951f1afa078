#include "io/ismrmrd/places/positions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/parallel.hpp"
#include "io/ismrmrd/places/counters.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

using Stored = std::vector<Array<float>>;

// The values of the third column, which may be kz or weights.
struct ThirdColumn {
  double largest = 0;
  double least = 0;

  bool is_zero() const { return largest == 0 && least == 0; }
};

ThirdColumn third_column(const Stored& stored, int columns, const ScanReadOptions& options) {
  std::array<double, 2> largest{};  // of the values and of their negatives, beside zero
  for (const Array<float>& frame : stored) {
    for (Index i = 2; i < frame.size(); i += columns) {
      const double value = frame.data()[i];
      largest = {std::max(largest[0], value), std::max(largest[1], -value)};
    }
  }
  if (options.largest_of_all) options.largest_of_all(largest);
  return {largest[0], -largest[1]};
}

TrajectoryColumns detect_columns(const ThirdColumn& third, int columns, bool three_dimensional,
                                 const std::string& file) {
  if (columns == 2) return TrajectoryColumns::xy;
  if (columns == 4) return TrajectoryColumns::xyzw;
  if (columns != 3) {
    throw Unsupported(
        fmt::format("{}: trajectory of {} columns, expected 2 (kx, ky), 3 or 4 (kx, ky, kz, weight); "
                    "name the leading ones by trajectory-columns",
                    file, columns));
  }
  if (three_dimensional) return TrajectoryColumns::xyz;
  if (third.is_zero()) return TrajectoryColumns::xyz;
  if (third.least >= 0) return TrajectoryColumns::xyw;
  throw ValueError(
      fmt::format("{}: the third trajectory column of a 2D encoding is neither all zero nor nowhere "
                  "negative, so it may be kz or something else; say which by trajectory-columns (xy "
                  "leaves it out)",
                  file));
}

void note_columns(TrajectoryColumns columns, int stored, Notes& notes) {
  std::string meaning = has_kz(columns) ? "kx, ky, kz" : "kx, ky";
  if (weight_column(columns) >= 0) meaning += ", density weight";
  notes.emplace_back(
      fmt::format("Trajectory of {} columns taken as {} (by their number and values).", stored, meaning));
}

/// Lines by center sample and counters.
PositionRule cartesian_rule(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header, Notes& notes) {
  if (header.trajectory_kind != "cartesian") {
    throw Unsupported(fmt::format(
        "{}: its acquisitions carry no trajectory and the header's encoding.trajectory is {}, so the positions "
        "of the samples are not known; state the kind that the counters tell (cartesian, radial with an angle, "
        "...), or give the file with positions as trajectory-from",
        sorted.source, header.trajectory_kind));
  }
  check_lines(sorted);
  PositionRule rule;
  rule.counted = {true, true, true};
  notes.emplace_back(fmt::format(
      "No trajectory in the file: Cartesian positions were made of the encoding counters and {}.",
      has_center_samples(sorted) ? "the center sample" : "the middle of each readout (center_sample is not set)"));
  rule.centers = find_centers(ctx, sorted, header, notes);
  const std::vector<Index> numbers = sorted.image_readouts();
  const auto reversed =
      std::count_if(numbers.begin(), numbers.end(), [&](Index number) { return sorted.head(number).is_reversed(); });
  if (reversed > 0) notes.emplace_back(fmt::format("{} readouts are flagged as reversed: kx runs backward.", reversed));
  return rule;
}

/// Cycles per encoded pixel of a counter.
double counted_position(Index counter, Index center, Index pixels) {
  return static_cast<double>(counter - center) / static_cast<double>(pixels);
}

/// The first sample of each acquisition in its frame.
std::vector<Index> first_samples(const FramePlan& frame, const std::vector<AcquisitionHead>& heads) {
  std::vector<Index> first(frame.acquisitions.size());
  for (std::size_t i = 1; i < first.size(); ++i) {
    first[i] = first[i - 1] + heads[static_cast<std::size_t>(frame.acquisitions[i - 1])].kept();
  }
  return first;
}

}  // namespace

PositionRule choose_positions(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header,
                              const Stored& stored, const ScanReadOptions& options, Notes& notes) {
  const int columns = sorted.plan.trajectory_dimensions;
  const std::string& file = sorted.source;
  if (is_spokes(options.kind)) {
    PositionRule rule;
    rule.counted = {true, true, true};
    rule.spokes = count_spokes(ctx, sorted, header, options, notes);
    return rule;
  }
  if (columns == 0) return cartesian_rule(ctx, sorted, header, notes);
  const bool three_dimensional = header.dim() == 3;
  // In 3D it is what it is.
  const ThirdColumn third = columns < 3 || three_dimensional ? ThirdColumn() : third_column(stored, columns, options);
  TrajectoryColumns asked = options.trajectory_columns;
  if (asked == TrajectoryColumns::automatic) asked = header.columns;
  const bool said = asked != TrajectoryColumns::automatic;
  if (said && column_count(asked) > columns) {
    throw ValueError(
        fmt::format("{}: trajectory columns {} were stated, the file has {}", file, to_string(asked), columns));
  }
  PositionRule rule;
  rule.stored_columns = columns;
  rule.columns = said ? asked : detect_columns(third, columns, three_dimensional, file);
  if (!said) note_columns(rule.columns, columns, notes);
  if (!three_dimensional && has_kz(rule.columns)) {
    if (!third.is_zero()) {
      throw ValueError(
          fmt::format("{}: kz is not zero, but the encoded matrix has one pixel along z; state other "
                      "trajectory-columns (xy leaves kz out)",
                      file));
    }
    notes.emplace_back("kz is zero everywhere and was left out (2D encoding).");
  }
  if (three_dimensional && !has_kz(rule.columns)) {
    rule.counted[2] = true;
    rule.centers.steps[1] = find_step(ctx, sorted, header, 2, notes);
    notes.emplace_back("3D encoding without kz: it was made of kspace_encode_step_2 (stack).");
  }
  return rule;
}

Array<double> make_positions(const Context& ctx, const PositionRule& rule, const EncodingHeader& header,
                             const FramePlan& frame, const std::vector<AcquisitionHead>& heads,
                             const Array<float>& stored) {
  if (rule.spokes) return spoke_positions(ctx, *rule.spokes, header, frame, heads);
  const int dim = header.dim();
  Array<double> positions(ctx, {frame.samples, dim});
  const auto k = positions.view<2>();
  const auto& matrix = header.encoded.matrix;
  const std::vector<Index> first_sample = first_samples(frame, heads);
  detail::parallel_for(ctx, "positions", 0, std::ssize(frame.acquisitions), [&](Index acquisition) {
    const auto place = static_cast<std::size_t>(acquisition);
    const AcquisitionHead& head = heads[static_cast<std::size_t>(frame.acquisitions[place])];
    const Index length = head.number_of_samples;
    const bool reversed = head.is_reversed();
    Index center = rule.centers.sample.value_or(head.center_sample);
    if (reversed && rule.centers.reversed_as_stored) center = length - 1 - center;
    const double ky = counted_position(head.idx.kspace_encode_step_1, rule.centers.steps[0], matrix[1]);
    const double kz = counted_position(head.idx.kspace_encode_step_2, rule.centers.steps[1], matrix[2]);
    for (Index i = 0, sample = first_sample[place]; i < head.kept(); ++i, ++sample) {
      const Index along = reversed ? length - 1 - head.discard_pre - i : head.discard_pre + i;
      const std::array<double, 3> counted{counted_position(along, center, matrix[0]), ky, kz};
      for (int axis = 0; axis < dim; ++axis) {
        k(sample, axis) = rule.counted[static_cast<std::size_t>(axis)]
                              ? counted[static_cast<std::size_t>(axis)]
                              : stored.data()[sample * rule.stored_columns + axis];
      }
    }
  });
  return positions;
}

Array<float> make_weights(const Context& ctx, const PositionRule& rule, const FramePlan& frame,
                          const Array<float>& stored, const std::string& file) {
  const int column = weight_column(rule.columns);
  if (column < 0) return {};
  Array<float> weights(ctx, {frame.samples});
  for (Index sample = 0; sample < frame.samples; ++sample) {
    const float weight = stored.data()[sample * rule.stored_columns + column];
    if (!(weight >= 0)) {
      throw ValueError(
          fmt::format("{}: density weight of sample {} is {}, expected a number >= 0; column {} may be "
                      "something else: state trajectory-columns",
                      file, sample, weight, column + 1));
    }
    weights.data()[sample] = weight;
  }
  return weights;
}

}  // namespace whorl::io
