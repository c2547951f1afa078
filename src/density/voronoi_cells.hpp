// Private: the volume of the Voronoi cell of each point.
#pragma once

#include <vector>

#include "density/point_tree.hpp"
#include "whorl/core/context.hpp"
#include "whorl/density/voronoi_density.hpp"

namespace whorl::detail {

/// Volumes in the order of the tree, whose points must all be different.
template <int Dim>
std::vector<double> voronoi_volumes(const Context& ctx, const PointTree<Dim>& tree, VoronoiBoundary boundary);

}  // namespace whorl::detail
