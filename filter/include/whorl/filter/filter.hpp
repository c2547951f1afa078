// Filter: image in, image out, on the context's device.
#pragma once

#include <string>

#include "whorl/core/image.hpp"

namespace WHORL_PUBLIC whorl {

/// Rows [first, last) of every slice of an image.
struct RowRange {
  Index first = 0;
  Index last = 0;
  Index count() const { return last - first; }
  friend bool operator==(const RowRange&, const RowRange&) = default;
};

/// A filter with its parameters. The public methods check and call the private ones.
///
/// Numbers  The result has the input's type. Integers are rounded to the nearest (halves up) and clipped; float32 is
///          neither clipped nor scaled. Filters that differ from this say so.
/// Alpha    Filters that move or average pixels treat alpha like a color; filters of light and slopes do not change it.
/// Threads  Several may apply a filter at once, as Context allows. Classes of users keep to this: what their private
///          methods change is local to the call, or locked.
/// Devices  All give the same integers, and float32 within 1e-6 of the image's largest value.
///
/// Users may derive their own classes from this: Pipeline::add takes them.
class Filter {
 public:
  explicit Filter(std::string name) : name_(std::move(name)) {}
  virtual ~Filter() = default;
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;

  /// Its name in the list of filters.
  const std::string& name() const { return name_; }

  /// The result's format for an image of this format. Throws ShapeError, ValueError or Unsupported, naming the filter,
  /// if it does not take such images.
  ImageFormat output(const ImageFormat& input) const;

  /// The filtered image. Input and result lie on the context's device.
  /// Throws  as output; DeviceError if the input lies on another device; ValueError if the input is the result;
  ///         Cancelled
  Image apply(const Context& ctx, const Image& input) const;
  /// Into `result`, which has the output's format and is not the input.
  void apply(const Context& ctx, const Image& input, Image& result) const;

  /// The rows of the input that these rows of the result depend on; all rows if the filter needs the whole image. Large
  /// images are cut into bands accordingly.
  RowRange rows_needed(const ImageFormat& input, RowRange result) const;
  /// Makes the rows `wanted` of the result. `band` has the rows `given` of an image of format `whole`, which include
  /// the rows needed; `result` has only the wanted rows.
  void apply_to_band(const Context& ctx, const ImageFormat& whole, const Image& band, RowRange given, RowRange wanted,
                     Image& result) const;

 private:
  virtual ImageFormat do_output(const ImageFormat& input) const = 0;
  virtual void do_apply(const Context& ctx, const Image& input, Image& result) const = 0;
  /// As rows_needed, by default all rows. Rows beyond the image are cut off.
  virtual RowRange do_rows_needed(const ImageFormat& input, RowRange result) const;
  /// As apply_to_band. By default the band is filtered as an image of its own, and the wanted rows are taken from the
  /// result. This is right if the result has as many rows as the input and depends on nearby rows, not on their number.
  virtual void do_apply_to_band(const Context& ctx, const ImageFormat& whole, const Image& band, RowRange given,
                                RowRange wanted, Image& result) const;

  std::string name_;
};

}  // namespace whorl
