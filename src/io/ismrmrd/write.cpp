#include <fmt/format.h>
#include <ismrmrd/ismrmrd.h>
#include <ismrmrd/version.h>
#include <ismrmrd/xml.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>

#include "io/ismrmrd/dataset.hpp"
#include "io/ismrmrd/geometry.hpp"
#include "io/ismrmrd/header.hpp"
#include "io/scans/scan_arrays.hpp"
#include "io/scans/trajectory_kind.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/ismrmrd.hpp"

namespace whorl {

namespace {

/// Largest number in ISMRMRD's 16-bit counts.
constexpr Index largest_count = std::numeric_limits<std::uint16_t>::max();

void check_count(Index value, Index least, const char* what, const std::string& file) {
  if (value < least || value > largest_count) {
    throw ValueError(
        fmt::format("{}: ISMRMRD holds {} from {} to {}, got {}", file, what, least, largest_count, value));
  }
}

/// Throws for valid scans that ISMRMRD cannot hold.
void check_ismrmrd_limits(const Scan& scan, const std::string& file) {
  check_count(scan.coils, 0, "channels", file);
  for (const Index pixels : scan.matrix) check_count(pixels, 1, "pixels along an axis", file);
  const bool weighted = scan.frames.front().weights != nullptr;
  for (const ScanFrame& frame : scan.frames) {
    if ((frame.weights != nullptr) != weighted) {
      throw ShapeError(fmt::format("{}: all frames or none must have one density weight per sample", file));
    }
    const FrameIndex& index = frame.index;
    for (const int counter : {index.slice, index.contrast, index.phase, index.repetition, index.set}) {
      check_count(counter, 0, "counters", file);
    }
  }
}

TrajectoryColumns columns_of(const Scan& scan) {
  const bool weighted = scan.frames.front().weights != nullptr;
  if (scan.dim() == 2) return weighted ? TrajectoryColumns::xyw : TrajectoryColumns::xy;
  return weighted ? TrajectoryColumns::xyzw : TrajectoryColumns::xyz;
}

/// Lengths of the acquisitions of a frame.
std::vector<Index> acquisition_lengths(const Trajectory& trajectory) {
  const Index samples = trajectory.samples();
  const Index length = trajectory.readout_length;
  if (length > 0 && length <= largest_count && samples % length == 0) {
    std::vector<Index> readouts(static_cast<std::size_t>(samples / length), length);
    return readouts;
  }
  std::vector<Index> lengths;
  for (Index left = samples; left > 0; left -= lengths.back()) lengths.push_back(std::min(left, largest_count));
  // A reader would take pieces of equal length for readouts.
  if (lengths.front() == lengths.back() && lengths.back() > 2) {
    lengths.back() -= 1;
    lengths.push_back(1);
  }
  return lengths;
}

ISMRMRD::Limit limit_of(const Scan& scan, int FrameIndex::*counter) {
  int most = 0;
  for (const ScanFrame& frame : scan.frames) most = std::max(most, frame.index.*counter);
  return {0, static_cast<std::uint16_t>(most), 0};
}

std::string header_of(const Scan& scan) {
  ISMRMRD::IsmrmrdHeader header;
  ISMRMRD::AcquisitionSystemInformation system;
  if (!scan.system.empty()) system.systemVendor = scan.system;
  system.receiverChannels = static_cast<unsigned short>(scan.coils);
  header.acquisitionSystemInformation = system;
  header.experimentalConditions.H1resonanceFrequency_Hz = 0;  // the format demands one; a Scan does not know it

  ISMRMRD::Encoding encoding;
  const auto& field_of_view = scan.frames.front().geometry.field_of_view_mm;
  encoding.encodedSpace.matrixSize =
      ISMRMRD::MatrixSize(static_cast<std::uint16_t>(scan.matrix[0]), static_cast<std::uint16_t>(scan.matrix[1]),
                          static_cast<std::uint16_t>(scan.matrix[2]));
  encoding.encodedSpace.fieldOfView_mm = {static_cast<float>(field_of_view[0]), static_cast<float>(field_of_view[1]),
                                          static_cast<float>(field_of_view[2])};
  encoding.reconSpace = encoding.encodedSpace;
  encoding.trajectory = io::kind_type(scan.trajectory_kind);
  encoding.encodingLimits.slice = limit_of(scan, &FrameIndex::slice);
  encoding.encodingLimits.contrast = limit_of(scan, &FrameIndex::contrast);
  encoding.encodingLimits.phase = limit_of(scan, &FrameIndex::phase);
  encoding.encodingLimits.repetition = limit_of(scan, &FrameIndex::repetition);
  encoding.encodingLimits.set = limit_of(scan, &FrameIndex::set);
  header.encoding.push_back(encoding);

  if (scan.readout_interval_ms > 0 || !scan.echo_times_ms.empty()) {
    ISMRMRD::SequenceParameters sequence;
    if (scan.readout_interval_ms > 0) sequence.TR = std::vector<float>{static_cast<float>(scan.readout_interval_ms)};
    if (!scan.echo_times_ms.empty()) {
      sequence.TE = std::vector<float>(scan.echo_times_ms.begin(), scan.echo_times_ms.end());
    }
    header.sequenceParameters = sequence;
  }

  ISMRMRD::UserParameters parameters;
  parameters.userParameterString = {{io::unit_parameter, std::string(to_string(TrajectoryUnit::cycles_per_pixel))},
                                    {io::columns_parameter, std::string(to_string(columns_of(scan)))}};
  if (io::kind_name(encoding.trajectory) != scan.trajectory_kind && !scan.trajectory_kind.empty()) {
    parameters.userParameterString.push_back({io::kind_parameter, scan.trajectory_kind});
  }
  header.userParameters = parameters;
  std::ostringstream xml;
  ISMRMRD::serialize(header, xml);
  return xml.str();
}

/// Appends acquisitions with what they have in common: counter, channels, buffers.
class AcquisitionWriter {
 public:
  AcquisitionWriter(io::IsmrmrdWriter& file, Index coils) : file_(file), coils_(coils) {}

  /// A header with the numbers that every acquisition has.
  ISMRMRD::AcquisitionHeader header(Index samples, double dwell_us) {
    ISMRMRD::AcquisitionHeader head;
    head.scan_counter = counter_++;
    head.number_of_samples = static_cast<std::uint16_t>(samples);
    head.available_channels = head.active_channels = static_cast<std::uint16_t>(coils_);
    const auto masked = std::min<Index>(coils_, Index{64} * ISMRMRD::ISMRMRD_CHANNEL_MASKS);
    for (Index coil = 0; coil < masked; ++coil) head.setChannelActive(static_cast<std::uint16_t>(coil));
    head.sample_time_us = static_cast<float>(dwell_us);
    return head;
  }

  /// Samples [first, first + head.number_of_samples) of [coil, sample].
  void append(const ISMRMRD::AcquisitionHeader& head, ArrayRef<const std::complex<float>> data, Index first,
              std::vector<float>& trajectory) {
    const Index samples = head.number_of_samples;
    buffer_.resize(static_cast<std::size_t>(coils_ * samples));
    for (Index coil = 0; coil < coils_; ++coil) {
      std::copy_n(data.data() + coil * data.extent(1) + first, samples, buffer_.data() + coil * samples);
    }
    ISMRMRD::ISMRMRD_Acquisition acquisition{};
    acquisition.head = head;
    acquisition.traj = trajectory.data();
    acquisition.data = buffer_.data();
    file_.append(acquisition);
  }

 private:
  io::IsmrmrdWriter& file_;
  Index coils_;
  std::uint32_t counter_ = 0;
  std::vector<std::complex<float>> buffer_;
};

void write_noise(const Context& ctx, const Scan& scan, AcquisitionWriter& writer) {
  const Index samples = scan.noise.size() > 0 ? scan.noise.extent(1) : 0;
  std::vector<float> no_trajectory;
  for (Index first = 0; first < samples; first += largest_count) {
    ctx.check_cancel("write");
    ISMRMRD::AcquisitionHeader head = writer.header(std::min(largest_count, samples - first), scan.noise_dwell_us);
    head.setFlag(ISMRMRD::ISMRMRD_ACQ_IS_NOISE_MEASUREMENT);
    io::set_geometry<ISMRMRD::ISMRMRD_AcquisitionHeader>(head, scan.frames.front().geometry);
    writer.append(head, scan.noise, first, no_trajectory);
  }
}

/// Columns of samples [first, first + count), and which of these is nearest to k = 0.
Index fill_columns(const ScanFrame& frame, Index first, Index count, std::vector<float>& columns) {
  const auto k = frame.trajectory->points.view<2>();
  columns.clear();
  Index center = 0;
  double nearest = std::numeric_limits<double>::infinity();
  for (Index sample = first; sample < first + count; ++sample) {
    double square = 0;
    for (Index axis = 0; axis < k.extent(1); ++axis) {
      columns.push_back(static_cast<float>(k(sample, axis)));
      square += k(sample, axis) * k(sample, axis);
    }
    if (frame.weights) columns.push_back(frame.weights->data()[sample]);
    if (square < nearest) {
      nearest = square;
      center = sample - first;
    }
  }
  return center;
}

/// The sample of a readout that has time 0 by the scan's start; none where that says nothing or lies outside.
std::optional<Index> center_by_time(const Scan& scan, Index length) {
  if (!(scan.dwell_us > 0 && scan.readout_start_us < 0)) return {};
  const double samples = -scan.readout_start_us / scan.dwell_us;
  const double whole = std::round(samples);
  if (std::abs(samples - whole) > 1e-3 || whole >= static_cast<double>(length)) return {};
  return static_cast<Index>(whole);
}

/// First and last frame of every repetition.
void set_repetition_flags(const Scan& scan, std::size_t frame, bool first, bool last,
                          ISMRMRD::AcquisitionHeader& head) {
  const auto same = [&](const ScanFrame& other) {
    return other.index.repetition == scan.frames[frame].index.repetition;
  };
  const auto here = scan.frames.begin() + static_cast<std::ptrdiff_t>(frame);
  if (first && std::none_of(scan.frames.begin(), here, same)) {
    head.setFlag(ISMRMRD::ISMRMRD_ACQ_FIRST_IN_REPETITION);
  }
  if (last && std::none_of(here + 1, scan.frames.end(), same)) {
    head.setFlag(ISMRMRD::ISMRMRD_ACQ_LAST_IN_REPETITION);
  }
}

void write_frame(const Context& ctx, const Scan& scan, std::size_t number, AcquisitionWriter& writer) {
  const ScanFrame& frame = scan.frames[number];
  const std::vector<Index> lengths = acquisition_lengths(*frame.trajectory);
  std::vector<float> columns;
  Index sample = 0;
  for (std::size_t readout = 0; readout < lengths.size(); ++readout) {
    ctx.check_cancel("write");
    const bool first = readout == 0;
    const bool last = readout + 1 == lengths.size();
    ISMRMRD::AcquisitionHeader head = writer.header(lengths[readout], scan.dwell_us);
    head.trajectory_dimensions = static_cast<std::uint16_t>(column_count(columns_of(scan)));
    io::set_geometry<ISMRMRD::ISMRMRD_AcquisitionHeader>(head, frame.geometry);
    head.idx.kspace_encode_step_1 =
        static_cast<std::uint16_t>(std::min<Index>(static_cast<Index>(readout), largest_count));
    head.idx.slice = static_cast<std::uint16_t>(frame.index.slice);
    head.idx.contrast = static_cast<std::uint16_t>(frame.index.contrast);
    head.idx.phase = static_cast<std::uint16_t>(frame.index.phase);
    head.idx.repetition = static_cast<std::uint16_t>(frame.index.repetition);
    head.idx.set = static_cast<std::uint16_t>(frame.index.set);
    if (first) head.setFlag(ISMRMRD::ISMRMRD_ACQ_FIRST_IN_SLICE);
    if (last) head.setFlag(ISMRMRD::ISMRMRD_ACQ_LAST_IN_SLICE);
    if (first || last) set_repetition_flags(scan, number, first, last, head);
    if (last && number + 1 == scan.frames.size()) head.setFlag(ISMRMRD::ISMRMRD_ACQ_LAST_IN_MEASUREMENT);
    const Index nearest = fill_columns(frame, sample, lengths[readout], columns);
    head.center_sample = static_cast<std::uint16_t>(center_by_time(scan, lengths[readout]).value_or(nearest));
    writer.append(head, frame.data, sample, columns);
    sample += lengths[readout];
  }
}

void write_coil_maps(const Scan& scan, io::IsmrmrdWriter& file) {
  if (scan.coil_maps.size() == 0) return;
  ISMRMRD::ISMRMRD_NDArray array{};
  array.version = ISMRMRD_VERSION_MAJOR;
  array.data_type = ISMRMRD::ISMRMRD_CXFLOAT;
  array.ndim = static_cast<std::uint16_t>(scan.coil_maps.rank());
  // ISMRMRD's first axis is the fastest.
  for (int axis = 0; axis < scan.coil_maps.rank(); ++axis) {
    array.dims[axis] = static_cast<std::size_t>(scan.coil_maps.extent(-1 - axis));
  }
  array.data = const_cast<std::complex<float>*>(scan.coil_maps.data());  // it is only read
  file.append(io::coil_maps_variable, array);
}

}  // namespace

void write_ismrmrd(const Context& ctx, const Scan& scan, const std::filesystem::path& path) {
  io::check_scan(ctx, scan, path.string());
  check_ismrmrd_limits(scan, path.string());
  io::IsmrmrdWriter file(path);
  file.write_header(header_of(scan));
  AcquisitionWriter writer(file, scan.coils);
  write_noise(ctx, scan, writer);
  ProgressStage stage(ctx, "write", static_cast<Index>(scan.frames.size()));
  for (std::size_t frame = 0; frame < scan.frames.size(); ++frame) {
    write_frame(ctx, scan, frame, writer);
    stage.advance();
  }
  write_coil_maps(scan, file);
  file.finish(ctx);
}

}  // namespace whorl
