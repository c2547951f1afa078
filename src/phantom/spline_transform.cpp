#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>
#include <vector>

#include "phantom/contour_transform.hpp"
#include "phantom/figure_transform.hpp"
#include "whorl/core/error.hpp"

namespace whorl::detail {
namespace {

constexpr int levels = 8;                     // quadratures for |k| up to 1/8, 2/8, ... of the largest
constexpr Eigen::Index nodes_together = 128;  // as many phases as stay in the cache
constexpr double most_nodes = 1 << 17;        // whose tables take 0.4 GB for 37 terms
constexpr double most_nodes_of_piece = 1 << 13;

// Nodes of a piece so that the quadrature's relative error is of the order 1e-10. Over the piece the phase runs through
// 2 w at most, w = pi |k| * largest |r'|. The rule of n nodes integrates the Legendre expansion of exp(i w x) to degree
// 2 n - 1, and that expansion's coefficients, spherical Bessel functions j_m(w), fall below 1e-10 at
// m = w + 8.5 w^(1/3); four more nodes take the polynomials dr and the uneven speed along the piece.
double node_count(const CurvePiece& piece, double largest_k) {
  // The largest of |r'|^2, a polynomial of degree 4, lies at most a few percent above these samples of it.
  double speed = 0;
  for (int i = 0; i <= 8; ++i) {
    const double t = i / 8.0;
    speed = std::max(speed, (piece.col(1) + t * (2 * piece.col(2) + 3 * t * piece.col(3))).norm());
  }
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
      throw ValueError(
          fmt::format("phantom: a spline at |k| = {:g} cycles per pixel needs more than 2^17 nodes, or 2^13 "
                      "for a piece; expected positions of about 0.5 at most, or a smaller matrix",
                      largest_k));
    }
    counts.push_back(static_cast<int>(count));
  }
  return counts;
}

// The quadrature up to one |k|. Frequencies of coils come in pairs q, -q, whose phases at the nodes are cos +- i sin: a
// product of real matrices serves both. Rows 2 p and 2 p + 1 hold cos and sin of pair p, times dx or dy.
struct Level {
  double largest_k;         // of k - q
  Eigen::Matrix2Xd places;  // [2, node]
  Eigen::MatrixXd along_x;  // [2 pair, node]
  Eigen::MatrixXd along_y;
};

// Which pair a frequency belongs to, and whether it is the negative one.
struct PairOf {
  Eigen::Index pair;
  double sign;
};

// G_x(q) = contour integral of exp(-2 pi i (k - q).r) dx, and G_y with dy, give F = i / (2 pi |k|^2) (k_x G_y - k_y
// G_x) with k - q in the place of k. The curve is closed, so that k_x G_x + k_y G_y = 0: either of them is enough, F =
// i G_y / (2 pi k_x) = -i G_x / (2 pi k_y), where its component of k is not small.
class SplineTransform final : public PlaneTransform {
 public:
  SplineTransform(const std::vector<CurvePiece>& pieces, const Eigen::Matrix2Xd& frequencies, double largest_k)
      : frequencies_(frequencies), largest_frequency_(frequencies.colwise().norm().maxCoeff()), near_zero_(pieces) {
    const Eigen::Matrix2Xd pairs = find_pairs();
    for (int number = 1; number <= levels; ++number) {
      const double level_k = (largest_k + largest_frequency_) * number / levels;
      const CurveNodes nodes = curve_nodes(pieces, node_counts(pieces, level_k));
      const Eigen::MatrixXd angles = two_pi * pairs.transpose() * nodes.places;
      Eigen::MatrixXd phases(2 * pairs.cols(), nodes.places.cols());
      for (Eigen::Index pair = 0; pair < pairs.cols(); ++pair) {
        phases.row(2 * pair) = angles.row(pair).array().cos();
        phases.row(2 * pair + 1) = angles.row(pair).array().sin();
      }
      levels_.push_back(
          {level_k, nodes.places, phases * nodes.steps.row(0).asDiagonal(), phases * nodes.steps.row(1).asDiagonal()});
    }
  }

  void evaluate(const Eigen::Matrix2Xd& k, Eigen::MatrixXcd& values) const override {
    double least_x = 1;  // of |k_x| / |k|, and the same of y
    double least_y = 1;
    for_each(k, [&](Eigen::Index, Eigen::Index, const Eigen::Vector2d& moved) {
      if (near_zero_.holds(moved)) return;
      least_x = std::min(least_x, std::abs(moved.x()) / moved.norm());
      least_y = std::min(least_y, std::abs(moved.y()) / moved.norm());
    });
    const Level& level = level_for(k.colwise().norm().maxCoeff() + largest_frequency_);
    // The smaller component costs up to a factor of five in accuracy; if either may be smaller, both are used.
    const bool need_y = least_x >= 0.2 || least_y < 0.2;
    const bool need_x = !(least_x >= 0.2);
    Eigen::MatrixXd sums_x = Eigen::MatrixXd::Zero(need_x ? level.along_x.rows() : 0, 2 * k.cols());
    Eigen::MatrixXd sums_y = Eigen::MatrixXd::Zero(need_y ? level.along_y.rows() : 0, 2 * k.cols());
    for (Eigen::Index first = 0; first < level.places.cols(); first += nodes_together) {
      const Eigen::Index count = std::min(nodes_together, level.places.cols() - first);
      const Eigen::MatrixXd phases = phases_at(level.places.middleCols(first, count), k);
      if (need_x) sums_x.noalias() += level.along_x.middleCols(first, count) * phases;
      if (need_y) sums_y.noalias() += level.along_y.middleCols(first, count) * phases;
    }
    for_each(k, [&](Eigen::Index term, Eigen::Index sample, const Eigen::Vector2d& moved) {
      if (near_zero_.holds(moved)) {
        values(term, sample) = near_zero_(moved);
      } else if (need_y && (!need_x || std::abs(moved.x()) > std::abs(moved.y()))) {
        values(term, sample) = std::complex<double>(0, 1 / (two_pi * moved.x())) * sum_of(sums_y, term, sample);
      } else {
        values(term, sample) = std::complex<double>(0, -1 / (two_pi * moved.y())) * sum_of(sums_x, term, sample);
      }
    });
  }

 private:
  // The frequencies without negatives of others; pair_of_ maps each to its pair.
  Eigen::Matrix2Xd find_pairs() {
    Eigen::Matrix2Xd pairs(2, 0);
    for (Eigen::Index term = 0; term < frequencies_.cols(); ++term) {
      const Eigen::Vector2d q = frequencies_.col(term);
      Eigen::Index same = 0;
      while (same < pairs.cols() && pairs.col(same) != q && pairs.col(same) != -q) ++same;
      if (same == pairs.cols()) {
        pairs.conservativeResize(2, same + 1);
        pairs.col(same) = q;
      }
      pair_of_.push_back({same, pairs.col(same) == q ? 1.0 : -1.0});
    }
    return pairs;
  }

  template <class Body>
  void for_each(const Eigen::Matrix2Xd& k, const Body& body) const {
    for (Eigen::Index sample = 0; sample < k.cols(); ++sample) {
      for (Eigen::Index term = 0; term < frequencies_.cols(); ++term) {
        body(term, sample, k.col(sample) - frequencies_.col(term));
      }
    }
  }

  // Real parts of exp(-2 pi i k.r) in the first columns [node, sample], imaginary parts in the others.
  static Eigen::MatrixXd phases_at(const Eigen::Matrix2Xd& places, const Eigen::Matrix2Xd& k) {
    const Eigen::MatrixXd cycles = -places.transpose() * k;
    Eigen::MatrixXd phases(cycles.rows(), 2 * cycles.cols());
    double* cosine = phases.data();
    double* sine = phases.data() + cycles.size();
    for (Eigen::Index i = 0; i < cycles.size(); ++i) turn(cycles.data()[i], cosine[i], sine[i]);
    return phases;
  }

  std::complex<double> sum_of(const Eigen::MatrixXd& sums, Eigen::Index term, Eigen::Index sample) const {
    const auto [pair, sign] = pair_of_[static_cast<std::size_t>(term)];
    const Eigen::Index imaginary = sums.cols() / 2 + sample;
    const std::complex<double> cosine(sums(2 * pair, sample), sums(2 * pair, imaginary));
    const std::complex<double> sine(sums(2 * pair + 1, sample), sums(2 * pair + 1, imaginary));
    return cosine + std::complex<double>(0, sign) * sine;
  }

  const Level& level_for(double largest_k) const {
    for (const Level& level : levels_) {
      if (largest_k <= level.largest_k) return level;
    }
    return levels_.back();
  }

  Eigen::Matrix2Xd frequencies_;
  double largest_frequency_;
  TransformNearZero near_zero_;
  std::vector<PairOf> pair_of_;
  std::vector<Level> levels_;
};

}  // namespace

std::unique_ptr<PlaneTransform> make_spline_transform(const std::vector<CurvePiece>& pieces,
                                                      const Eigen::Matrix2Xd& frequencies, double largest_k) {
  return std::make_unique<SplineTransform>(pieces, frequencies, largest_k);
}

}  // namespace whorl::detail
