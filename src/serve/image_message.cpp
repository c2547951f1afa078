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

std::string attributes_of(const OutgoingImage& image, double largest) {
  ISMRMRD::MetaContainer meta;
  meta.set("DataRole", "Image");
  meta.set("ImageProcessingHistory", "whorl");
  meta.set("WindowCenter", largest / 2);
  meta.set("WindowWidth", largest);
  meta.set("Unit", image.in_noise_units ? "standard deviations of the noise in a sample" : "that of the samples");
  std::ostringstream text;
  ISMRMRD::serialize(meta, text);
  return text.str();
}

}  // namespace

Image image_message(const OutgoingImage& image, ImageOutput output) {
  const std::span<const std::complex<float>> values(image.values.data(), static_cast<std::size_t>(image.values.size()));
  std::vector<float> magnitude(values.size());
  std::transform(values.begin(), values.end(), magnitude.begin(),
                 [](std::complex<float> value) { return std::abs(value); });
  ImageFrame frame = image.frame;
  frame.index.repetition &= 0xFFFF;
  Image made;
  made.head = io::image_header(frame, image.values.shape(), image.number % 0xFFFF);
  made.head.measurement_uid = image.last.measurement_uid;
  made.head.acquisition_time_stamp = image.last.acquisition_time_stamp;
  std::memcpy(made.head.physiology_time_stamp, image.last.physiology_time_stamp,
              sizeof(made.head.physiology_time_stamp));
  std::memcpy(made.head.patient_table_position, image.last.patient_table_position,
              sizeof(made.head.patient_table_position));
  made.head.image_series_index = 1;
  if (output == ImageOutput::complex) {
    made.pixels = pixels_of(values);
  } else {
    made.head.data_type = ISMRMRD::ISMRMRD_FLOAT;
    made.head.image_type = ISMRMRD::ISMRMRD_IMTYPE_MAGNITUDE;
    made.pixels = pixels_of(std::span<const float>(magnitude));
  }
  made.attributes = attributes_of(image, magnitude.empty() ? 0 : *std::max_element(magnitude.begin(), magnitude.end()));
  return made;
}

}  // namespace whorl::serve
