#include "whorl/io/dicom.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/sha256.hpp"
#include "io/dicom/elements.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/version.hpp"
#include "whorl/io/atomic_file.hpp"
#include "whorl/scan/affine.hpp"

namespace whorl {

namespace {

namespace fs = std::filesystem;
using io::dicom::DataSet;
using Vector = std::array<double, 3>;

constexpr const char* mr_image_storage = "1.2.840.10008.5.1.4.1.1.4";
constexpr const char* explicit_little_endian = "1.2.840.10008.1.2.1";
// 2.25 and the UUID of version 5 of the domain name "whorl": that of the writing program.
constexpr const char* implementation = "2.25.315767141682302126369152544441308358219";
constexpr double largest_stored = 65535;

/// "2.25." and 128 bits in decimal digits (PS3.5, B.2).
std::string uid_of(const std::string& text) {
  Sha256 hash;
  hash.add(text.data(), text.size());
  const std::string digits = hash.digits();
  std::string decimal = "0";  // the last digit first
  for (std::size_t i = 0; i < 32; ++i) {
    int carry = digits[i] <= '9' ? digits[i] - '0' : digits[i] - 'a' + 10;
    for (char& digit : decimal) {
      carry += 16 * (digit - '0');
      digit = static_cast<char>('0' + carry % 10);
      carry /= 10;
    }
    for (; carry > 0; carry /= 10) decimal += static_cast<char>('0' + carry % 10);
  }
  std::reverse(decimal.begin(), decimal.end());
  return "2.25." + decimal;
}

/// What is the same in all files.
struct Series {
  std::string study_uid;
  std::string series_uid;
  std::string place_uid;
  double slope = 1;
  double largest = 0;
  int contrasts = 1;
  int repetitions = 1;
  bool is_volume = false;
};

std::string numbers_text(const ImageFrame& frame) {
  const Geometry& place = frame.geometry;
  std::string text = fmt::format("{} {} {} {} {}", frame.index.slice, frame.index.contrast, frame.index.phase,
                                 frame.index.repetition, frame.index.set);
  for (const Vector* vector : {&place.field_of_view_mm, &place.position_mm, &place.read_direction,
                               &place.phase_direction, &place.slice_direction}) {
    for (const double number : *vector) text += fmt::format(" {}", number);
  }
  return text;
}

Series make_series(const Context& ctx, ArrayRef<const float> images, std::span<const ImageFrame> frames) {
  Series series;
  Sha256 hash;
  for (Index frame = 0; frame < images.extent(0); ++frame) {
    ctx.check_cancel("writing DICOM");
    const ArrayRef<const float> values = images.slice(frame);
    for (const float value : values.span()) {
      if (!(value >= 0) || !std::isfinite(value)) {
        throw ValueError(fmt::format("writing DICOM: a value of {}; expected magnitudes", value));
      }
      series.largest = std::max(series.largest, static_cast<double>(value));
    }
    hash.add(values.data(), static_cast<std::size_t>(values.size()) * sizeof(float));
    const ImageFrame& of = frames[static_cast<std::size_t>(frame)];
    const std::string place = numbers_text(of);
    hash.add(place.data(), place.size());
    series.contrasts = std::max(series.contrasts, of.index.contrast + 1);
    series.repetitions = std::max(series.repetitions, of.index.repetition + 1);
  }
  const std::string digits = hash.digits();
  series.study_uid = uid_of(digits + " study");
  series.series_uid = uid_of(digits + " series");
  series.place_uid = uid_of(digits + " frame of reference");
  series.is_volume = images.extent(1) > 1;
  if (series.largest > 0) series.slope = std::stod(io::dicom::decimal(series.largest / largest_stored));
  return series;
}

void add_patient_and_study(DataSet& set, const MeasurementFacts& facts, const Series& series) {
  set.text(0x00080008, "CS", std::vector<std::string>{"ORIGINAL", "PRIMARY", "M"});
  set.text(0x00080016, "UI", mr_image_storage);
  for (const auto& [tag, representation] : {std::pair{0x00080020U, "DA"},
                                            {0x00080030U, "TM"},
                                            {0x00080050U, "SH"},
                                            {0x00080090U, "PN"},
                                            {0x00100010U, "PN"},
                                            {0x00100020U, "LO"},
                                            {0x00100030U, "DA"},
                                            {0x00100040U, "CS"},
                                            {0x00200010U, "SH"},
                                            {0x00201040U, "LO"}}) {
    set.text(tag, representation, "");
  }
  set.text(0x00080060, "CS", "MR");
  set.text(0x00080070, "LO", facts.manufacturer);
  if (!facts.institution.empty()) set.text(0x00080080, "LO", facts.institution);
  if (!facts.model.empty()) set.text(0x00081090, "LO", facts.model);
  set.text(0x00181020, "LO", "whorl " + version());
  if (!facts.protocol.empty()) set.text(0x00181030, "LO", facts.protocol);
  set.text(0x00185100, "CS", facts.patient_position);
  set.text(0x0020000D, "UI", series.study_uid);
  set.text(0x0020000E, "UI", series.series_uid);
  set.integer(0x00200011, 1);
  set.text(0x00200052, "UI", series.place_uid);
}

void add_acquisition(DataSet& set, const MeasurementFacts& facts, const Series& series, const FrameIndex& index) {
  set.text(0x00180020, "CS", "RM");  // research mode
  set.text(0x00180021, "CS", "NONE");
  set.text(0x00180022, "CS", "");
  set.text(0x00180023, "CS", series.is_volume ? "3D" : "2D");
  const auto first = [&](io::dicom::Tag tag, const std::vector<double>& values, bool may_be_empty) {
    if (!values.empty()) {
      set.numbers(tag, {values.front()});
    } else if (may_be_empty) {
      set.text(tag, "DS", "");
    }
  };
  const bool by_contrast = static_cast<int>(facts.echo_times_ms.size()) == series.contrasts;
  first(0x00180080, facts.repetition_times_ms, true);
  first(0x00180081, facts.echo_times_ms, true);
  if (by_contrast) set.numbers(0x00180081, {facts.echo_times_ms[static_cast<std::size_t>(index.contrast)]});
  first(0x00180082, facts.inversion_times_ms, false);
  if (facts.resonance_hz > 0) set.numbers(0x00180084, {facts.resonance_hz / 1e6});
  set.integer(0x00180086, index.contrast + 1);
  if (facts.field_strength_t > 0) set.numbers(0x00180087, {facts.field_strength_t});
  set.text(0x00180091, "IS", "");
  first(0x00181314, facts.flip_angles_degrees, false);
  set.integer(0x00200012, index.repetition + 1);
  if (series.repetitions > 1) {
    set.integer(0x00200100, index.repetition + 1);
    set.integer(0x00200105, series.repetitions);
  }
}

double length(const Vector& v) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

void add_plane(DataSet& set, const Geometry& geometry, const Shape& images, Index z) {
  const Affine affine = voxel_affine(geometry, {images[3], images[2], images[1]});
  std::array<Vector, 4> columns{};  // in LPS: of x, y, z and the origin
  for (std::size_t column = 0; column < 4; ++column) {
    for (std::size_t row = 0; row < 3; ++row) columns[column][row] = (row < 2 ? -1 : 1) * affine.matrix[row][column];
  }
  std::vector<double> position;
  std::vector<double> orientation;
  for (std::size_t row = 0; row < 3; ++row) {
    position.push_back(columns[3][row] + static_cast<double>(z) * columns[2][row]);
  }
  for (std::size_t column = 0; column < 2; ++column) {
    for (std::size_t row = 0; row < 3; ++row) orientation.push_back(columns[column][row] / length(columns[column]));
  }
  set.numbers(0x00200032, position);
  set.numbers(0x00200037, orientation);
  set.numbers(0x00280030, {length(columns[1]), length(columns[0])});  // between rows, between columns
  if (geometry.field_of_view_mm[2] > 0) {
    set.numbers(0x00180050, {length(columns[2])});
    set.numbers(0x00180088, {length(columns[2])});
  } else {
    set.text(0x00180050, "DS", "");
  }
}

void add_pixels(DataSet& set, ArrayRef<const float> values, const Series& series) {
  set.word(0x00280002, 1);
  set.text(0x00280004, "CS", "MONOCHROME2");
  set.word(0x00280010, static_cast<std::uint16_t>(values.extent(0)));
  set.word(0x00280011, static_cast<std::uint16_t>(values.extent(1)));
  set.word(0x00280100, 16);
  set.word(0x00280101, 16);
  set.word(0x00280102, 15);
  set.word(0x00280103, 0);
  if (series.largest >= 1) {  // the standard has no narrower windows
    set.numbers(0x00281050, {series.largest / 2});
    set.numbers(0x00281051, {series.largest});
  }
  set.numbers(0x00281052, {0});
  set.numbers(0x00281053, {series.slope});
  set.text(0x00281054, "LO", "US");  // no unit
  std::string pixels;
  pixels.reserve(2 * static_cast<std::size_t>(values.size()));
  for (const float value : values.span()) {
    const auto stored = static_cast<unsigned>(std::min(largest_stored, std::round(value / series.slope)));
    pixels += static_cast<char>(stored & 0xFF);
    pixels += static_cast<char>(stored >> 8);
  }
  set.bytes(0x7FE00010, "OW", std::move(pixels));
}

/// The bytes of a file: preamble, meta information, data set (PS3.10, 7.1).
std::string file_of(const DataSet& set, const std::string& instance_uid) {
  DataSet meta;
  meta.bytes(0x00020001, "OB", std::string("\0\1", 2));
  meta.text(0x00020002, "UI", mr_image_storage);
  meta.text(0x00020003, "UI", instance_uid);
  meta.text(0x00020010, "UI", explicit_little_endian);
  meta.text(0x00020012, "UI", implementation);
  meta.text(0x00020013, "SH", "WHORL");
  const std::string rest = meta.encoded();
  std::string length(4, '\0');
  for (int i = 0; i < 4; ++i) length[static_cast<std::size_t>(i)] = static_cast<char>(rest.size() >> (8 * i) & 0xFF);
  DataSet first;
  first.bytes(0x00020000, "UL", length);
  constexpr std::size_t preamble = 128;
  std::string file(preamble, '\0');
  file += "DICM";  // not `+`: GCC 12 warns of a write out of bounds that is none
  file += first.encoded() + rest + set.encoded();
  return file;
}

}  // namespace

std::vector<fs::path> dicom_files(const fs::path& path, const Shape& images) {
  const Index count = images[0] * images[1];
  if (count == 1) return {path};
  const std::size_t digits = std::max<std::size_t>(3, std::to_string(count).size());
  std::vector<fs::path> files;
  for (Index i = 1; i <= count; ++i) {
    files.push_back(path.parent_path() / fmt::format("{}_{:0{}}.dcm", path.stem().string(), i, digits));
  }
  return files;
}

void check_dicom(const Shape& images, std::span<const ImageFrame> frames) {
  if (images.rank() != 4 || images.size() == 0 || images[0] != static_cast<Index>(frames.size())) {
    throw ShapeError(fmt::format("writing DICOM: expected images [frame, z, y, x] of {} frames, got {}", frames.size(),
                                 to_string(images)));
  }
  if (std::max(images[2], images[3]) > static_cast<Index>(largest_stored)) {
    throw ValueError(fmt::format("writing DICOM: images of {} x {} pixels; the format holds up to {:g}", images[3],
                                 images[2], largest_stored));
  }
  for (const ImageFrame& frame : frames) {
    voxel_affine(frame.geometry, {images[3], images[2], images[1]});
    const Vector& field = frame.geometry.field_of_view_mm;
    if (!(field[0] > 0 && field[1] > 0) || (images[1] > 1 && !(field[2] > 0))) {
      throw ValueError(fmt::format(
          "writing DICOM: the field of view is {} x {} x {} mm, so pixels have no size; write .nii or .npy, "
          "or give the scan its field of view",
          field[0], field[1], field[2]));
    }
  }
}

std::vector<fs::path> write_dicom(const Context& ctx, const fs::path& path, ArrayRef<const float> images,
                                  std::span<const ImageFrame> frames, const MeasurementFacts& facts) {
  check_dicom(images.shape(), frames);
  const std::vector<fs::path> files = dicom_files(path, images.shape());
  const Series series = make_series(ctx, images, frames);
  ProgressStage stage(ctx, "writing " + path.filename().string(), static_cast<Index>(files.size()));
  AtomicFileGroup together;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto frame = static_cast<Index>(i) / images.extent(1);
    const auto z = static_cast<Index>(i) % images.extent(1);
    const ImageFrame& of = frames[static_cast<std::size_t>(frame)];
    const std::string instance_uid = uid_of(fmt::format("{} {}", series.series_uid, i));
    DataSet set;
    add_patient_and_study(set, facts, series);
    set.text(0x00080018, "UI", instance_uid);
    set.integer(0x00200013, static_cast<Index>(i) + 1);
    add_acquisition(set, facts, series, of.index);
    add_plane(set, of.geometry, images.shape(), z);
    add_pixels(set, images.slice(frame).slice(z), series);
    write_file(files[i], file_of(set, instance_uid));
    stage.advance();
  }
  together.commit();
  return files;
}

}  // namespace whorl
