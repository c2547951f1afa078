#include "io/ismrmrd/extents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include "io/ismrmrd/places/centers.hpp"
#include "io/ismrmrd/places/counted_spokes.hpp"
#include "whorl/core/integer.hpp"
#include "whorl/scan/header_notes.hpp"

namespace whorl::io {

namespace {

constexpr std::size_t probed = 16;  // readouts that show the extent of the object
constexpr Index enough_steps = 16;  // side by side, that show it across the readouts

/// What the data show of samples beyond the encoded matrix.
enum class Beyond { oversampled, finer, unknown };

Beyond shown_by(bool within) { return within ? Beyond::oversampled : Beyond::finer; }

const char* reason(Beyond beyond) {
  if (beyond == Beyond::oversampled) return "the object lies within the inner part, so they are oversampled";
  if (beyond == Beyond::finer) return "the object lies outside of the inner part too, so the pixels are finer";
  return "they were taken as oversampled, since the data do not show the extent of the object along them";
}

/// Makes the encoded matrix as large as what was sampled along an axis, and says so.
void widen(EncodingHeader& header, std::size_t axis, Index extent, Beyond beyond, const char* what) {
  const bool oversampled = beyond != Beyond::finer;
  const Index pixels = header.encoded.matrix[axis];
  double& field = header.encoded.field_of_view_mm[axis];
  const double factor = static_cast<double>(extent) / static_cast<double>(pixels);
  const double pixel = field / static_cast<double>(pixels);
  const double image_pixel = header.field_of_view_mm[axis] / static_cast<double>(header.matrix[axis]);
  header.encoded.matrix[axis] = extent;
  // A header whose field of view is that of the oversampled readout has the wrong matrix alone.
  constexpr double rounding = 0.01;
  const bool field_is_right = field > 0 && std::abs(pixel / factor / image_pixel - 1) < rounding &&
                              header.field_of_view_mm[axis] < (1 - rounding) * field;
  if (oversampled && !field_is_right) field *= factor;
  // The image is as fine, which readouts alone show again later.
  if (!oversampled && axis > 0) {
    header.matrix[axis] = std::llround(static_cast<double>(header.matrix[axis]) * factor);
  }
  header.notes.emplace_back(disagreement(
      fmt::format("the {} span {} samples, the encoded matrix {}; {}.", what, extent, pixels, reason(beyond))));
}

/// Readouts as long as the image, with their center in the middle, beside an encoding that is a multiple of both: the oversampling
/// was removed, and the header not told. Half of k-space about its center is not measured otherwise.
void settle_removed_oversampling(const SortedFile& sorted, std::optional<Index> center, EncodingHeader& header) {
  const Index image = header.matrix[0];
  Index& pixels = header.encoded.matrix[0];
  double& field = header.encoded.field_of_view_mm[0];
  const double times = static_cast<double>(pixels) / static_cast<double>(image);
  constexpr double rounding = 0.01;
  if (pixels < 2 * image || std::abs(field / header.field_of_view_mm[0] / times - 1) > rounding) return;
  for (const Index number : sorted.image_readouts()) {
    const AcquisitionHead& head = sorted.head(number);
    const Index own = head.center_sample > 0 ? Index{head.center_sample} : Index{head.number_of_samples} / 2;
    const Index before = center.value_or(own) - head.discard_pre;
    if (head.kept() != image || std::abs(before - image / 2) > 1) return;
  }
  header.notes.emplace_back(disagreement(fmt::format(
      "the readouts have {} samples, as many as the image has pixels, the encoded matrix {}; their oversampling was "
      "removed, so the encoding is that of the image along x.",
      image, pixels)));
  pixels = image;
  field = header.field_of_view_mm[0];
}

void settle_readouts(const Context& ctx, const SortedFile& sorted, std::optional<Index> center,
                     EncodingHeader& header) {
  settle_removed_oversampling(sorted, center, header);
  const Index pixels = header.encoded.matrix[0];
  Index extent = readout_extent(sorted, center);
  if (extent <= pixels) return;
  // Readouts that end a step before the edge of a multiple of the matrix are of that multiple.
  const Index multiple = divide_up(extent, pixels) * pixels;
  if (multiple - extent <= 2) extent = multiple;
  std::vector<ProbedReadout> lines;
  if (sorted.plan.coils > 0) lines = probe_center(ctx, sorted, header);
  if (center == 0) std::ranges::transform(lines, lines.begin(), &mirrored);
  const double part = static_cast<double>(pixels) / static_cast<double>(extent);
  widen(header, 0, extent, lines.empty() ? Beyond::unknown : shown_by(lies_within(ctx, lines, part)), "readouts");
}

/// The longest run of steps side by side, each with one of its readouts: where every second line is left out, a transform of all
/// has the object twice.
std::vector<Index> side_by_side(const std::map<Index, Index>& readout_of_step) {
  std::vector<Index> run;
  std::vector<Index> longest;
  Index before = 0;
  for (const auto& [step, number] : readout_of_step) {
    if (step != before + 1) {
      if (run.size() > longest.size()) longest = std::move(run);
      run = {};
    }
    run.push_back(number);
    before = step;
  }
  return run.size() > longest.size() ? run : longest;
}

/// Readouts side by side along an axis of counters, at one step along the other.
std::vector<Index> readouts_across(const SortedFile& sorted, const EncodingHeader& header, std::size_t axis) {
  const std::size_t other = 3 - axis;
  const std::vector<Index>& readouts = sorted.plan.frames.front().acquisitions;
  const Index middle = sorted.head(nearest_to_center(sorted, header, readouts, 1).front()).step(other);
  std::map<Index, Index> readout_of_step;
  for (const Index number : readouts) {
    const AcquisitionHead& head = sorted.head(number);
    if (head.step(other) == middle) readout_of_step[head.step(axis)] = number;
  }
  return side_by_side(readout_of_step);
}

/// Samples near the center of such readouts, one for each step: a readout across them.
std::vector<ProbedReadout> probe_across(const Context& ctx, const SortedFile& sorted,
                                        const std::vector<Index>& numbers) {
  constexpr Index beside = 4;
  const Index extent = std::ssize(numbers);
  ProbedReadout across{numbers.front(), extent, {}};
  const Index lines = sorted.plan.coils * (2 * beside + 1);
  across.samples.resize(static_cast<std::size_t>(lines * extent));
  Index step = 0;
  for (const ProbedReadout& readout : read_readouts(ctx, sorted, numbers)) {
    const AcquisitionHead& head = sorted.head(readout.number);
    const Index center =
        (head.center_sample > 0 ? Index{head.center_sample} : Index{head.number_of_samples} / 2) - head.discard_pre;
    for (Index line = 0; line < lines; ++line) {
      const Index sample = center - beside + line % (2 * beside + 1);
      const Index place = line / (2 * beside + 1) * readout.length + sample;
      if (sample < 0 || sample >= readout.length) continue;
      across.samples[static_cast<std::size_t>(line * extent + step)] = readout.samples[static_cast<std::size_t>(place)];
    }
    ++step;
  }
  return {std::move(across)};
}

/// The first and the last step along an axis, and how far the last is from the one before.
struct Steps {
  Index first = 0;
  Index last = 0;
  Index gap = 1;
};

Steps steps_along(const SortedFile& sorted, std::size_t axis) {
  std::vector<Index> all;
  for (const Index number : sorted.image_readouts()) all.push_back(sorted.head(number).step(axis));
  const auto [least, most] = std::ranges::minmax(all);
  Index before = least;
  for (const Index step : all) {
    if (step < most) before = std::max(before, step);
  }
  return {least, most, std::max<Index>(most - before, 1)};
}

void settle_steps(const Context& ctx, const SortedFile& sorted, EncodingHeader& header, std::size_t axis) {
  const Index pixels = header.encoded.matrix[axis];
  const auto [first, last, gap] = steps_along(sorted, axis);
  Index extent = last - first + 1;
  const Index stated = (axis == 1 ? header.center_1 : header.center_2).value_or(-1);
  const bool is_within = stated >= first && stated <= last;
  const Index about_stated = is_within ? std::max(2 * (stated - first), 2 * (last + 1 - stated)) : 0;
  if (extent <= pixels) {
    // The matrix may be the number of lines of partial Fourier.
    const double pixel = header.encoded.field_of_view_mm[axis] / static_cast<double>(header.matrix[axis]);
    const double image_pixel = header.field_of_view_mm[axis] / static_cast<double>(header.matrix[axis]);
    constexpr double rounding = 0.01;
    const bool fits_image = header.matrix[axis] > pixels && about_stated > pixels &&
                            about_stated <= header.matrix[axis] && std::abs(pixel / image_pixel - 1) < rounding;
    if (!fits_image || is_far_less(energy_of_steps(ctx, sorted, header, axis), stated)) return;
    header.notes.emplace_back(
        disagreement(fmt::format("the {} reach {} steps beyond the center of k-space, the encoded matrix has {} "
                                 "pixels, the number of {}; it became "
                                 "{}, as in the image.",
                                 axis == 1 ? "lines" : "partitions", last - stated, pixels,
                                 axis == 1 ? "lines" : "partitions", header.matrix[axis])));
    header.encoded.matrix[axis] = header.matrix[axis];
    return;
  }
  if (is_within) extent = about_stated;
  // Lines of which some are left out may end before the edge of a multiple of the matrix.
  const Index multiple = divide_up(extent, pixels) * pixels;
  if (multiple - extent < gap) extent = multiple;
  Beyond beyond = Beyond::unknown;
  const std::vector<Index> across = readouts_across(sorted, header, axis);
  if (sorted.plan.coils > 0 && std::ssize(across) >= std::min(enough_steps, last - first + 1)) {
    const double part = static_cast<double>(pixels) / static_cast<double>(extent);
    beyond = shown_by(lies_within(ctx, probe_across(ctx, sorted, across), part));
  }
  widen(header, axis, extent, beyond, axis == 1 ? "lines" : "partitions");
}

}  // namespace

std::vector<ProbedReadout> probe_center(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header) {
  return read_readouts(ctx, sorted, nearest_to_center(sorted, header, sorted.image_readouts(), probed));
}

std::optional<Index> settle_readout_center(const Context& ctx, const SortedFile& sorted, const ScanReadOptions& options,
                                           EncodingHeader& header) {
  if (is_spokes(options.kind)) {
    return has_center_samples(sorted) ? std::nullopt : std::optional(find_spoke_center(ctx, sorted, header));
  }
  if (sorted.plan.trajectory_dimensions > 0 || header.trajectory_kind != "cartesian") return std::nullopt;
  if (options.trajectory_from.empty()) header.center_0 = find_readout_center(ctx, sorted, header, header.notes);
  return header.center_0;
}

Index readout_extent(const SortedFile& sorted, std::optional<Index> of_all) {
  Index extent = 0;
  for (const Index number : sorted.image_readouts()) {
    const AcquisitionHead& head = sorted.head(number);
    const Index length = head.number_of_samples;
    const Index own = head.center_sample > 0 && head.center_sample < length ? head.center_sample : length / 2;
    const Index center = of_all.value_or(own);
    extent = std::max({extent, 2 * (center - head.discard_pre), 2 * (length - 1 - head.discard_post - center)});
  }
  return extent;
}

void settle_extents(const Context& ctx, const SortedFile& sorted, const ScanReadOptions& options,
                    std::optional<Index> center, EncodingHeader& header) {
  const bool spokes = is_spokes(options.kind);
  const int columns = sorted.plan.trajectory_dimensions;
  constexpr int kz = 2;
  if (columns == 0) settle_readouts(ctx, sorted, center, header);
  if (columns == 0 && !spokes && header.trajectory_kind == "cartesian") settle_steps(ctx, sorted, header, 1);
  if (header.dim() == 3 && columns <= kz && !is_solid(options.kind)) settle_steps(ctx, sorted, header, 2);
}

}  // namespace whorl::io
