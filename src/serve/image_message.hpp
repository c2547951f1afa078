// Images as messages.
#pragma once

#include <complex>
#include <cstddef>

#include "serve/mrd_messages.hpp"
#include "serve/request.hpp"
#include "whorl/core/array.hpp"
#include "whorl/scan/image_frame.hpp"

namespace whorl::serve {

struct OutgoingImage {
  ArrayRef<const std::complex<float>> values;  ///< [z, y, x], on the host
  ImageFrame frame;
  /// The last acquisition of the frame, whose time stamps, number of the measurement and place of the table the image has.
  const ISMRMRD::ISMRMRD_AcquisitionHeader& last;
  std::size_t number = 0;  ///< from 0, of the images of a connection
  bool in_noise_units = false;
};

/// The message with geometry, counters and, in the attributes, the window (from 0 to the largest magnitude) and the unit.
/// Counters beyond 16 bits begin again.
Image image_message(const OutgoingImage& image, ImageOutput output);

}  // namespace whorl::serve
