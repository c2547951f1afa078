// Images as messages.
#pragma once

#include <complex>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "serve/mrd_messages.hpp"
#include "serve/request.hpp"
#include "whorl/core/array.hpp"
#include "whorl/scan/image_frame.hpp"

namespace whorl::serve {

struct OutgoingImage {
  ArrayRef<const std::complex<float>> values;  ///< [z, y, x], on the host
  ImageFrame frame;
  /// The last acquisition of the frame, whose time stamps, number of the measurement and place of the table the image has.
  const Acquisition& last;
  std::size_t number = 0;  ///< from 0, of the images of a connection
  bool in_noise_units = false;
};

/// What is said of an image beside its header: the window (from 0 to `largest`, its largest magnitude), the unit and its maker.
std::vector<std::pair<std::string, std::variant<std::string, double>>> image_attributes(const OutgoingImage& image,
                                                                                        double largest);

/// The largest magnitude.
float largest_of(const OutgoingImage& image);

/// The message with geometry, counters and attributes. Counters beyond 16 bits begin again.
Image image_message(const OutgoingImage& image, ImageOutput output);

}  // namespace whorl::serve
