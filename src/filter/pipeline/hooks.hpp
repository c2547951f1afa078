// What pipelines ask of filters beside the image: point operations that can be put together, statistics, and work that
// other filters do for them. A filter answers by the private members of Filter of the same names (do_...).
#pragma once

#include <memory>
#include <optional>

#include "filter/kernels/fused.hpp"
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

/// The operations that a filter does as it reads its input and writes its result; null: none there. The image that it
/// reads is that before `load`, and the one that it writes that after `store`.
struct FusedPoints {
  const BoundPoints* load = nullptr;
  const BoundPoints* store = nullptr;
  ImageFormat input;  ///< after `load`: what the filter sees

  kernels::PointEnds ends() const {
    return {load != nullptr ? &load->code() : nullptr, store != nullptr ? &store->code() : nullptr};
  }
};

namespace filters {

/// The private hooks of Filter.
struct Hooks {
  static std::optional<PointProgram> points(const Filter& filter, const ImageFormat& input) {
    return filter.do_points(input);
  }
  static std::unique_ptr<ImageStatistic> statistic(const Filter& filter, const ImageFormat& input) {
    return filter.do_statistic(input);
  }
  static bool fuses(const Filter& filter, DeviceKind device, const ImageFormat& input, PointPlace place,
                    const PointProgram& program) {
    return filter.do_fuses(device, input, place, program);
  }
  static void apply_fused(const Filter& filter, const Context& ctx, const Image& input, const FusedPoints& points,
                          Image& result) {
    filter.do_apply_fused(ctx, input, points, result);
  }
  static bool is_repeatable(const Filter& filter, const ImageFormat& input) { return filter.do_is_repeatable(input); }
};

/// What a statistic of the whole image, or of all its passes, comes to.
PointProgram learn(const Context& ctx, ImageStatistic& statistic, const Image& image);

/// A filter that does the same to each pixel by itself. Its class says what by do_points, and nothing else.
class PointFilter : public Filter {
 public:
  using Filter::Filter;

 private:
  ImageFormat do_output(const ImageFormat& input) const final;
  void do_apply(const Context& ctx, const Image& input, Image& result) const final;
  RowRange do_rows_needed(const ImageFormat& input, RowRange result) const final;
};

/// A filter that does the same to each pixel, after it has seen the whole image: do_statistic, and do_output where the
/// format changes or is refused.
class StatisticFilter : public Filter {
 public:
  using Filter::Filter;

 private:
  ImageFormat do_output(const ImageFormat& input) const override { return input; }
  void do_apply(const Context& ctx, const Image& input, Image& result) const final;
};

}  // namespace filters
}  // namespace whorl
