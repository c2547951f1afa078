// Registration by translation: by how many pixels one image is shifted against another, and images shifted back.
#pragma once

#include "whorl/filter/filter.hpp"

namespace whorl {

enum class ShiftScore {
  squared_difference,  ///< mean over the pixels that both images have; the least is best
  correlation,         ///< of values less their means, divided by their deviations (-1 to 1); the largest is best
};

struct ShiftOptions {
  Index range = 15;  ///< pixels in each direction, of the coarsest image
  ShiftScore score = ShiftScore::squared_difference;
  Index subpixel = 1;    ///< the shift is a multiple of 1/subpixel
  double central = 0.8;  ///< of height and width: the part of the fixed image that is compared
  Index coarsest = 400;  ///< images are halved as long as their smaller side stays at least this
};

/// The pixel of the moving image at (y + dy, x + dx) shows what the fixed one does at (y, x).
struct Shift {
  double dy = 0;
  double dx = 0;
  double score = 0;
};

/// The shift with the best score: all of them on the coarsest image, those two pixels around twice that shift on each
/// finer one (means of 2 x 2 pixels), and for subpixel > 1 those around it on both images enlarged so many times
/// (bicubic). Of equal scores the smaller shift wins; shifts that leave less than a quarter of the central part are not
/// looked at. Channels are compared like pixels, slices together.
///
/// Accuracy  Integers are summed exactly, so every device finds the same shift. subpixel: half of 1/subpixel where
///           images hold no frequencies near the highest.
/// Throws    ShapeError where formats differ, ValueError for options out of range, DeviceError
Shift find_shift(const Context& ctx, const Image& fixed, const Image& moving, const ShiftOptions& options);

struct RegisterOptions : ShiftOptions {
  Index reference = 0;  ///< the volume that stays where it is
};

/// Every volume of a series shifted by rows and columns onto one of them (bicubic for parts of pixels); pixels that it
/// does not have are 0. The shift of a volume is that of all its slices.
/// Throws  ShapeError where there is no such volume
std::unique_ptr<Filter> make_register(const RegisterOptions& options);

}  // namespace whorl
