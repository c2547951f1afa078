// The private interface between pipelines and the library's own filters, through which neighbors share a pass over the
// image. Filters of users derive only from Filter; each of them is a pass of its own.
#pragma once

#include <memory>
#include <optional>

#include "filter/src/kernels/points/point_ends.hpp"
#include "filter/src/points/bound_points.hpp"
#include "filter/src/points/point_program.hpp"
#include "whorl/filter/filter.hpp"

namespace whorl {

/// A statistic of a whole image, collected band by band. It ends in a point operation.
class ImageStatistic {
 public:
  ImageStatistic() = default;
  virtual ~ImageStatistic() = default;
  ImageStatistic(const ImageStatistic&) = delete;
  ImageStatistic& operator=(const ImageStatistic&) = delete;

  /// Adds rows that this pass has not seen.
  virtual void add(const Context& ctx, const Image& band) = 0;
  /// Called after all rows: returns whether another pass over them is needed. Waits for the device.
  virtual bool wants_another_pass(const Context& ctx) = 0;
  /// The point operation; called after the last pass.
  virtual PointProgram finish() const = 0;
};

namespace filters {

/// A filter whose apply only queues work on the device, the same work for each image of a format. It neither waits nor
/// copies from the host. Pipelines record this work once and repeat it.
class RepeatableFilter : public Filter {
 public:
  using Filter::Filter;

  bool is_repeatable(const ImageFormat& input) const { return do_is_repeatable(input); }

 private:
  /// False for formats for which this does not hold.
  virtual bool do_is_repeatable(const ImageFormat& /*input*/) const { return true; }
};

/// For any filter.
bool is_repeatable(const Filter& filter, const ImageFormat& input);

/// A filter that applies the same point operation to each pixel. Its class only defines do_points.
class PointFilter : public Filter {
 public:
  using Filter::Filter;

  /// Throws as output.
  PointProgram points(const ImageFormat& input) const { return do_points(input); }

 private:
  virtual PointProgram do_points(const ImageFormat& input) const = 0;

  ImageFormat do_output(const ImageFormat& input) const final;
  void do_apply(const Context& ctx, const Image& input, Image& result) const final;
  RowRange do_rows_needed(const ImageFormat& input, RowRange result) const final;
};

/// A filter that applies a point operation which depends on a statistic of the whole image. Its class defines
/// do_statistic, and do_output if the format changes or is refused.
class StatisticFilter : public Filter {
 public:
  using Filter::Filter;

  std::unique_ptr<ImageStatistic> statistic(const ImageFormat& input) const { return do_statistic(input); }

 private:
  virtual std::unique_ptr<ImageStatistic> do_statistic(const ImageFormat& input) const = 0;

  ImageFormat do_output(const ImageFormat& input) const override { return input; }
  void do_apply(const Context& ctx, const Image& input, Image& result) const final;
};

/// Runs all passes of a statistic over an image.
PointProgram learn(const Context& ctx, ImageStatistic& statistic, const Image& image);

/// A filter whose kernel does point operations of its neighbors, if the device's can_fuse allows it.
class FusingFilter : public RepeatableFilter {
 public:
  using RepeatableFilter::RepeatableFilter;

  /// Whether the device does the program at this end, for images of format `input` after the load.
  bool can_fuse(DeviceKind device, const ImageFormat& input, PointPlace place, const PointProgram& program) const;
  /// As apply, with operations that can_fuse allows; the pixels are the same as with separate passes. `from` is the
  /// image before the load, `input` the format after it, and `to` the image after the store.
  void apply_with(const Context& ctx, const ImageFormat& input, const kernels::PointEnds& ends, const Image& from,
                  Image& to) const {
    do_apply_with(ctx, input, ends, from, to);
  }

 private:
  /// The kernel that makes the result for such images; none if several kernels make it, or one without PointEnds.
  virtual std::optional<kernels::FusingKernel> do_kernel(const ImageFormat& input) const = 0;
  virtual void do_apply_with(const Context& ctx, const ImageFormat& input, const kernels::PointEnds& ends,
                             const Image& from, Image& to) const = 0;

  void do_apply(const Context& ctx, const Image& input, Image& result) const final {
    do_apply_with(ctx, input.format(), {}, input, result);
  }
};

}  // namespace filters
}  // namespace whorl
