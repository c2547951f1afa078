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

/// What is learned of a whole image, band by band, to make a point operation of it.
class ImageStatistic {
 public:
  ImageStatistic() = default;
  virtual ~ImageStatistic() = default;
  ImageStatistic(const ImageStatistic&) = delete;
  ImageStatistic& operator=(const ImageStatistic&) = delete;

  /// Rows that no call of this pass had.
  virtual void add(const Context& ctx, const Image& band) = 0;
  /// After all rows: whether they have to come once more. Waits for the device.
  virtual bool wants_another_pass(const Context& ctx) = 0;
  /// After the last pass.
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

/// What a statistic of the whole image, or of all its passes, comes to.
PointProgram learn(const Context& ctx, ImageStatistic& statistic, const Image& image);

/// A filter whose kernel takes point operations of its neighbors, as far as the device's can_fuse says so.
class FusingFilter : public RepeatableFilter {
 public:
  using RepeatableFilter::RepeatableFilter;

  /// Whether the device does the program at this end, for images that are `input` behind the load.
  bool can_fuse(DeviceKind device, const ImageFormat& input, PointPlace place, const PointProgram& program) const;
  /// As apply, with operations that can_fuse took; the result is that of one after the other. The image that is read is
  /// that before the load, and `input` that behind it; the one that is written is that behind the store.
  void apply_with(const Context& ctx, const ImageFormat& input, const kernels::PointEnds& ends, const Image& from,
                  Image& to) const {
    do_apply_with(ctx, input, ends, from, to);
  }

 private:
  /// The kernel that reads such images and writes the result; none where that is more than one kernel that takes
  /// operations.
  virtual std::optional<kernels::FusingKernel> do_kernel(const ImageFormat& input) const = 0;
  virtual void do_apply_with(const Context& ctx, const ImageFormat& input, const kernels::PointEnds& ends,
                             const Image& from, Image& to) const = 0;

  void do_apply(const Context& ctx, const Image& input, Image& result) const final {
    do_apply_with(ctx, input.format(), {}, input, result);
  }
};

}  // namespace filters
}  // namespace whorl
