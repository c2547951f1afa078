// Density weights by any method.
#pragma once

#include <string>

#include "whorl/density/cell_count_density.hpp"
#include "whorl/density/pipe_menon.hpp"
#include "whorl/density/voronoi_density.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace WHORL_PUBLIC whorl {

enum class DensityMethod {
  automatic,   ///< the weights that came with the trajectory, if any, else automatic_density
  file,        ///< the weights that came with the trajectory
  pipe_menon,  ///< pipe_menon.hpp
  radial,      ///< radial_density.hpp
  spiral,      ///< spiral_density.hpp
  voronoi,     ///< voronoi_density.hpp
  cell_count,  ///< cell_count_density.hpp
  none,        ///< all weights 1
};

struct DensityOptions {
  PipeMenonOptions pipe_menon{};
  VoronoiOptions voronoi{};
  CellCountOptions cell_count{};
};

/// The best method for a trajectory: radial for spokes and stacks of stars that sample the edge of k-space fully on
/// average (1/N between directions); spiral for rotated copies of one arm; pipe_menon for all others. The formulas of
/// radial and spiral are exact and faster. Too few spokes leave streaks. pipe_menon leaves less of them, because it
/// gives isolated samples a weight below the area around them (docs/records/density.md).
///
/// Shapes  image_shape [(z,) y, x]; the trajectory lies on the host
DensityMethod automatic_density(const Context& ctx, const Trajectory& trajectory, const Shape& image_shape);

template <class Real>
struct DensityWeights {
  Array<Real> weights;  ///< [sample], sum = number of samples
  std::string origin;   ///< a few words: how they were found
};

/// Density weights by a given method, on the context's device. The trajectory and the weights from a file are on the
/// host. Geometric methods (voronoi, radial, spiral, cell_count) compute there. `from_file` are the weights that came
/// with the trajectory, or null.
///
/// Shapes  image_shape [(z,) y, x]; from_file [sample]
/// Throws  ValueError (method `file` without such weights), and as the methods
template <Precision Real>
WHORL_PUBLIC DensityWeights<Real> density_weights(const Context& ctx, const Trajectory& trajectory,
                                                  const Shape& image_shape, const Array<Real>* from_file,
                                                  DensityMethod method, const DensityOptions& options = {});

}  // namespace whorl
