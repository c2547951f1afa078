// Slow reference of the tests of whorl::make_canny.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <vector>

#include "support/images.hpp"
#include "whorl/filter/windows/canny.hpp"

namespace whorl::test {

/// Canny as it is defined, pixel by pixel, in doubles.
class CannyReference {
 public:
  CannyReference(const Image& image, Index slice, const CannyOptions& options)
      : options_(options),
        height_(image.format().height),
        width_(image.format().width),
        type_(image.format().type),
        levels_(static_cast<std::size_t>(height_ * width_)) {
    const bool color = count_of(image.format().channels) >= 3;
    for (Index y = 0; y < height_; ++y) {
      for (Index x = 0; x < width_; ++x) {
        const auto channel = [&](Index c) { return value_at(image, slice, y, x, c); };
        double light = channel(0);
        if (color) {
          light = (2125 * channel(0) + 7154 * channel(1) + 721 * channel(2)) / 10000;
          if (type_ != PixelType::float32) light = std::floor(light);
        }
        levels_[y * width_ + x] = light;
      }
    }
    if (options.sigma != 0) smooth();
    find_edges();
  }

  bool is_edge(Index y, Index x) const { return edges_[y * width_ + x] == 2; }

 private:
  double level(Index y, Index x) const {
    y = border_index(options_.border, y, height_);
    x = border_index(options_.border, x, width_);
    return y < 0 || x < 0 ? options_.border_value : levels_[y * width_ + x];
  }

  // Integers as the plan says: products (weight * level + 2^14) >> 15, six bits of fraction between the passes.
  double product(double weight, double value) const {
    if (type_ != PixelType::uint8) return weight * value;
    return std::floor((std::round(weight * 32768) * value + 16384) / 32768);
  }

  void smooth() {
    const Index radius = options_.radius;
    std::vector<double> weights(static_cast<std::size_t>(radius + 1));
    double sum = 0;
    for (Index k = -radius; k <= radius; ++k) {
      weights[std::abs(k)] = std::exp(-static_cast<double>(k * k) / (2 * options_.sigma * options_.sigma));
      sum += weights[std::abs(k)];
    }
    for (double& weight : weights) weight /= sum;
    if (type_ == PixelType::uint8) {
      double middle = 1;
      for (Index k = 1; k <= radius; ++k) middle -= 2 * std::round(weights[k] * 32768) / 32768;
      weights[0] = middle;
    }
    const double scale = type_ == PixelType::uint8 ? 64 : 1;
    const auto across = [&](Index y, Index x) {
      double total = product(weights[0], level(y, x) * scale);
      for (Index k = 1; k <= radius; ++k) {
        total += product(weights[k], (level(y, x - k) + level(y, x + k)) * scale);
      }
      return total;
    };
    std::vector<double> smoothed(levels_.size());
    for (Index y = 0; y < height_; ++y) {
      for (Index x = 0; x < width_; ++x) {
        double total = product(weights[0], across(y, x));
        for (Index k = 1; k <= radius; ++k) total += product(weights[k], across(y - k, x) + across(y + k, x));
        smoothed[y * width_ + x] = type_ == PixelType::uint8 ? std::floor(total / scale + 0.5) : total;
      }
    }
    levels_ = smoothed;
  }

  double sobel(Index y, Index x, bool along_x) const {
    double sum = 0;
    for (Index i = -1; i <= 1; ++i) {
      const double weight = i == 0 ? 2 : 1;
      sum += weight * (along_x ? level(y + i, x + 1) - level(y + i, x - 1) : level(y + 1, x + i) - level(y - 1, x + i));
    }
    return sum;
  }

  // The square of the l2 norm, which is exact.
  double length(Index y, Index x) const {
    if (y < 0 || x < 0 || y >= height_ || x >= width_) return 0;
    const double a = sobel(y, x, true);
    const double b = sobel(y, x, false);
    return options_.norm == GradientNorm::l2 ? a * a + b * b : std::abs(a) + std::abs(b);
  }

  bool is_thin(Index y, Index x) const {
    const double a = sobel(y, x, true);
    const double b = sobel(y, x, false);
    // In units of 45 degrees; where a sector ends no gradient of integers points to.
    const double angle = std::atan2(b, a) / (std::numbers::pi / 4);
    const int sector = (static_cast<int>(std::lround(angle)) + 8) % 4;
    const Index dx = sector == 2 ? 0 : 1;
    const Index dy = sector == 0 ? 0 : sector == 3 ? -1 : 1;
    const double here = length(y, x);
    double before = length(y - dy, x - dx);
    double after = length(y + dy, x + dx);
    if (options_.ties == EdgeTies::first && sector % 2 == 0) return here > before && here >= after;
    return here > before && here > after;
  }

  void find_edges() {
    const auto power = [&](double threshold) {
      return options_.norm == GradientNorm::l2 ? threshold * threshold : threshold;
    };
    const double low = power(options_.low.value_or(0));
    const double high = power(options_.high.value_or(0));
    edges_.assign(levels_.size(), 0);
    std::vector<Index> waiting;
    for (Index y = 0; y < height_; ++y) {
      for (Index x = 0; x < width_; ++x) {
        if (!(length(y, x) > low) || !is_thin(y, x)) continue;
        const bool strong = length(y, x) > high;
        edges_[y * width_ + x] = strong ? 2 : 1;
        if (strong) waiting.push_back(y * width_ + x);
      }
    }
    while (!waiting.empty()) {
      const Index at = waiting.back();
      waiting.pop_back();
      for (Index y = std::max<Index>(at / width_ - 1, 0); y <= std::min(at / width_ + 1, height_ - 1); ++y) {
        for (Index x = std::max<Index>(at % width_ - 1, 0); x <= std::min(at % width_ + 1, width_ - 1); ++x) {
          if (edges_[y * width_ + x] != 1) continue;
          edges_[y * width_ + x] = 2;
          waiting.push_back(y * width_ + x);
        }
      }
    }
  }

  CannyOptions options_;
  Index height_, width_;
  PixelType type_;
  std::vector<double> levels_;
  std::vector<int> edges_;
};

}  // namespace whorl::test
