#include "whorl/prior/align_reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <vector>

#include "math/rotation.hpp"
#include "prior/resample_at.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

using detail::product;
using detail::Rotation;
using Vector3 = std::array<double, 3>;
using Pose = std::array<double, 6>;  // shifts along x, y, z in mm, angles about them in radians

Vector3 applied(const Rotation& a, const Vector3& v) {
  Vector3 w{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) w[i] += a[i][j] * v[j];
  }
  return w;
}

// The axes of an image, its middle and its voxels, in the patient.
struct Frame {
  Rotation axes{};  // columns: unit vectors along x, y, z
  Rotation back{};  // transposed
  Vector3 middle{};
  Vector3 voxel_mm{};

  Frame(const Affine& affine, const std::array<Index, 3>& matrix) {
    for (std::size_t row = 0; row < 3; ++row) middle[row] = affine.matrix[row][3];
    for (std::size_t column = 0; column < 3; ++column) {
      for (const auto& row : affine.matrix) voxel_mm[column] += row[column] * row[column];
      voxel_mm[column] = std::sqrt(voxel_mm[column]);
      const Index half = matrix[column] / 2;
      for (std::size_t row = 0; row < 3; ++row) {
        back[column][row] = axes[row][column] = affine.matrix[row][column] / voxel_mm[column];
        middle[row] += affine.matrix[row][column] * static_cast<double>(half);
      }
    }
  }

  // The affine of what lay at `affine`, turned about the middle and then shifted.
  Affine moved(const Affine& affine, const Pose& pose) const {
    const Rotation turn = product(axes, product(detail::rotation_about_axes(pose[3], pose[4], pose[5]), back));
    const Vector3 shift = applied(axes, {pose[0], pose[1], pose[2]});
    Affine result = affine;
    for (std::size_t column = 0; column < 4; ++column) {
      Vector3 from{};
      for (std::size_t row = 0; row < 3; ++row) {
        from[row] = affine.matrix[row][column] - (column == 3 ? middle[row] : 0);
      }
      const Vector3 to = applied(turn, from);
      for (std::size_t row = 0; row < 3; ++row) {
        result.matrix[row][column] = to[row] + (column == 3 ? middle[row] + shift[row] : 0);
      }
    }
    return result;
  }
};

constexpr std::size_t bins = 32;

// Where values lie among the bins, from 0 to bins - 1.
std::vector<double> places_among_bins(ArrayRef<const float> values) {
  const auto [least, most] = std::ranges::minmax_element(values.span());
  const double width = (static_cast<double>(*most) - *least) / static_cast<double>(bins - 1);
  std::vector<double> places;
  places.reserve(static_cast<std::size_t>(values.size()));
  for (const float value : values.span())
    places.push_back(width > 0 ? (static_cast<double>(value) - *least) / width : 0);
  return places;
}

double entropy(const std::vector<double>& histogram, double total) {
  double sum = 0;
  for (const double count : histogram) sum -= count > 0 ? count / total * std::log(count / total) : 0;
  return sum;
}

// A value counts in both bins beside it, so that small moves change the histogram a little.
double mutual_information(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> joint(bins * bins);
  std::vector<double> of_a(bins);
  std::vector<double> of_b(bins);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto row = static_cast<std::size_t>(std::lround(a[i]));
    const auto column = std::min(static_cast<std::size_t>(b[i]), bins - 2);
    const double part = b[i] - static_cast<double>(column);
    joint[row * bins + column] += 1 - part;
    joint[row * bins + column + 1] += part;
    of_a[row] += 1;
    of_b[column] += 1 - part;
    of_b[column + 1] += part;
  }
  const auto total = static_cast<double>(a.size());
  const double both = entropy(joint, total);
  return both > 0 ? (entropy(of_a, total) + entropy(of_b, total)) / both : 0;
}

class Search {
 public:
  Search(const Context& ctx, const ReferenceImage& reference, const Geometry& geometry,
         const std::array<Index, 3>& matrix, ArrayRef<const float> image)
      : ctx_(ctx),
        reference_(reference),
        geometry_(geometry),
        matrix_(matrix),
        frame_(voxel_affine(geometry, matrix), matrix),
        places_(places_among_bins(image)) {}

  AlignedReference run() {
    prior::check_covered(resampled({}), reference_, geometry_);
    AlignedReference found;
    found.before = found.after = value_at({});
    Pose pose{};
    // Long steps may end at a lesser maximum than short ones, and the other way round.
    constexpr std::array first_steps{4.0, 2.0, 1.0};
    ProgressStage stage(ctx_, "alignment of a reference", std::ssize(first_steps));
    for (const double first : first_steps) {
      Pose end{};
      const double value = climb(end, found.before, first);
      stage.advance(1, fmt::format("mutual information {:.4f}", value));
      if (value <= found.after) continue;
      found.after = value;
      pose = end;
    }
    found.affine = frame_.moved(reference_.affine, pose);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      found.shift_mm[axis] = pose[axis];
      found.rotation_degrees[axis] = pose[axis + 3] * 180 / std::numbers::pi;
    }
    return found;
  }

 private:
  ResampledReference resampled(const Pose& pose) const {
    return prior::resample_at(ctx_, reference_, frame_.moved(reference_.affine, pose), geometry_, matrix_);
  }

  // 0 where nothing of the image is covered.
  double value_at(const Pose& pose) const {
    const ResampledReference here = resampled(pose);
    return here.covered > 0 ? mutual_information(places_, places_among_bins(here.values)) : 0;
  }

  // From a pose of that value, by steps of `first` voxels and then halves of them. Gives the value at the end.
  double climb(Pose& pose, double value, double first) const {
    for (double step = first; step >= 1.0 / 16; step /= 2) {
      constexpr int most_moves = 20;
      for (int move = 0; move < most_moves && improve(pose, value, step); ++move) {
      }
    }
    return value;
  }

  // Goes to the best of the poses one step away, if it is better.
  bool improve(Pose& pose, double& value, double voxels) const {
    const bool flat = matrix_[2] == 1;
    Pose best = pose;
    for (std::size_t i = 0; i < pose.size(); ++i) {
      if (flat && i >= 2 && i < 5) continue;
      for (const double sign : {-1.0, 1.0}) {
        Pose there = pose;
        there[i] += sign * voxels * (i < 3 ? frame_.voxel_mm[i] : angle_of_a_voxel(i - 3));
        const double found = value_at(there);
        if (found > value) {
          value = found;
          best = there;
        }
      }
    }
    const bool moved = best != pose;
    pose = best;
    return moved;
  }

  // The angle that moves a point halfway to the border of the image by a voxel.
  double angle_of_a_voxel(std::size_t axis) const {
    const std::size_t across = (axis + 1) % 3;
    const auto extent = static_cast<double>(std::max(matrix_[across], matrix_[(axis + 2) % 3]));
    return 4 / extent;
  }

  const Context& ctx_;
  const ReferenceImage& reference_;
  Geometry geometry_;
  std::array<Index, 3> matrix_;
  Frame frame_;
  std::vector<double> places_;
};

bool is_finite(ArrayRef<const float> values) {
  return std::ranges::all_of(values.span(), [](float value) { return std::isfinite(value); });
}

}  // namespace

AlignedReference align_reference(const Context& ctx, const ReferenceImage& reference, const Geometry& geometry,
                                 const std::array<Index, 3>& matrix, ArrayRef<const float> image) {
  if (!reference.affine.in_scanner || !voxel_affine(geometry, matrix).in_scanner) {
    throw ValueError(
        fmt::format("reference '{}': it or the scan has no place in the scanner (no orientation code, no field of "
                    "view), so that it cannot be moved; leave the alignment out",
                    reference.source));
  }
  if (image.size() != matrix[0] * matrix[1] * matrix[2]) {
    throw ShapeError(fmt::format("reference '{}': is to be aligned to an image of shape {}, expected {} voxels",
                                 reference.source, to_string(image.shape()), matrix[0] * matrix[1] * matrix[2]));
  }
  const bool of_image = !is_finite(image);
  if (of_image || !is_finite(reference.values.ref())) {
    throw ValueError(fmt::format("reference '{}': {} has values that are not finite, expected numbers to align by",
                                 reference.source, of_image ? "the image" : "it"));
  }
  const auto [least, most] = std::ranges::minmax_element(image.span());
  if (!(*least < *most)) {
    throw ValueError(
        fmt::format("reference '{}': is to be aligned to an image that is {:g} everywhere", reference.source, *least));
  }
  return Search(ctx, reference, geometry, matrix, image).run();
}

}  // namespace whorl
