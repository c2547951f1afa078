#include "density/convex_hull.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "whorl/core/error.hpp"

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace whorl::detail {

namespace {

// Qhull reports to a C stream; this one keeps the text.
class Report {
 public:
  Report() : stream_(::open_memstream(&text_, &size_)) {
    if (stream_ == nullptr) throw Error("convex hull: can not open a stream in memory");
  }
  ~Report() {
    std::fclose(stream_);
    std::free(text_);
  }
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;

  std::FILE* stream() const { return stream_; }
  std::string first_line() {
    std::fflush(stream_);
    const std::string text(text_, size_);
    return text.substr(0, text.find('\n'));
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* stream_;
};

// A run of Qhull, whose memory goes with it.
class Hull {
 public:
  Hull() { qh_zero(&state_, report_.stream()); }
  ~Hull() {
    state_.NOerrexit = True;
    qh_freeqhull(&state_, !qh_ALL);
    int current = 0;
    int total = 0;
    qh_memfreeshort(&state_, &current, &total);
  }
  Hull(const Hull&) = delete;
  Hull& operator=(const Hull&) = delete;

  int run(std::span<const double> points, int dim) {
    std::string command = "qhull";
    // Qhull reads the points only: it copies them where it changes them.
    auto* coordinates = const_cast<double*>(points.data());
    return qh_new_qhull(&state_, dim, static_cast<int>(points.size() / static_cast<std::size_t>(dim)), coordinates,
                        False, command.data(), nullptr, report_.stream());
  }
  const facetT* facets() const { return state_.facet_list; }
  std::string message() { return report_.first_line(); }

 private:
  Report report_;
  qhT state_{};
};

}  // namespace

std::vector<HullPlane> convex_hull(const char* operation, std::span<const double> points, int dim) {
  const auto count = static_cast<Index>(points.size()) / dim;
  if (count < dim + 1 || count > std::numeric_limits<int>::max()) {
    throw ValueError(fmt::format("{}: {} different positions of samples, expected from {} to 2^31 - 1 of them",
                                 operation, count, dim + 1));
  }
  Hull hull;
  const int status = hull.run(points, dim);
  if (status == qh_ERRsingular) {
    throw ValueError(fmt::format("{}: all samples lie {}; there is no {} to share out", operation,
                                 dim == 2 ? "on a line" : "in a plane", dim == 2 ? "area" : "volume"));
  }
  if (status != 0) throw Error(fmt::format("{}: convex hull of the samples: {}", operation, hull.message()));
  std::vector<HullPlane> planes;
  for (const facetT* facet = hull.facets(); facet != nullptr && facet->next != nullptr; facet = facet->next) {
    HullPlane plane;
    std::copy_n(facet->normal, dim, plane.normal.begin());
    plane.offset = -facet->offset;
    planes.push_back(plane);
  }
  return planes;
}

HullDistance::HullDistance(std::vector<HullPlane> planes, int dim, std::span<const double> low,
                           std::span<const double> high)
    : dim_(dim), planes_(std::move(planes)) {
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dim); ++axis) {
    low_[axis] = low[axis];
    step_[axis] = (high[axis] - low[axis]) / static_cast<double>(steps);
  }
  const Index layers = dim == 3 ? steps + 1 : 1;
  distance_.assign(static_cast<std::size_t>(layers * (steps + 1) * (steps + 1)), std::numeric_limits<double>::max());
  for (const HullPlane& plane : planes_) {
    std::size_t node = 0;
    for (Index z = 0; z < layers; ++z) {
      for (Index y = 0; y <= steps; ++y) {
        const double row = plane.offset - plane.normal[2] * (low_[2] + static_cast<double>(z) * step_[2]) -
                           plane.normal[1] * (low_[1] + static_cast<double>(y) * step_[1]);
        for (Index x = 0; x <= steps; ++x, ++node) {
          distance_[node] =
              std::min(distance_[node], row - plane.normal[0] * (low_[0] + static_cast<double>(x) * step_[0]));
        }
      }
    }
  }
}

double HullDistance::at_least(std::span<const double> x) const {
  Index node = 0;
  double square = 0;
  for (int axis = dim_ - 1; axis >= 0; --axis) {
    const auto a = static_cast<std::size_t>(axis);
    const double position = (x[a] - low_[a]) / step_[a];
    const Index nearest = std::clamp(static_cast<Index>(std::lround(position)), Index{0}, steps);
    square += std::pow(x[a] - low_[a] - static_cast<double>(nearest) * step_[a], 2);
    node = node * (steps + 1) + nearest;
  }
  return distance_[static_cast<std::size_t>(node)] - std::sqrt(square);
}

}  // namespace whorl::detail
