// Filter: image in, image out, on the context's device.
#pragma once

#include <string>

#include "whorl/core/image.hpp"

namespace whorl {

/// Rows [first, last) of every slice of an image.
struct RowRange {
  Index first = 0;
  Index last = 0;
  Index count() const { return last - first; }
  friend bool operator==(const RowRange&, const RowRange&) = default;
};

/// A filter with its parameters. The public methods check and call the private ones.
///
/// Numbers  What comes out has the input's type unless the filter says otherwise. Integers are rounded to the nearest
///          (halves up) and clipped, unless the filter says otherwise; float32 is neither clipped nor scaled.
/// Alpha    Filters that move or average pixels treat it like a color; those that change light and slopes leave it.
/// Devices  The same integers on all; float32 within 1e-6 of the image's largest value.
class Filter {
 public:
  explicit Filter(std::string name) : name_(std::move(name)) {}
  virtual ~Filter() = default;
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;

  /// As in the list of filters.
  const std::string& name() const { return name_; }

  /// What comes out for an image of this format. Throws ShapeError, ValueError or Unsupported, naming the filter, where
  /// it does not take such images.
  ImageFormat output(const ImageFormat& input) const;

  /// The filtered image. It lies on the context's device, and so does the input.
  /// Throws  as output, DeviceError (another device), Cancelled
  Image apply(const Context& ctx, const Image& input) const;
  /// Into an image of the output's format; not the input itself.
  void apply(const Context& ctx, const Image& input, Image& result) const;

  /// Which rows of the input rows of the result depend on: what large images are cut into bands by. All of them where
  /// the filter needs the whole image.
  RowRange rows_needed(const ImageFormat& input, RowRange result) const;
  /// Rows `wanted` of the result, for an image of format `whole` of which `band` holds the rows `given` (at least those
  /// needed); `result` has as many rows as are wanted.
  void apply_to_band(const Context& ctx, const ImageFormat& whole, const Image& band, RowRange given, RowRange wanted,
                     Image& result) const;

 private:
  virtual ImageFormat do_output(const ImageFormat& input) const = 0;
  virtual void do_apply(const Context& ctx, const Image& input, Image& result) const = 0;
  /// As rows_needed; may go beyond the image, and is cut to it. By default all rows.
  virtual RowRange do_rows_needed(const ImageFormat& input, RowRange result) const;
  /// As apply_to_band. By default the band is filtered as if it were an image of its own, and the wanted rows are taken
  /// from that: right for filters whose result has the input's rows and depends on those nearby, but not on where they
  /// are.
  virtual void do_apply_to_band(const Context& ctx, const ImageFormat& whole, const Image& band, RowRange given,
                                RowRange wanted, Image& result) const;

  std::string name_;
};

}  // namespace whorl
