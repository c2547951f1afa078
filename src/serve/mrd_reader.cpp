#include "serve/mrd_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace whorl::serve {

namespace {

// Memory is taken for so many bytes that have not arrived yet.
constexpr std::size_t ahead = std::size_t{1} << 16;

constexpr int most_axes = ISMRMRD::ISMRMRD_NDARRAY_MAXDIM;

}  // namespace

std::size_t size_of_type(std::uint16_t data_type) {
  switch (data_type) {
    case ISMRMRD::ISMRMRD_USHORT:
    case ISMRMRD::ISMRMRD_SHORT:
      return 2;
    case ISMRMRD::ISMRMRD_UINT:
    case ISMRMRD::ISMRMRD_INT:
    case ISMRMRD::ISMRMRD_FLOAT:
      return 4;
    case ISMRMRD::ISMRMRD_DOUBLE:
    case ISMRMRD::ISMRMRD_CXFLOAT:
      return 8;
    case ISMRMRD::ISMRMRD_CXDOUBLE:
      return 16;
    default:
      return 0;
  }
}

void MrdReader::refuse(const char* kind, const std::string& what) const {
  throw IoError(fmt::format("MRD message {} ({}): {}", count_, kind, what));
}

void MrdReader::read(const char* kind, std::span<std::byte> to) {
  while (!to.empty()) {
    const std::size_t arrived = stream_.read_some(to);
    if (arrived == 0) {
      throw StreamEnded(fmt::format("MRD message {} ({}): the stream ends within it, {} bytes or more are missing",
                                    count_, kind, to.size()));
    }
    to = to.subspan(arrived);
  }
}

template <class T>
T MrdReader::read_value(const char* kind) {
  T value{};
  read(kind, std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

template <class T>
void MrdReader::read_list(const char* kind, std::size_t count, T& list) {
  constexpr std::size_t block = ahead / sizeof(typename T::value_type);
  while (list.size() < count) {
    const std::size_t before = list.size();
    list.resize(before + std::min(block, count - before));
    read(kind, std::as_writable_bytes(std::span(list).subspan(before)));
  }
}

// In double, which no product of a header's words leaves.
void MrdReader::check_size(const char* kind, const char* what, double bytes, std::size_t limit) const {
  if (bytes <= static_cast<double>(limit)) return;
  refuse(kind, fmt::format("its {} take {:.6g} bytes, at most {} are taken", what, bytes, limit));
}

std::string MrdReader::read_text(const char* kind, std::size_t length) {
  check_size(kind, "characters", static_cast<double>(length), limits_.text);
  std::string text;
  read_list(kind, length, text);
  // Some peers end a text with a zero, and some fill it up.
  text.resize(text.find_last_not_of('\0') + 1);
  return text;
}

std::string MrdReader::read_counted_text(const char* kind) { return read_text(kind, read_value<std::uint32_t>(kind)); }

Acquisition MrdReader::read_acquisition() {
  constexpr const char* kind = "acquisition";
  Acquisition made;
  made.head = read_value<ISMRMRD::ISMRMRD_AcquisitionHeader>(kind);
  const std::size_t samples = made.head.number_of_samples;
  const std::size_t positions = samples * made.head.trajectory_dimensions;
  const std::size_t values = samples * made.head.active_channels;
  check_size(kind, "samples",
             static_cast<double>(positions) * sizeof(float) + static_cast<double>(values) * sizeof(made.samples[0]),
             limits_.data);
  read_list(kind, positions, made.trajectory);
  read_list(kind, values, made.samples);
  return made;
}

Image MrdReader::read_image() {
  constexpr const char* kind = "image";
  Image made;
  made.head = read_value<ISMRMRD::ISMRMRD_ImageHeader>(kind);
  const std::size_t element = size_of_type(made.head.data_type);
  if (element == 0) refuse(kind, fmt::format("data type {} is none of ISMRMRD's, 1 to 8", made.head.data_type));
  const auto attributes = read_value<std::uint64_t>(kind);
  made.attributes = read_text(kind, attributes);
  double bytes = static_cast<double>(element) * made.head.channels;
  for (const std::uint16_t extent : made.head.matrix_size) bytes *= extent;
  check_size(kind, "pixels", bytes, limits_.data);
  read_list(kind, static_cast<std::size_t>(bytes), made.pixels);
  return made;
}

Waveform MrdReader::read_waveform() {
  constexpr const char* kind = "waveform";
  Waveform made;
  made.head = read_value<ISMRMRD::ISMRMRD_WaveformHeader>(kind);
  const std::size_t values = std::size_t{made.head.number_of_samples} * made.head.channels;
  check_size(kind, "values", static_cast<double>(values) * sizeof(std::uint32_t), limits_.data);
  read_list(kind, values, made.values);
  return made;
}

NdArray MrdReader::read_array() {
  constexpr const char* kind = "array";
  const auto words = read_value<std::array<std::uint16_t, 3>>(kind);  // type, version, axes
  NdArray made;
  made.data_type = words[0];
  const std::size_t element = size_of_type(made.data_type);
  if (element == 0) refuse(kind, fmt::format("data type {} is none of ISMRMRD's, 1 to 8", made.data_type));
  if (words[2] > most_axes) refuse(kind, fmt::format("it has {} axes, at most {} are possible", words[2], most_axes));
  read_list(kind, words[2], made.extents);
  auto bytes = static_cast<double>(element);
  for (const std::uint64_t extent : made.extents) bytes *= static_cast<double>(extent);
  check_size(kind, "elements", bytes, limits_.data);
  read_list(kind, static_cast<std::size_t>(bytes), made.elements);
  return made;
}

std::optional<Message> MrdReader::next() {
  constexpr const char* kind = "number";
  stream_.await(Awaited::message);
  std::uint16_t number = 0;
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(&number, 1));
  const std::size_t first = stream_.read_some(bytes);
  if (first == 0) return std::nullopt;
  ++count_;
  stream_.await(Awaited::rest_of_message);
  read(kind, bytes.subspan(first));
  switch (static_cast<MessageId>(number)) {
    case MessageId::config_file:
      return ConfigFile{read_text("config file", config_file_size)};
    case MessageId::config_text:
      return ConfigText{read_counted_text("config text")};
    case MessageId::header:
      return Header{read_counted_text("header")};
    case MessageId::close:
      return Close{};
    case MessageId::text:
      return Text{read_counted_text("text")};
    case MessageId::acquisition:
      return read_acquisition();
    case MessageId::image:
      return read_image();
    case MessageId::waveform:
      return read_waveform();
    case MessageId::array:
      return read_array();
    default:
      refuse(kind,
             fmt::format("{} stands for no message of MRD; is the peer out of step, or not speaking MRD v1?", number));
  }
}

}  // namespace whorl::serve
