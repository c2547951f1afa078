#include "phantom/curve.hpp"

#include <cmath>
#include <cstddef>
#include <map>
#include <numbers>
#include <numeric>

namespace whorl::detail {
namespace {

constexpr int chords_of_piece = 32;

struct Rule {
  std::vector<double> places;  // on 0 to 1
  std::vector<double> weights;
};

// Gauss-Legendre rule by Newton's method for the roots of the Legendre polynomial, from the usual first guess.
Rule gauss_legendre(int count) {
  Rule rule;
  for (int node = 0; node < count; ++node) {
    double x = std::cos(std::numbers::pi * (node + 0.75) / (count + 0.5));
    double slope = 0;
    for (int round = 0; round < 8; ++round) {
      double value = 1;
      double before = 0;
      for (int degree = 1; degree <= count; ++degree) {
        const double next = ((2 * degree - 1) * x * value - (degree - 1) * before) / degree;
        before = value;
        value = next;
      }
      slope = count * (before - x * value) / (1 - x * x);
      x -= value / slope;
    }
    rule.places.push_back((1 - x) / 2);
    rule.weights.push_back(1 / ((1 - x * x) * slope * slope));
  }
  return rule;
}

Eigen::Vector2d place_at(const CurvePiece& piece, double t) {
  return piece.col(0) + t * (piece.col(1) + t * (piece.col(2) + t * piece.col(3)));
}

Eigen::Vector2d slope_at(const CurvePiece& piece, double t) {
  return piece.col(1) + t * (2 * piece.col(2) + 3 * t * piece.col(3));
}

CurvePiece piece_of(const Contour& contour, std::size_t number) {
  const std::size_t count = contour.points.size();
  const auto point = [&](std::size_t i) -> Eigen::Vector2d {
    const auto& place = contour.points[i % count];
    return {place[0], place[1]};
  };
  CurvePiece piece = CurvePiece::Zero();
  if (contour.kind == ContourKind::polygon) {
    piece.col(0) = point(number);
    piece.col(1) = point(number + 1) - point(number);
    return piece;
  }
  // The basis of the uniform cubic B-spline, in powers of t.
  const Eigen::Vector2d a = point(number);
  const Eigen::Vector2d b = point(number + 1);
  const Eigen::Vector2d c = point(number + 2);
  const Eigen::Vector2d d = point(number + 3);
  piece.col(0) = (a + 4 * b + c) / 6;
  piece.col(1) = (c - a) / 2;
  piece.col(2) = (a - 2 * b + c) / 2;
  piece.col(3) = (d - 3 * c + 3 * b - a) / 6;
  return piece;
}

double signed_area(const std::vector<CurvePiece>& pieces) {
  // x dy is of degree 5, for which three nodes are exact.
  const CurveNodes nodes = curve_nodes(pieces, std::vector<int>(pieces.size(), 3));
  return nodes.places.row(0).dot(nodes.steps.row(1));
}

// The piece from its other end: t becomes 1 - t.
CurvePiece reversed(const CurvePiece& piece) {
  CurvePiece result;
  result.col(0) = piece.rowwise().sum();
  result.col(1) = -(piece.col(1) + 2 * piece.col(2) + 3 * piece.col(3));
  result.col(2) = piece.col(2) + 3 * piece.col(3);
  result.col(3) = -piece.col(3);
  return result;
}

}  // namespace

std::vector<CurvePiece> curve_pieces(const Contour& contour, const Eigen::Vector2d& scale) {
  std::vector<CurvePiece> pieces;
  for (std::size_t number = 0; number < contour.points.size(); ++number) {
    pieces.emplace_back(scale.asDiagonal() * piece_of(contour, number));
  }
  if (signed_area(pieces) < 0) {
    for (CurvePiece& piece : pieces) piece = reversed(piece);
  }
  return pieces;
}

CurveNodes curve_nodes(const std::vector<CurvePiece>& pieces, const std::vector<int>& counts) {
  const Eigen::Index total = std::accumulate(counts.begin(), counts.end(), Eigen::Index{0});
  CurveNodes nodes{Eigen::Matrix2Xd(2, total), Eigen::Matrix2Xd(2, total)};
  std::map<int, Rule> rules;
  Eigen::Index next = 0;
  for (std::size_t number = 0; number < pieces.size(); ++number) {
    const auto [rule, is_new] = rules.try_emplace(counts[number]);
    if (is_new) rule->second = gauss_legendre(counts[number]);
    for (std::size_t node = 0; node < rule->second.places.size(); ++node, ++next) {
      const double t = rule->second.places[node];
      nodes.places.col(next) = place_at(pieces[number], t);
      nodes.steps.col(next) = rule->second.weights[node] * slope_at(pieces[number], t);
    }
  }
  return nodes;
}

std::vector<std::array<double, 2>> curve_polygon(const Contour& contour) {
  if (contour.kind == ContourKind::polygon) return contour.points;
  std::vector<std::array<double, 2>> corners;
  for (std::size_t number = 0; number < contour.points.size(); ++number) {
    const CurvePiece piece = piece_of(contour, number);
    for (int chord = 0; chord < chords_of_piece; ++chord) {
      const Eigen::Vector2d place = place_at(piece, static_cast<double>(chord) / chords_of_piece);
      corners.push_back({place.x(), place.y()});
    }
  }
  return corners;
}

}  // namespace whorl::detail
