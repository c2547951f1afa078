#include "recon/finish_images.hpp"

#include <fmt/format.h>

#include <cmath>

#include "recon/field_of_view.hpp"
#include "recon/tiles/spill.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/value_range.hpp"

namespace whorl::recon {

using Complex = std::complex<float>;

namespace {

Array<Complex> filtered(Run& run, const ImageHook& filter, const Array<Complex>& images) {
  Array<Complex> result = run.time(stages::filter, [&] { return filter.apply(run.ctx, images); });
  if (result.shape() == images.shape()) return result;
  throw ShapeError(fmt::format("reconstruction: '{}' made images of shape {}, expected {}", filter.name,
                               to_string(result.shape()), to_string(images.shape())));
}

}  // namespace

ImageFinish::ImageFinish(const Scan& scan, const ReconOptions& options, bool in_turn)
    : options_(options),
      image_(scan.image_shape()),
      masks_(masks_field_of_view(scan, options)),
      hands_over_(options.resources.on_image != nullptr && !options.filter && in_turn) {}

void ImageFinish::finish(Run& run, ArrayRef<Complex> images) {
  const Context there = context_at(run.ctx, images.device());
  if (masks_) {
    if (mask_.size() == 0) mask_ = field_of_view_mask(there, image_);
    mask_field_of_view(there, mask_, images);
  }
  if (run.exponent == 0) return;
  const Array<Complex> here = to_host<Complex>(run.ctx, images);
  const double largest = largest_part<float>(run.ctx.host(), here);
  check_range<float>("reconstruction: the image", largest, run.exponent);
  if (options_.filter)
    check_powers<float>("reconstruction: the image to be filtered", std::ldexp(largest, run.exponent));
  multiply_by_power_of_two<float>(there, run.exponent, images);
}

void ImageFinish::hand_over(Run& run, Images& images, const FrameGroup& group) {
  if (!hands_over_) return;
  const bool on_host = images.device().kind == DeviceKind::cpu;
  if (result_.size() == 0) result_ = on_host ? images.share() : Images(run.ctx.host(), images.shape());
  const auto [first, last] = group.images;
  const ArrayRef<Complex> made = images.range(first, last);
  finish(run, made);
  if (!on_host) run.time(stages::download, [&] { copy<Complex>(run.ctx, made, result_.range(first, last)); });
  for (Index image = first; image < last; ++image) options_.resources.on_image(image, result_.slice(image));
}

ImageFinish::Images ImageFinish::take(Run& run, Images& images) {
  if (masks_) {
    run.notes.emplace_back(
        options_.mask == ImageMask::automatic
            ? "Corners of the field of view: set to 0, for the readout's steps are so wide that copies "
              "of the object lie there."
            : "Corners of the field of view: set to 0.");
  }
  if (!hands_over_) {
    finish(run, images);
    if (options_.filter) images = filtered(run, *options_.filter, images);
    const bool on_host = images.device().kind == DeviceKind::cpu;
    result_ =
        on_host ? std::move(images) : run.time(stages::download, [&] { return to_host<Complex>(run.ctx, images); });
  }
  check_range<float>("reconstruction: the image", largest_part<float>(run.ctx.host(), result_), 0);
  return std::move(result_);
}

void finish_further(Run& run, const Shape& image, bool masked, Reconstruction& result) {
  const Context& host = run.ctx.host();
  for (Array<std::complex<float>>* values : {&result.error_bars.bias, &result.set_images, &result.parts}) {
    multiply_by_power_of_two<float>(host, run.exponent, *values);
  }
  if (!masked) return;
  mask_field_of_view(image, result.error_bars);
  if (result.parts.size() == 0) return;
  const Index count = result.parts.extent(0) * result.parts.extent(1);
  mask_field_of_view(host, result.parts.ref().reshape(image.with_front(count)));
}

}  // namespace whorl::recon
