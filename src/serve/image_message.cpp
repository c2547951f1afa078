#include "serve/image_message.hpp"

#include <fmt/format.h>
#include <ismrmrd/meta.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <sstream>

#include "io/ismrmrd/geometry.hpp"

namespace whorl::serve {

namespace {

template <class T>
std::vector<std::byte> pixels_of(std::span<const T> values) {
  const std::span<const std::byte> bytes = std::as_bytes(values);
  return {bytes.begin(), bytes.end()};
}

// Its root has the bits of std::abs, which costs milliseconds per frame.
double square_of(std::complex<float> value) {
  const double real = value.real();
  const double imaginary = value.imag();
  return real * real + imaginary * imaginary;
}

std::vector<std::byte> magnitudes_of(std::span<const std::complex<float>> values) {
  std::vector<float> magnitudes(values.size());
  std::transform(values.begin(), values.end(), magnitudes.begin(),
                 [](std::complex<float> value) { return static_cast<float>(std::sqrt(square_of(value))); });
  return pixels_of(std::span<const float>(magnitudes));
}

}  // namespace

std::vector<std::pair<std::string, std::variant<std::string, double>>> image_attributes(const OutgoingImage& image,
                                                                                        double largest) {
  return {{"DataRole", "Image"},
          {"ImageProcessingHistory", "whorl"},
          {"WindowCenter", largest / 2},
          {"WindowWidth", largest},
          {"Unit", image.in_noise_units ? "standard deviations of the noise in a sample" : "that of the samples"}};
}

float largest_of(const OutgoingImage& image) {
  double largest = 0;
  for (const std::complex<float> value : image.values.span()) largest = std::max(largest, square_of(value));
  return static_cast<float>(std::sqrt(largest));
}

Image image_message(const OutgoingImage& image, ImageOutput output) {
  const std::span<const std::complex<float>> values(image.values.data(), static_cast<std::size_t>(image.values.size()));
  ImageFrame frame = image.frame;
  frame.index.repetition &= 0xFFFF;
  Image made;
  made.head = io::image_header(frame, image.values.shape(), image.number % 0xFFFF);
  made.head.measurement_uid = image.last.head.measurement_uid;
  made.head.acquisition_time_stamp = image.last.head.acquisition_time_stamp;
  std::memcpy(made.head.physiology_time_stamp, image.last.head.physiology_time_stamp,
              sizeof(made.head.physiology_time_stamp));
  std::memcpy(made.head.patient_table_position, image.last.head.patient_table_position,
              sizeof(made.head.patient_table_position));
  made.head.image_series_index = 1;
  if (output == ImageOutput::complex) {
    made.pixels = pixels_of(values);
  } else {
    made.head.data_type = ISMRMRD::ISMRMRD_FLOAT;
    made.head.image_type = ISMRMRD::ISMRMRD_IMTYPE_MAGNITUDE;
    made.pixels = magnitudes_of(values);
  }
  ISMRMRD::MetaContainer meta;
  for (const auto& [name, value] : image_attributes(image, largest_of(image))) {
    if (const auto* number = std::get_if<double>(&value)) meta.set(name.c_str(), *number);
    if (const auto* word = std::get_if<std::string>(&value)) meta.set(name.c_str(), word->c_str());
  }
  std::ostringstream text;
  ISMRMRD::serialize(meta, text);
  made.attributes = text.str();
  return made;
}

}  // namespace whorl::serve
