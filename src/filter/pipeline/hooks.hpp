// What pipelines ask of the library's own filters besides the image, so that neighbors share a pass over it. Filters of
// users derive from Filter alone; each of them is a pass of its own.
#pragma once

#include <memory>
#include <optional>

#include "filter/kernels/points/point_ends.hpp"
#include "filter/points/bound_points.hpp"
#include "filter/points/point_program.hpp"
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
  /// After all rows: whether another pass over them is needed. Waits for the device.
  virtual bool wants_another_pass(const Context& ctx) = 0;
  /// The operation, after the last pass.
  virtual PointProgram finish() const = 0;
};

namespace filters {

/// A filter whose apply only asks the device for work, the same for each image of a format: it neither waits nor copies
/// from the host. Pipelines record it once and repeat it.
class RepeatableFilter : public Filter {
 public:
  using Filter::Filter;

  bool is_repeatable(const ImageFormat& input) const { return do_is_repeatable(input); }

 private:
  /// False for formats where it is otherwise.
  virtual bool do_is_repeatable(const ImageFormat& /*input*/) const { return true; }
};

/// For any filter.
bool is_repeatable(const Filter& filter, const ImageFormat& input);

/// A filter that does the same to each pixel by itself. Its class says what by do_points, and nothing else.
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

/// A filter that does the same to each pixel, after it has seen the whole image: do_statistic, and do_output where the
/// format changes or is refused.
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

/// A filter whose kernel does point operations of its neighbors, where the device's can_fuse allows it.
class FusingFilter : public RepeatableFilter {
 public:
  using RepeatableFilter::RepeatableFilter;

  /// Whether the device does the program at this end, for images that are `input` behind the load.
  bool can_fuse(DeviceKind device, const ImageFormat& input, PointPlace place, const PointProgram& program) const;
  /// As apply, with operations that can_fuse allows; the same pixels as one after the other. `from` is the image before
  /// the load, `input` the format behind it, and `to` the image behind the store.
  void apply_with(const Context& ctx, const ImageFormat& input, const kernels::PointEnds& ends, const Image& from,
                  Image& to) const {
    do_apply_with(ctx, input, ends, from, to);
  }

 private:
  /// The kernel that makes the result of such images; none where several kernels do, or one without PointEnds.
  virtual std::optional<kernels::FusingKernel> do_kernel(const ImageFormat& input) const = 0;
  virtual void do_apply_with(const Context& ctx, const ImageFormat& input, const kernels::PointEnds& ends,
                             const Image& from, Image& to) const = 0;

  void do_apply(const Context& ctx, const Image& input, Image& result) const final {
    do_apply_with(ctx, input.format(), {}, input, result);
  }
};

}  // namespace filters
}  // namespace whorl
