#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "phantom/contour_transform.hpp"
#include "phantom/figure_transform.hpp"
#include "whorl/core/error.hpp"

namespace whorl::detail {
namespace {

constexpr double two_pi = 2 * std::numbers::pi;
constexpr int levels = 8;                    // quadratures for |k| up to 1/8, 2/8, ... of the largest
constexpr Eigen::Index nodes_together = 128;  // as many phases as stay in the cache
constexpr double most_nodes = 1 << 17;        // whose tables take 0.5 GB for 25 terms
constexpr double most_nodes_of_piece = 1 << 13;

// Nodes of a piece so that the quadrature's relative error is of the order 1e-10. Over the piece the phase runs through
// 2 w at most, w = pi |k| * largest |r'|. The rule of n nodes integrates the Legendre expansion of exp(i w x) to degree
// 2 n - 1, and that expansion's coefficients, spherical Bessel functions j_m(w), fall below 1e-10 at
// m = w + 8.5 w^(1/3); four more nodes take the polynomials dr and the uneven speed along the piece.
double node_count(const CurvePiece& piece, double largest_k) {
  const double speed = piece.col(1).norm() + 2 * piece.col(2).norm() + 3 * piece.col(3).norm();
  const double half_phase = std::numbers::pi * largest_k * speed;
  return std::ceil((half_phase + 8.5 * std::cbrt(half_phase)) / 2) + 4;
}

std::vector<int> node_counts(const std::vector<CurvePiece>& pieces, double largest_k) {
  std::vector<int> counts;
  double total = 0;
  for (const CurvePiece& piece : pieces) {
    const double count = node_count(piece, largest_k);
    total += count;
    if (!(total <= most_nodes) || count > most_nodes_of_piece) {
      throw ValueError(fmt::format("phantom: a spline at |k| = {:g} cycles per pixel needs more than 2^17 nodes, or 2^13 "
                                   "for a piece; expected positions of about 0.5 at most, or a smaller matrix",
                                   largest_k));
    }
    counts.push_back(static_cast<int>(count));
  }
  return counts;
}

// The quadrature up to one |k|.
struct Level {
  double largest_k;             // of k - q
  Eigen::Matrix2Xd places;      // [2, node]
  Eigen::MatrixXcd term_steps;  // exp(2 pi i q.r) dy, then the same with dx [2 terms, node]
};

// F = i / (2 pi |k|^2) contour integral of exp(-2 pi i k.r) (k_x dy - k_y dx). With k - q in the place of k, the nodes'
// exp(-2 pi i k.r) are the same for all q, and what remains is a product of matrices.
class SplineTransform final : public PlaneTransform {
 public:
  SplineTransform(const std::vector<CurvePiece>& pieces, const Eigen::Matrix2Xd& frequencies, double largest_k)
      : frequencies_(frequencies),
        largest_frequency_(frequencies.colwise().norm().maxCoeff()),
        near_zero_(pieces) {
    for (int number = 1; number <= levels; ++number) {
      Level level{(largest_k + largest_frequency_) * number / levels, {}, {}};
      const CurveNodes nodes = curve_nodes(pieces, node_counts(pieces, level.largest_k));
      level.places = nodes.places;
      const Eigen::MatrixXcd phases = turned(frequencies.transpose() * nodes.places);
      level.term_steps.resize(2 * frequencies.cols(), nodes.places.cols());
      level.term_steps.topRows(frequencies.cols()) = phases * nodes.steps.row(1).asDiagonal();
      level.term_steps.bottomRows(frequencies.cols()) = phases * nodes.steps.row(0).asDiagonal();
      levels_.push_back(std::move(level));
    }
  }

  void evaluate(const Eigen::Matrix2Xd& k, Eigen::MatrixXcd& values) const override {
    const Eigen::Index terms = frequencies_.cols();
    const Level& level = level_for(k.colwise().norm().maxCoeff() + largest_frequency_);
    Eigen::MatrixXcd sums = Eigen::MatrixXcd::Zero(2 * terms, k.cols());
    for (Eigen::Index first = 0; first < level.places.cols(); first += nodes_together) {
      const Eigen::Index count = std::min(nodes_together, level.places.cols() - first);
      const Eigen::MatrixXcd phases = turned(-(level.places.middleCols(first, count).transpose() * k));
      sums.noalias() += level.term_steps.middleCols(first, count) * phases;
    }
    for (Eigen::Index sample = 0; sample < values.cols(); ++sample) {
      for (Eigen::Index term = 0; term < terms; ++term) {
        const Eigen::Vector2d moved = k.col(sample) - frequencies_.col(term);
        if (near_zero_.holds(moved)) {
          values(term, sample) = near_zero_(moved);
        } else {
          values(term, sample) = std::complex<double>(0, 1 / (two_pi * moved.squaredNorm())) *
                                 (moved.x() * sums(term, sample) - moved.y() * sums(terms + term, sample));
        }
      }
    }
  }

 private:
  const Level& level_for(double largest_k) const {
    for (const Level& level : levels_) {
      if (largest_k <= level.largest_k) return level;
    }
    return levels_.back();
  }

  Eigen::Matrix2Xd frequencies_;
  double largest_frequency_;
  TransformNearZero near_zero_;
  std::vector<Level> levels_;
};

}  // namespace

std::unique_ptr<PlaneTransform> make_spline_transform(const std::vector<CurvePiece>& pieces,
                                                      const Eigen::Matrix2Xd& frequencies, double largest_k) {
  return std::make_unique<SplineTransform>(pieces, frequencies, largest_k);
}

}  // namespace whorl::detail
