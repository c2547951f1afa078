// Private: a convex polygon or polyhedron around the origin, cut by planes.
#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include "density/point_tree.hpp"

namespace whorl::detail {

/// Vertices beyond a plane by less than this part of the cell's radius count as on it. That is far above the rounding
/// of positions, so planes that meet in one point, as in regular sampling, cut a cell once.
inline constexpr double on_plane = 1e-11;

/// A convex polygon that holds the origin.
class ConvexPolygon {
 public:
  /// Starts as a rectangle.
  void reset(const Point<2>& low, const Point<2>& high);
  /// Keeps the part with normal . x <= offset (offset >= 0). `outer` marks the side that it makes.
  void cut(const Point<2>& normal, double offset, bool outer);
  /// Square of the distance from the origin to the farthest vertex.
  double reach_square() const { return reach_square_; }
  /// True if test(vertex) is true for any vertex.
  template <class Test>
  bool any_vertex(const Test& test) const {
    return std::any_of(vertices_.begin(), vertices_.end(), [&](const Vertex& vertex) { return test(vertex.at); });
  }
  /// True if a marked side, or a side of the rectangle, is left.
  bool has_outer_side() const;
  double volume() const;

 private:
  struct Vertex {
    Point<2> at;
    bool outer;  // of the side to the next vertex
  };
  std::vector<Vertex> vertices_;
  std::vector<Vertex> remaining_;
  std::vector<double> beyond_;
  double reach_square_ = 0;
};

/// A convex polyhedron that holds the origin: vertices, and faces as loops of them, outwards by the right-hand rule. A
/// cut changes the faces that it meets and no others: the cell in the center of a kooshball has thousands.
class ConvexPolyhedron {
 public:
  void reset(const Point<3>& low, const Point<3>& high);
  void cut(const Point<3>& normal, double offset, bool outer);
  double reach_square() const { return reach_square_; }
  template <class Test>
  bool any_vertex(const Test& test) const {
    return std::any_of(vertices_.begin(), vertices_.end(), test);
  }
  bool has_outer_side() const;
  double volume() const;

 private:
  struct Face {
    std::size_t begin;  // in loops_
    std::size_t end;
    bool outer;
  };
  struct Change {
    std::size_t face;
    std::size_t begin;  // in changed_loops_; an empty loop is a face that is cut off
    std::size_t end;
  };
  struct Crossing {
    int inside;
    int outside;
    int next;  // crossing that follows on the new face
  };

  bool try_cut(double tolerance, bool outer);
  bool clip(std::size_t index, double tolerance);
  int crossing(int inside, int outside);
  bool crossings_form_a_ring() const;
  void apply(double tolerance, bool outer);
  void replace_crossings_by_vertices(double tolerance);
  void compact();
  void measure_reach();

  std::vector<Point<3>> vertices_;  // the origin in places that are free
  std::vector<int> free_;
  std::vector<int> loops_;  // with gaps
  std::vector<Face> faces_;
  std::size_t compact_at_ = 0;
  double reach_square_ = 0;
  // Scratch of the cut being made.
  std::vector<double> beyond_;       // of each vertex: normal . x - offset
  std::vector<Crossing> crossings_;  // edges that the plane cuts; in the changed loops crossing c is -1 - c
  std::vector<Point<3>> crossing_points_;
  std::vector<int> crossing_vertices_;
  std::vector<Change> changes_;
  std::vector<int> changed_loops_;
};

template <int Dim>
using ConvexCell = std::conditional_t<Dim == 2, ConvexPolygon, ConvexPolyhedron>;

}  // namespace whorl::detail
