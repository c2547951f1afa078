#include "io/ismrmrd/spaces.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "io/ismrmrd/extents.hpp"
#include "io/ismrmrd/places/counted_spokes.hpp"
#include "io/ismrmrd/places/counters.hpp"
#include "whorl/core/error.hpp"
#include "whorl/scan/header_notes.hpp"

namespace whorl::io {

namespace {

void check_matrix(const EncodingHeader& header, const std::string& file) {
  for (const auto& [name, matrix] :
       {std::pair{"encoded", header.encoded.matrix}, std::pair{"reconstructed", header.matrix}}) {
    if (matrix[0] < 2 || matrix[1] < 2) {
      throw IoError(fmt::format("{}: the header's {} matrix is {}, expected at least 2 pixels along x and y", file,
                                name, fmt::join(matrix, " x ")));
    }
  }
}

/// A readout gradient that no scanner has shows that meters were written for mm: 1 / (gamma field dwell).
void correct_meters(double dwell_us, EncodedGrid space, const char* name, std::array<double, 3>& field_of_view,
                    Notes& notes) {
  constexpr double most_mm = 1;            // fields of view of scanners in meters are below it
  constexpr double least_pixel_mm = 0.01;  // and their pixels too
  constexpr double gamma_hz_per_t = 42.577e6;
  constexpr double most_t_per_m = 5;
  const double field = std::max(field_of_view[0], field_of_view[1]);
  if (!(field_of_view[0] > 0 && field_of_view[1] > 0 && field < most_mm)) return;
  const double pixel = field_of_view[0] / static_cast<double>(space.matrix[0]);
  const double gradient = dwell_us > 0 ? 1 / (gamma_hz_per_t * field_of_view[0] * 1e-3 * dwell_us * 1e-6) : 0;
  if (pixel >= least_pixel_mm && gradient < most_t_per_m) return;
  constexpr double mm_per_m = 1000;
  notes.emplace_back(disagreement(
      fmt::format("the {} field of view is {:.4g} x {:.4g} mm, pixels of {:.2g} mm{}; it was taken as meters.", name,
                  field_of_view[0], field_of_view[1], pixel,
                  gradient > 0 ? fmt::format(", which takes gradients of {:.3g} T/m", gradient) : std::string())));
  for (double& length : field_of_view) {
    if (length < most_mm) length *= mm_per_m;
  }
}

/// Whether kspace_encode_step_2 tells readouts of one image apart; of one slice, where the header has partitions. In a file of
/// slices it may be their number.
bool counts_partitions(const SortedFile& sorted, const EncodingHeader& header) {
  std::map<FrameIndex, Index> first;
  for (const FramePlan& frame : sorted.plan.frames) {
    const FrameIndex image = header.dim() == 3 ? FrameIndex{.slice = frame.index.slice} : frame.index;
    for (const Index number : frame.acquisitions) {
      const Index step = sorted.head(number).idx.kspace_encode_step_2;
      if (first.emplace(image, step).first->second != step) return true;
    }
  }
  return false;
}

/// Whether a counter or kz tells partitions apart. A single one may have any number.
bool has_partitions(const Context& ctx, const SortedFile& sorted, const ScanReadOptions& options,
                    const EncodingHeader& header) {
  if (is_solid(options.kind)) return true;
  if (counts_partitions(sorted, header)) return true;
  const TrajectoryColumns stated =
      options.trajectory_columns == TrajectoryColumns::automatic ? header.columns : options.trajectory_columns;
  const bool may_have_kz = stated == TrajectoryColumns::automatic || has_kz(stated);
  constexpr int kz = 2;
  return may_have_kz && sorted.plan.trajectory_dimensions > kz && any_in_column(ctx, sorted, kz);
}

/// A header without partitions, where kspace_encode_step_2 tells readouts of one image apart: the data tell whether it counts any.
/// Throws ValueError for lines where they do not.
void settle_uncounted_partitions(const Context& ctx, const SortedFile& sorted, const ScanReadOptions& options,
                                 EncodingHeader& header) {
  constexpr int kz = 2;
  if (is_solid(options.kind) || sorted.plan.trajectory_dimensions > kz || !counts_partitions(sorted, header)) return;
  const std::vector<Index> numbers = sorted.image_readouts();
  const auto step = [&](Index number) { return Index{sorted.head(number).idx.kspace_encode_step_2}; };
  const Index first = std::ranges::min(numbers, {}, step);
  const Index last = step(std::ranges::max(numbers, {}, step));
  const Counted counted = partitions_within_images(ctx, sorted, header);
  if (counted == Counted::partitions) {
    const Index count = header.center_2 ? 2 * std::max(*header.center_2, last + 1 - *header.center_2) : last + 1;
    header.notes.emplace_back(disagreement(fmt::format(
        "both matrices have one pixel along z, but kspace_encode_step_2 counts from {} to {} within an image, "
        "with most energy at a few steps; the scan is 3D with {} partitions, and the field of view along z "
        "is that of all.",
        step(first), last, count)));
    header.encoded.matrix[2] = header.matrix[2] = count;
  } else if (counted == Counted::repetitions) {
    header.notes.emplace_back(disagreement(fmt::format(
        "kspace_encode_step_2 counts from {} to {} within an image of one pixel along z; the readouts are alike, "
        "so they were taken as repetitions of a 2D scan.",
        step(first), last)));
  } else if (counted == Counted::unknown && sorted.plan.trajectory_dimensions == 0 && !is_spokes(options.kind)) {
    throw ValueError(fmt::format(
        "{}: kspace_encode_step_2 counts from {} to {} within an image, both matrices have one pixel along z, and the "
        "data "
        "do not show partitions; set matrixSize z of the encoding to their number, or count slices by idx.slice",
        sorted.source, step(first), last));
  }
}

/// Slices of both matrices. Partitions that no counter and no position tells apart are none.
void settle_slices(const Context& ctx, const SortedFile& sorted, const ScanReadOptions& options,
                   EncodingHeader& header) {
  Index& encoded = header.encoded.matrix[2];
  Index& recon = header.matrix[2];
  recon = std::max<Index>(recon, 1);
  if (encoded > 1 && options.trajectory_from.empty() && !has_partitions(ctx, sorted, options, header)) {
    header.notes.emplace_back(
        disagreement(fmt::format("the encoded matrix has {} pixels along z, but all readouts of a slice are of one "
                                 "partition, so the scan is 2D.",
                                 encoded)));
    header.encoded.field_of_view_mm[2] /= static_cast<double>(encoded);
    header.field_of_view_mm[2] /= static_cast<double>(recon);
    encoded = recon = 1;
  } else if (encoded > 1 && recon == 1) {
    recon = encoded;
    header.field_of_view_mm[2] = header.encoded.field_of_view_mm[2];
    header.notes.emplace_back(fmt::format(
        "The encoding is 3D but the header's image matrix has one slice: all {} slices are made.", encoded));
  } else if (encoded <= 1 && recon > 1 && sorted.plan.trajectory_dimensions <= 2 && options.trajectory_from.empty() &&
             has_partitions(ctx, sorted, options, header)) {
    header.notes.emplace_back(disagreement(fmt::format(
        "the encoded matrix has one pixel along z, but kspace_encode_step_2 counts partitions, and the image has {} "
        "slices; the scan is 3D.",
        recon)));
    encoded = recon;
    header.encoded.field_of_view_mm[2] = header.field_of_view_mm[2];
  } else if (encoded <= 1 && recon <= 1 && options.trajectory_from.empty()) {
    settle_uncounted_partitions(ctx, sorted, options, header);
  } else if (encoded <= 1 && recon > 1) {
    header.notes.emplace_back(fmt::format(
        "The header's image matrix has {} slices but the encoding is 2D: each slice is its own image.", recon));
    recon = 1;
  }
}

/// Pixels that an axis of counters spans about its center; `of_all`: that of all readouts.
Index counted_extent(const SortedFile& sorted, const EncodingHeader& header, std::optional<Index> of_all,
                     std::size_t axis) {
  if (axis == 0) return readout_extent(sorted, of_all);
  const Index center = (axis == 1 ? header.center_1 : header.center_2).value_or(header.encoded.matrix[axis] / 2);
  Index extent = 0;
  for (const Index number : sorted.image_readouts()) {
    const AcquisitionCounters& idx = sorted.head(number).idx;
    const Index step = axis == 1 ? idx.kspace_encode_step_1 : idx.kspace_encode_step_2;
    extent = std::max(extent, 2 * std::abs(step - center));
  }
  return extent;
}

/// The unit of the positions: as stated, or else as detected. Throws ValueError.
TrajectoryUnit unit_of(const SortedFile& sorted, const ScanReadOptions& options, const EncodingHeader& header,
                       const std::array<double, 3>& largest) {
  const TrajectoryUnit stated =
      options.trajectory_unit == TrajectoryUnit::automatic ? header.unit : options.trajectory_unit;
  return stated == TrajectoryUnit::automatic ? detect_trajectory_unit(largest, header.encoded, sorted.source) : stated;
}

/// True if samples are beyond Nyquist of the image, unless in a unit that does not depend on the encoded space. Spokes that
/// counters tell reach as far along all axes.
bool exceeds_image(const Context& ctx, const SortedFile& sorted, const ScanReadOptions& options,
                   const EncodingHeader& header, std::optional<Index> of_all, std::size_t axis, double ratio) {
  if (static_cast<int>(axis) >= sorted.plan.trajectory_dimensions) {
    const Index extent = counted_extent(sorted, header, of_all, is_spokes(options.kind) && axis < 2 ? 0 : axis);
    return static_cast<double>(extent) * ratio > static_cast<double>(header.encoded.matrix[axis]) * (1 + k_rounding);
  }
  const std::array<double, 3> largest = largest_positions(ctx, sorted, header.dim());
  try {
    const TrajectoryUnit unit = unit_of(sorted, options, header, largest);
    constexpr double nyquist = 0.5 * (1 + k_rounding);
    return !is_metric(unit) && largest[axis] * cycles_per_pixel_factors(unit, header.encoded)[axis] * ratio > nyquist;
  } catch (const ValueError&) {
    return false;  // said where positions are made
  }
}

/// Pixel of a space along an axis; 0: not known.
double pixel_of(const std::array<Index, 3>& matrix, const std::array<double, 3>& field_of_view, std::size_t axis) {
  return field_of_view[axis] / static_cast<double>(matrix[axis]);
}

bool about(double one, double other) {
  constexpr double rounding = 0.01;
  return std::abs(one / other - 1) < rounding;
}

/// Whether so many pixels are the number of readouts in the plane.
bool counts_readouts(const SortedFile& sorted, Index pixels) {
  Index steps = 0;
  for (const Index number : sorted.image_readouts()) {
    steps = std::max(steps, Index{sorted.head(number).idx.kspace_encode_step_1} + 1);
  }
  return pixels == steps || std::ranges::any_of(sorted.plan.frames, [&](const FramePlan& frame) {
           return pixels == static_cast<Index>(frame.acquisitions.size());
         });
}

/// The header of readouts that are no lines may have their number along y for both matrices: over a square field of view the
/// pixels of the image are square, and then those of the encoding.
void settle_number_of_readouts(const SortedFile& sorted, EncodingHeader& header) {
  Index& pixels = header.matrix[1];
  if (header.encoded.matrix[1] != pixels || pixels == header.matrix[0] || !counts_readouts(sorted, pixels)) return;
  if (!about(header.field_of_view_mm[1], header.field_of_view_mm[0])) return;
  header.notes.emplace_back(disagreement(
      fmt::format("both matrices have {} pixels along y, the number of readouts; the image has {}, as along x.", pixels,
                  header.matrix[0])));
  pixels = header.matrix[0];
}

/// Spokes and arms reach equally far along x and y. Where they do so in cycles over fields of view that differ, as with
/// oversampling that only the header has, one field is that of both: the other axis would end far below Nyquist.
void settle_one_field(const Context& ctx, const SortedFile& sorted, const ScanReadOptions& options,
                      EncodingHeader& header) {
  auto& [matrix, field] = header.encoded;
  if (about(field[0], field[1]) || !about(pixel_of(matrix, field, 0), pixel_of(matrix, field, 1))) return;
  const std::array<double, 3> largest = largest_positions(ctx, sorted, header.dim());
  if (!about(largest[0], largest[1])) return;
  try {
    if (unit_of(sorted, options, header, largest) != TrajectoryUnit::cycles_per_fov) return;
  } catch (const ValueError&) {
    return;  // said where positions are made
  }
  const std::size_t wide = field[0] > field[1] ? 0 : 1;
  header.notes.emplace_back(disagreement(
      fmt::format("the trajectory reaches {:.4g} cycles over the field of view along x and y, whose encoded fields of "
                  "view are {:.4g} and {:.4g} mm; {:.4g} mm were taken for both.",
                  largest[0], field[0], field[1], field[1 - wide])));
  matrix[wide] = matrix[1 - wide];
  field[wide] = field[1 - wide];
}

/// Spokes that the counters tell have one pixel along all their axes. The header of others that are not Cartesian may have the
/// number of readouts for the encoded matrix along y: their pixels are square, as those of the image are.
void settle_plane(const Context& ctx, const SortedFile& sorted, const ScanReadOptions& options,
                  EncodingHeader& header) {
  auto& [matrix, field] = header.encoded;
  const std::string& kind = header.trajectory_kind;
  const bool no_lines = is_spokes(options.kind) || (sorted.plan.trajectory_dimensions > 0 &&
                                                    (kind == "radial" || kind == "goldenangle" || kind == "spiral"));
  if (!no_lines) return;
  settle_number_of_readouts(sorted, header);
  if (is_spokes(options.kind)) {
    for (std::size_t axis = 1; axis < (is_solid(options.kind) ? 3U : 2U); ++axis) {
      matrix[axis] = matrix[0];
      field[axis] = field[0];
    }
    return;
  }
  const double x = pixel_of(matrix, field, 0);
  const double y = pixel_of(matrix, field, 1);
  const double image = pixel_of(header.matrix, header.field_of_view_mm, 0);
  if (!(x > 0 && y > 0 && image > 0)) return;
  if (!about(x, y) && about(image, pixel_of(header.matrix, header.field_of_view_mm, 1)) && about(x, image)) {
    header.notes.emplace_back(disagreement(fmt::format(
        "{} encoded pixels along y are {:.4g} times those along x; they were taken as square.", matrix[1], x / y)));
    matrix[1] = std::llround(field[1] / x);
  }
  settle_one_field(ctx, sorted, options, header);
}

/// An image whose pixels are larger than the encoding's has no place for the outer samples. Its matrix is right, and one of the
/// fields of view is not; or, where the object is larger than the image would be then, its matrix is too small.
void settle_coarse_axis(const Context& ctx, const SortedFile& sorted, const ScanReadOptions& options,
                        std::optional<Index> of_all, EncodingHeader& header, std::size_t axis) {
  auto& encoded_field = header.encoded.field_of_view_mm;
  const double encoded = pixel_of(header.encoded.matrix, encoded_field, axis);
  const double image = pixel_of(header.matrix, header.field_of_view_mm, axis);
  constexpr double rounding = 1e-3;
  if (!(encoded > 0 && image > encoded * (1 + rounding))) return;
  if (!exceeds_image(ctx, sorted, options, header, of_all, axis, image / encoded)) return;
  const bool same_field = about(encoded_field[axis], header.field_of_view_mm[axis]);
  const double part = static_cast<double>(header.matrix[axis]) / static_cast<double>(header.encoded.matrix[axis]);
  const bool lines = header.trajectory_kind != "spiral" && header.trajectory_kind != "other";
  // Spokes show the extent along all axes, lines that along x.
  const bool shown = lines && sorted.plan.coils > 0 && (axis == 0 || sorted.plan.trajectory_dimensions > 0);
  const bool within = part < 1 && same_field && (!shown || lies_within(ctx, probe_center(ctx, sorted, header), part));
  if (!within) {
    const Index before = header.matrix[axis];
    header.matrix[axis] = static_cast<Index>(std::llround(header.field_of_view_mm[axis] / encoded));
    header.notes.emplace_back(disagreement(
        fmt::format("along {} the image has pixels of {:.4g} mm, too large for an encoding of {:.4g} mm; its matrix "
                    "became {} in place of {}.",
                    "xyz"[axis], image, encoded, header.matrix[axis], before)));
    return;
  }
  const std::size_t other = axis == 0 ? 1 : 0;
  const double square = pixel_of(header.matrix, header.field_of_view_mm, other);
  const double pixel = about(square, encoded) ? encoded : image;
  encoded_field[axis] = pixel * static_cast<double>(header.encoded.matrix[axis]);
  header.field_of_view_mm[axis] = pixel * static_cast<double>(header.matrix[axis]);
  header.notes.emplace_back(disagreement(
      fmt::format("along {} one field of view is that of {} encoded pixels and of {} of the image; {}, so the "
                  "encoding is oversampled.",
                  "xyz"[axis], header.encoded.matrix[axis], header.matrix[axis],
                  shown ? "the object lies within the latter" : "samples are beyond Nyquist of the latter")));
}

/// A matrix that makes pixels of the image finer along one axis of the plane alone, where those of the encoding are square.
void settle_fine_axis(EncodingHeader& header, std::size_t axis) {
  const std::size_t other = 1 - axis;
  const double encoded = pixel_of(header.encoded.matrix, header.encoded.field_of_view_mm, axis);
  const double image = pixel_of(header.matrix, header.field_of_view_mm, axis);
  const double encoded_other = pixel_of(header.encoded.matrix, header.encoded.field_of_view_mm, other);
  const double image_other = pixel_of(header.matrix, header.field_of_view_mm, other);
  if (!(image > 0 && encoded_other > 0) || !about(encoded, encoded_other) || !about(image_other, encoded_other)) return;
  constexpr double at_least = 1.5;  // a fraction more is interpolation
  if (encoded < at_least * image) return;
  const Index before = header.matrix[axis];
  header.matrix[axis] = static_cast<Index>(std::llround(header.field_of_view_mm[axis] / encoded));
  header.notes.emplace_back(disagreement(
      fmt::format("along {} the image matrix is {}, {:.3g} times as fine as the encoding, whose pixels are square; it "
                  "became {}.",
                  "xyz"[axis], before, encoded / image, header.matrix[axis])));
}

/// Pixel sizes of both spaces. If one field of view is missing, its pixels are assumed equal to the other's.
void set_pixel_sizes(EncodingHeader& header) {
  bool assumed = false;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (axis == 2 && header.dim() == 2) break;
    double& encoded = header.encoded.field_of_view_mm[axis];
    double& image = header.field_of_view_mm[axis];
    const auto encoded_pixels = static_cast<double>(header.encoded.matrix[axis]);
    const auto image_pixels = static_cast<double>(header.matrix[axis]);
    if (encoded > 0 && image > 0) {
      const double ratio = (image / image_pixels) / (encoded / encoded_pixels);
      // The header's numbers are float: a ratio this near to 1 is 1.
      constexpr double float_rounding = 1e-6;
      header.pixel_ratio[axis] = std::abs(ratio - 1) < float_rounding ? 1 : ratio;
      continue;
    }
    // Pixels of equal numbers over one field of view are of equal size, however large it is.
    assumed = assumed || encoded_pixels != image_pixels;
    if (image > 0) encoded = image / image_pixels * encoded_pixels;
    if (encoded > 0) image = encoded / encoded_pixels * image_pixels;
  }
  if (assumed) {
    header.notes.emplace_back(
        "The header gives no field of view for both the encoding and the image: their pixels were taken to be of equal "
        "size.");
  }
}

}  // namespace

void settle_spaces(const Context& ctx, const SortedFile& sorted, const ScanReadOptions& options,
                   EncodingHeader& header) {
  for (std::size_t axis = 0; axis < options.field_of_view_mm.size(); ++axis) {
    const bool is_stated = header.field_of_view_mm[axis] > 0 || header.encoded.field_of_view_mm[axis] > 0;
    if (!is_stated) header.field_of_view_mm[axis] = options.field_of_view_mm[axis];
  }
  const double dwell_us = sorted.head(sorted.plan.frames.front().acquisitions.front()).sample_time_us;
  correct_meters(dwell_us, header.encoded, "encoded", header.encoded.field_of_view_mm, header.notes);
  correct_meters(dwell_us, {header.matrix, {}}, "image's", header.field_of_view_mm, header.notes);
  settle_slices(ctx, sorted, options, header);
  check_matrix(header, sorted.source);
  const std::optional<Index> center = settle_readout_center(ctx, sorted, options, header);
  if (options.trajectory_from.empty()) settle_extents(ctx, sorted, options, center, header);
  settle_coarse_axis(ctx, sorted, options, center, header, 0);
  settle_plane(ctx, sorted, options, header);
  for (std::size_t axis = 1; axis < static_cast<std::size_t>(header.dim()); ++axis) {
    settle_coarse_axis(ctx, sorted, options, center, header, axis);
  }
  for (const std::size_t axis : {0, 1}) settle_fine_axis(header, axis);
  set_pixel_sizes(header);
}

}  // namespace whorl::io
