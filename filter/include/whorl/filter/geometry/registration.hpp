// Registration by translation: finds the shift between two images, and shifts images back.
#pragma once

#include "whorl/filter/filter.hpp"

namespace WHORL_PUBLIC whorl {

enum class ShiftScore {
  squared_difference,  ///< mean over the pixels that both images have; the least is best
  correlation,         ///< correlation coefficient of these pixels (-1 to 1); the largest is best
};

struct ShiftOptions {
  Index range = 15;  ///< largest shift in each direction, in pixels of the coarsest image
  ShiftScore score = ShiftScore::squared_difference;
  Index subpixel = 1;    ///< the shift is a multiple of 1/subpixel
  double central = 0.8;  ///< of height and width: the part of the fixed image that is compared
  Index coarsest = 400;  ///< images are halved while their smaller side stays at least this, in pixels
};

/// The moving image at (y + dy, x + dx) shows what the fixed image shows at (y, x).
struct Shift {
  double dy = 0;
  double dx = 0;
  double score = 0;
};

/// The shift with the best score. Coarser images are means of 2 x 2 pixels. On the coarsest image all shifts within the
/// range count: they are tried on images halved once or twice more (not below 96 pixels, nor below a range of 4), and
/// those within two pixels of twice each of the four best valleys found there. On each finer image the shifts within two
/// pixels of twice the best one are tried. For subpixel > 1 both images are enlarged that many times (bicubic), by way of
/// half as many times (rounded up), and the shifts up to two parts from the best one are tried. Among equal scores the smaller
/// shift wins. Shifts that leave less than a quarter of the central part are not tried. Channels and slices all count.
///
/// Accuracy  Integers are summed exactly, so that every device finds the same shift. With subpixel: half of 1/subpixel,
///           for images without frequencies near the highest.
/// Throws    ShapeError if the formats differ, ValueError for options out of range, DeviceError
Shift find_shift(const Context& ctx, const Image& fixed, const Image& moving, const ShiftOptions& options);

struct RegisterOptions : ShiftOptions {
  Index reference = 0;  ///< the volume that stays where it is
};

/// Shifts every volume of a series along rows and columns onto one of them (bicubic for fractions of a pixel). Pixels
/// that a volume lacks are 0. All slices of a volume have one shift.
/// Throws  ShapeError if there is no such volume
std::unique_ptr<Filter> make_register(const RegisterOptions& options);

}  // namespace whorl
