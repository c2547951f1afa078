// Private: a convex polygon or polyhedron around the origin that planes cut smaller.
#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include "density/point_tree.hpp"

namespace whorl::detail {

/// Vertices that lie beyond a plane by less than this part of the cell's reach count as on it: a thousand times the
/// rounding of their positions. So planes that meet in one point, as those of regular samplings do, cut a cell once.
inline constexpr double on_plane = 1e-13;

/// A convex polygon that holds the origin.
class ConvexPolygon {
 public:
  /// Starts as a rectangle.
  void reset(const Point<2>& low, const Point<2>& high);
  /// Keeps the part with normal . x <= offset (offset >= 0). `outer` marks the side that it makes.
  void cut(const Point<2>& normal, double offset, bool outer);
  /// Square of the distance from the origin to the farthest vertex.
  double reach_square() const { return reach_square_; }
  /// Whether a side is left that was marked, or one of the rectangle.
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

/// A convex polyhedron that holds the origin: vertices, and faces as loops of them, outwards by the right-hand rule.
class ConvexPolyhedron {
 public:
  void reset(const Point<3>& low, const Point<3>& high);
  void cut(const Point<3>& normal, double offset, bool outer);
  double reach_square() const { return reach_square_; }
  bool has_outer_side() const;
  double volume() const;

 private:
  struct Face {
    int begin;  // in loops
    int end;
    bool outer;
  };
  struct Solid {
    std::vector<Point<3>> vertices;
    std::vector<int> loops;
    std::vector<Face> faces;
  };
  struct Crossing {
    int inside;
    int outside;
    int next;  // crossing that follows on the new face
  };

  bool try_cut(double tolerance, bool outer);
  int crossing(int inside, int outside);
  bool close(bool outer);

  Solid solid_;
  Solid remaining_;
  std::vector<double> beyond_;        // of each vertex: normal . x - offset
  std::vector<int> kept_;             // number of a vertex in what remains, -1 for what is cut off
  std::vector<Crossing> crossings_;   // edges that the plane cuts; their points follow the kept vertices
  double reach_square_ = 0;
};

template <int Dim>
using ConvexCell = std::conditional_t<Dim == 2, ConvexPolygon, ConvexPolyhedron>;

}  // namespace whorl::detail
