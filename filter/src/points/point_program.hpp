// PointProgram: the steps of a point operation, which changes each pixel by itself.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "filter/src/kernels/points/points.hpp"
#include "whorl/core/image.hpp"

namespace whorl {

/// Begins without a step, for pixels of a type and channels; each call adds a step.
///
/// Integers are mapped by tables. Consecutive steps on single numbers become one table, whose entries are the results
/// of all steps. So there is at most one table between two mixes of channels.
class PointProgram {
 public:
  explicit PointProgram(const ImageFormat& input);

  PixelType type() const { return to_type_; }
  Channels channels() const { return to_channels_; }
  bool is_integer() const { return to_type_ != PixelType::float32; }
  /// The number of channels without alpha.
  int colors() const { return count_of(to_channels_) - (has_alpha(to_channels_) ? 1 : 0); }
  /// Whether there is nothing to do.
  bool empty() const { return steps_.empty(); }
  std::size_t size() const { return steps_.size(); }
  /// The result's format for an image of this format.
  ImageFormat output(ImageFormat input) const;
  /// The form for kernels, without the tables. At most kernels::most_point_steps steps.
  kernels::PointCode code() const;

  /// Every color v of integers becomes value(v), rounded to the nearest (halves up) and clipped. Alpha stays.
  void map(const std::function<double(double v)>& value);
  void map_channels(const std::function<double(int channel, double v)>& value);
  /// Every number of all channels, alpha too, becomes value(v) in another type; value(v) must be a number of this type.
  void map_to(PixelType type, const std::function<float(float v)>& value);
  /// The steps below take float32. `colors` have one entry each; alpha stays.
  void affine(std::span<const float> scale, std::span<const float> shift, float low, float high);
  void power(float exponent);
  void absolute();
  void threshold(float limit);
  /// Every color v becomes the entry of its bin (v - low) scale, of kernels::point_bins.
  void bins(float low, float scale, std::vector<float> table);
  /// All channels, alpha too: v times full scale, rounded and clipped.
  void quantize(PixelType type);
  /// RGB to gray: weights of red, green and blue, over the divisor 10000 or 3. Any type.
  void mix(std::array<int, 3> weights, int divisor);
  /// Complex to gray.
  void magnitude();
  void phase();
  void part(int channel);
  /// Adds the steps of `next`, whose input is the output here.
  void then(const PointProgram& next);

 private:
  friend class BoundPoints;
  struct Step {
    kernels::PointStep what;
    /// For `table` and `bins`: [channel][level], or one table for all channels.
    std::shared_ptr<const std::vector<float>> table;
  };

  kernels::PointStep step(kernels::PointOp op) const;
  void add(Step next);
  void add_table(PixelType to, bool same, const std::function<float(int channel, float v)>& value);

  PixelType from_type_, to_type_;
  Channels from_channels_, to_channels_;
  std::vector<Step> steps_;
};

/// The number of levels of an integer type of pixels: 256 or 65536.
int levels_of(PixelType type);

}  // namespace whorl
