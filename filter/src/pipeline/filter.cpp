#include "whorl/filter/filter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "filter/src/pipeline/rows.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

void check_device(const Context& ctx, const Image& image, const std::string& name) {
  if (image.device() == ctx.device()) return;
  throw DeviceError(fmt::format("{}: the image lies on {}, expected {}; bring it there by clone(ctx, image)", name,
                                to_string(image.device()), to_string(ctx.device())));
}

void check_rows(const std::string& name, const char* what, RowRange rows, RowRange within) {
  if (rows.first >= within.first && rows.last <= within.last && rows.first < rows.last) return;
  throw ShapeError(fmt::format("{}: {} {} to {}, expected some of {} to {}", name, what, rows.first, rows.last,
                               within.first, within.last));
}

void check_format(const std::string& name, const char* what, const ImageFormat& found, const ImageFormat& expected) {
  if (found == expected) return;
  throw ShapeError(fmt::format("{}: {} is {}, expected {}", name, what, to_string(found), to_string(expected)));
}

void check_apart(const std::string& name, const Image& from, const Image& to) {
  if (&from != &to) return;
  throw ValueError(
      fmt::format("{}: the image is also the one for the result; the result needs an image of its own", name));
}

}  // namespace

ImageFormat Filter::output(const ImageFormat& input) const { return do_output(input); }

Image Filter::apply(const Context& ctx, const Image& input) const {
  Image result(ctx, do_output(input.format()));
  apply(ctx, input, result);
  return result;
}

void Filter::apply(const Context& ctx, const Image& input, Image& result) const {
  check_apart(name_, input, result);
  check_format(name_, "the image for the result", result.format(), do_output(input.format()));
  check_device(ctx, input, name_);
  check_device(ctx, result, name_);
  ctx.check_cancel(name_);
  do_apply(ctx, input, result);
}

RowRange Filter::rows_needed(const ImageFormat& input, RowRange result) const {
  check_rows(name_, "rows of the result", result, {0, do_output(input).height});
  const RowRange needed = do_rows_needed(input, result);
  return {std::clamp<Index>(needed.first, 0, input.height - 1), std::clamp<Index>(needed.last, 1, input.height)};
}

void Filter::apply_to_band(const Context& ctx, const ImageFormat& whole, const Image& band, RowRange given,
                           RowRange wanted, Image& result) const {
  check_apart(name_, band, result);
  check_rows(name_, "rows needed", rows_needed(whole, wanted), given);
  check_format(name_, "the band", band.format(), rows::with_rows(whole, given.count()));
  check_format(name_, "the image for the result", result.format(), rows::with_rows(do_output(whole), wanted.count()));
  check_device(ctx, band, name_);
  check_device(ctx, result, name_);
  ctx.check_cancel(name_);
  do_apply_to_band(ctx, whole, band, given, wanted, result);
}

RowRange Filter::do_rows_needed(const ImageFormat& input, RowRange /*result*/) const { return {0, input.height}; }

void Filter::do_apply_to_band(const Context& ctx, const ImageFormat& /*whole*/, const Image& band, RowRange given,
                              RowRange wanted, Image& result) const {
  if (given == wanted) {
    do_apply(ctx, band, result);
    return;
  }
  Image filtered(ctx, do_output(band.format()));
  do_apply(ctx, band, filtered);
  rows::copy_rows(ctx, filtered, {wanted.first - given.first, wanted.last - given.first}, result);
}

}  // namespace whorl
