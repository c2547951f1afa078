#include "serve/mrd_writer.hpp"

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <span>

#include "whorl/core/error.hpp"

namespace whorl::serve {

namespace {

class EncodedBytes {
 public:
  explicit EncodedBytes(MessageId id) { put(static_cast<std::uint16_t>(id)); }

  template <class T>
  void put(const T& value) {
    append(std::as_bytes(std::span(&value, 1)));
  }
  template <class T>
  void put_all(const std::vector<T>& values) {
    append(std::as_bytes(std::span(values)));
  }
  void put_text(std::string_view text) { append(std::as_bytes(std::span(text))); }
  void put_counted(std::string_view text) {
    if (text.size() > std::numeric_limits<std::uint32_t>::max()) throw IoError("MRD: a text is longer than 4 GiB");
    put(static_cast<std::uint32_t>(text.size()));
    put_text(text);
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  void append(std::span<const std::byte> more) { bytes_.insert(bytes_.end(), more.begin(), more.end()); }

  std::vector<std::byte> bytes_;
};

void check_count(const char* kind, std::size_t counted, std::size_t there) {
  if (counted == there) return;
  throw IoError(fmt::format("MRD {}: its head counts {} values, {} are there", kind, counted, there));
}

std::vector<std::byte> encoded(const ConfigFile& config) {
  if (config.name.size() >= config_file_size) {
    throw IoError(fmt::format("MRD config file: the name has {} bytes, at most {} are possible", config.name.size(),
                              config_file_size - 1));
  }
  std::string filled = config.name;
  filled.resize(config_file_size);
  EncodedBytes bytes(MessageId::config_file);
  bytes.put_text(filled);
  return bytes.take();
}

std::vector<std::byte> counted_text(MessageId id, std::string_view text) {
  EncodedBytes bytes(id);
  bytes.put_counted(text);
  return bytes.take();
}

std::vector<std::byte> encoded(const ConfigText& config) { return counted_text(MessageId::config_text, config.text); }
std::vector<std::byte> encoded(const Header& header) { return counted_text(MessageId::header, header.xml); }
std::vector<std::byte> encoded(const Text& text) { return counted_text(MessageId::text, text.text); }
std::vector<std::byte> encoded(const Close& /*close*/) { return EncodedBytes(MessageId::close).take(); }

std::vector<std::byte> encoded(const Acquisition& acquisition) {
  const ISMRMRD::ISMRMRD_AcquisitionHeader& head = acquisition.head;
  const std::size_t samples = head.number_of_samples;
  check_count("acquisition", samples * head.trajectory_dimensions, acquisition.trajectory.size());
  check_count("acquisition", samples * head.active_channels, acquisition.samples.size());
  EncodedBytes bytes(MessageId::acquisition);
  bytes.put(head);
  bytes.put_all(acquisition.trajectory);
  bytes.put_all(acquisition.samples);
  return bytes.take();
}

std::vector<std::byte> encoded(const Image& image) {
  ISMRMRD::ISMRMRD_ImageHeader head = image.head;
  std::size_t pixels = size_of_type(head.data_type) * head.channels;
  for (const std::uint16_t extent : head.matrix_size) pixels *= extent;
  check_count("image", pixels, image.pixels.size());
  head.attribute_string_len = static_cast<std::uint32_t>(image.attributes.size());
  EncodedBytes bytes(MessageId::image);
  bytes.put(head);
  bytes.put(std::uint64_t{image.attributes.size()});
  bytes.put_text(image.attributes);
  bytes.put_all(image.pixels);
  return bytes.take();
}

std::vector<std::byte> encoded(const Waveform& waveform) {
  check_count("waveform", std::size_t{waveform.head.number_of_samples} * waveform.head.channels,
              waveform.values.size());
  EncodedBytes bytes(MessageId::waveform);
  bytes.put(waveform.head);
  bytes.put_all(waveform.values);
  return bytes.take();
}

std::vector<std::byte> encoded(const NdArray& array) {
  std::size_t elements = size_of_type(array.data_type);
  for (const std::uint64_t extent : array.extents) elements *= extent;
  check_count("array", elements, array.elements.size());
  EncodedBytes bytes(MessageId::array);
  bytes.put(array.data_type);
  bytes.put(std::uint16_t{0});  // version
  bytes.put(static_cast<std::uint16_t>(array.extents.size()));
  bytes.put_all(array.extents);
  bytes.put_all(array.elements);
  return bytes.take();
}

}  // namespace

std::vector<std::byte> encode(const Message& message) {
  return std::visit([](const auto& one) { return encoded(one); }, message);
}

}  // namespace whorl::serve
