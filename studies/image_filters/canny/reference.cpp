// Canny in double precision and whole numbers, step by step, with edges that are connected however far.
#include <cmath>
#include <numbers>

#include "studies/image_filters/canny/canny.hpp"

namespace whorl::studies::image_filters {

namespace {

using Levels = std::vector<int>;

struct Size {
  int height;
  int width;
  std::size_t at(int y, int x) const {
    return static_cast<std::size_t>(Index{wrapped(y, height)} * width + wrapped(x, width));
  }
  bool has(int y, int x) const { return y >= 0 && x >= 0 && y < height && x < width; }
};

Levels smoothed(const Context& host, const Job& job, const Size& size) {
  Levels light;
  for (Index i = 0; i < pixels_of(job); ++i) {
    light.push_back(luma(job.from[3 * i], job.from[3 * i + 1], job.from[3 * i + 2]));
  }
  const std::array<double, 25> window = canny_window();
  Levels result(light.size());
#pragma omp parallel for schedule(static) num_threads(host.threads())
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      double sum = 0;
      for (int tap = 0; tap < 25; ++tap) {
        sum += window[static_cast<std::size_t>(tap)] * light[size.at(y + tap / 5 - 2, x + tap % 5 - 2)];
      }
      result[size.at(y, x)] = static_cast<int>(std::floor(sum + 0.5));
    }
  }
  return result;
}

struct WholeSlopes {
  Levels x;
  Levels y;
  /// The length's square; 0 beyond the picture.
  int square(const Size& size, int row, int column) const {
    if (!size.has(row, column)) return 0;
    const std::size_t at = size.at(row, column);
    return x[at] * x[at] + y[at] * y[at];
  }
};

WholeSlopes slopes_of(const Context& host, const Levels& level, const Size& size) {
  WholeSlopes slopes{Levels(level.size()), Levels(level.size())};
#pragma omp parallel for schedule(static) num_threads(host.threads())
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      const auto near = [&](int j, int i) { return level[size.at(y + j, x + i)]; };
      slopes.x[size.at(y, x)] =
          near(-1, 1) + 2 * near(0, 1) + near(1, 1) - near(-1, -1) - 2 * near(0, -1) - near(1, -1);
      slopes.y[size.at(y, x)] =
          near(1, -1) + 2 * near(1, 0) + near(1, 1) - near(-1, -1) - 2 * near(-1, 0) - near(-1, 1);
    }
  }
  return slopes;
}

// The angle, in eighths of a turn, to the nearest.
Direction along(int x, int y) {
  const long eighth = std::lround(std::atan2(y, x) * 4 / std::numbers::pi);
  return directions[static_cast<std::size_t>((eighth + 4) % 4)];
}

std::vector<Byte> marks_of(const Context& host, const WholeSlopes& slopes, const Size& size) {
  std::vector<Byte> marks(slopes.x.size(), 0);
#pragma omp parallel for schedule(static) num_threads(host.threads())
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      const int square = slopes.square(size, y, x);
      const Direction d = along(slopes.x[size.at(y, x)], slopes.y[size.at(y, x)]);
      if (square <= slopes.square(size, y + d.y, x + d.x) || square <= slopes.square(size, y - d.y, x - d.x)) continue;
      if (square > low_threshold * low_threshold) marks[size.at(y, x)] = weak;
      if (square > high_threshold * high_threshold) marks[size.at(y, x)] = strong;
    }
  }
  return marks;
}

// Looks at all weak marks again and again, forward and backward, until none changes.
std::vector<Byte> edges_of(std::vector<Byte> marks, const Size& size) {
  const Index pixels = Index{size.height} * size.width;
  const auto beside_strong = [&](int y, int x) {
    for (int j = -1; j <= 1; ++j) {
      for (int i = -1; i <= 1; ++i) {
        if (size.has(y + j, x + i) && marks[size.at(y + j, x + i)] == strong) return true;
      }
    }
    return false;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (Index step = 0; step < 2 * pixels; ++step) {
      const Index i = step < pixels ? step : 2 * pixels - 1 - step;
      Byte& mark = marks[static_cast<std::size_t>(i)];
      if (mark != weak || !beside_strong(static_cast<int>(i / size.width), static_cast<int>(i % size.width))) continue;
      mark = strong;
      changed = true;
    }
  }
  for (Byte& mark : marks) {
    if (mark == weak) mark = 0;
  }
  return marks;
}

}  // namespace

CannyReference canny_reference(const Context& host, const Job& job) {
  const Size size{job.height, job.width};
  CannyReference reference;
  reference.marks = marks_of(host, slopes_of(host, smoothed(host, job, size), size), size);
  reference.edges = edges_of(reference.marks, size);
  return reference;
}

}  // namespace whorl::studies::image_filters
