#include "recon/finish_images.hpp"

#include <fmt/format.h>

#include <cmath>

#include "recon/field_of_view.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/value_range.hpp"

namespace whorl::recon {

using Complex = std::complex<float>;

void mask_corners(Run& run, const Scan& scan, ImageMask mask, Array<Complex>& images) {
  mask_field_of_view(run.ctx, images.ref().reshape(scan.image_shape().with_front(images.extent(0))));
  run.notes.emplace_back(
      mask == ImageMask::automatic
          ? "Corners of the field of view: set to 0, for the readout's steps are so wide that copies "
            "of the object lie there."
          : "Corners of the field of view: set to 0.");
}

void restore_unit(Run& run, int exponent, bool filters, Array<Complex>& images) {
  if (exponent == 0) return;
  const Array<Complex> here = to_host<const Complex>(run.ctx, images);
  const double largest = largest_part<float>(run.ctx.host(), here);
  check_range<float>("reconstruction: the image", largest, exponent);
  if (filters) check_powers<float>("reconstruction: the image to be filtered", std::ldexp(largest, exponent));
  multiply_by_power_of_two<float>(run.ctx, exponent, images);
}

Array<Complex> filtered(Run& run, const ImageHook& filter, const Array<Complex>& images) {
  Array<Complex> result = run.time("filter", [&] { return filter.apply(run.ctx, images); });
  if (result.shape() == images.shape()) return result;
  throw ShapeError(fmt::format("reconstruction: '{}' made images of shape {}, expected {}", filter.name,
                               to_string(result.shape()), to_string(images.shape())));
}

}  // namespace whorl::recon
