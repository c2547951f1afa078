#include "io/ismrmrd/extents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "io/ismrmrd/places/centers.hpp"
#include "io/ismrmrd/places/counted_spokes.hpp"
#include "whorl/core/integer.hpp"
#include "whorl/scan/header_notes.hpp"

namespace whorl::io {

namespace {

constexpr std::size_t probed = 16;  // readouts that show the extent of the object

Index step_of(const AcquisitionHead& head, std::size_t axis) {
  return axis == 1 ? head.idx.kspace_encode_step_1 : head.idx.kspace_encode_step_2;
}

/// Makes the encoded matrix as large as what was sampled along an axis, and says so.
void widen(EncodingHeader& header, std::size_t axis, Index extent, bool oversampled, const char* what) {
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
      fmt::format("the {} span {} samples, the encoded matrix {}; {}.", what, extent, pixels,
                  oversampled ? "the object lies within the inner part, so they are oversampled"
                              : "the object lies outside of the inner part too, so the pixels are finer")));
}

void settle_readouts(const Context& ctx, const SortedFile& sorted, const ScanReadOptions& options,
                     EncodingHeader& header) {
  const Index pixels = header.encoded.matrix[0];
  const std::optional<Index> center = spoke_center(ctx, sorted, options, header);
  Index extent = readout_extent(sorted, center);
  if (extent <= pixels) return;
  // Readouts that end a step before the edge of a multiple of the matrix are of that multiple.
  const Index multiple = divide_up(extent, pixels) * pixels;
  if (multiple - extent <= 2) extent = multiple;
  std::vector<ProbedReadout> lines;
  if (sorted.plan.coils > 0) lines = probe_center(ctx, sorted, header);
  if (center == 0) std::ranges::transform(lines, lines.begin(), &mirrored);
  const double part = static_cast<double>(pixels) / static_cast<double>(extent);
  widen(header, 0, extent, lines.empty() || lies_within(ctx, lines, part), "readouts");
}

/// Samples near the center of some readouts, one for each step along an axis of counters: a readout across them.
std::vector<ProbedReadout> probe_across(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header,
                                        std::size_t axis, Index first, Index extent) {
  const std::size_t other = 3 - axis;
  const std::vector<Index>& readouts = sorted.plan.frames.front().acquisitions;
  const Index middle = step_of(sorted.head(nearest_to_center(sorted, header, readouts, 1).front()), other);
  std::vector<Index> numbers;
  for (const Index number : readouts) {
    if (step_of(sorted.head(number), other) == middle) numbers.push_back(number);
  }
  constexpr Index beside = 4;
  ProbedReadout across{numbers.front(), extent, {}};
  const Index lines = sorted.plan.coils * (2 * beside + 1);
  across.samples.resize(static_cast<std::size_t>(lines * extent));
  for (const ProbedReadout& readout : read_readouts(ctx, sorted, numbers)) {
    const AcquisitionHead& head = sorted.head(readout.number);
    const Index center =
        (head.center_sample > 0 ? Index{head.center_sample} : Index{head.number_of_samples} / 2) - head.discard_pre;
    for (Index line = 0; line < lines; ++line) {
      const Index sample = center - beside + line % (2 * beside + 1);
      const Index place = line / (2 * beside + 1) * readout.length + sample;
      if (sample < 0 || sample >= readout.length) continue;
      across.samples[static_cast<std::size_t>(line * extent + step_of(head, axis) - first)] =
          readout.samples[static_cast<std::size_t>(place)];
    }
  }
  return {std::move(across)};
}

void settle_steps(const Context& ctx, const SortedFile& sorted, EncodingHeader& header, std::size_t axis) {
  const Index pixels = header.encoded.matrix[axis];
  const std::vector<Index> numbers = sorted.image_readouts();
  const auto [least, most] =
      std::ranges::minmax(numbers, {}, [&](Index number) { return step_of(sorted.head(number), axis); });
  const Index first = step_of(sorted.head(least), axis);
  const Index last = step_of(sorted.head(most), axis);
  if (last - first + 1 <= pixels) return;
  const std::optional<Index> stated = axis == 1 ? header.center_1 : header.center_2;
  Index extent = last - first + 1;
  if (stated && *stated >= first && *stated <= last) {
    extent = std::max(2 * (*stated - first), 2 * (last + 1 - *stated));
  }
  bool oversampled = true;
  if (sorted.plan.coils > 0) {
    const double part = static_cast<double>(pixels) / static_cast<double>(extent);
    oversampled = lies_within(ctx, probe_across(ctx, sorted, header, axis, first, extent), part);
  }
  widen(header, axis, extent, oversampled, axis == 1 ? "lines" : "partitions");
}

}  // namespace

std::vector<ProbedReadout> probe_center(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header) {
  return read_readouts(ctx, sorted, nearest_to_center(sorted, header, sorted.image_readouts(), probed));
}

std::optional<Index> spoke_center(const Context& ctx, const SortedFile& sorted, const ScanReadOptions& options,
                                  const EncodingHeader& header) {
  if (!is_spokes(options.kind) || has_center_samples(sorted)) return std::nullopt;
  return find_spoke_center(ctx, sorted, header);
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
                    EncodingHeader& header) {
  const bool spokes = is_spokes(options.kind);
  const int columns = sorted.plan.trajectory_dimensions;
  constexpr int kz = 2;
  if (columns == 0) settle_readouts(ctx, sorted, options, header);
  if (columns == 0 && !spokes && header.trajectory_kind == "cartesian") settle_steps(ctx, sorted, header, 1);
  if (header.dim() == 3 && columns <= kz && !is_solid(options.kind)) settle_steps(ctx, sorted, header, 2);
}

}  // namespace whorl::io
