// Density weights by any of the methods.
#pragma once

#include <string>

#include "whorl/density/cell_count_density.hpp"
#include "whorl/density/pipe_menon.hpp"
#include "whorl/density/voronoi_density.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl {

enum class DensityMethod {
  automatic,   ///< the weights that came with the trajectory where there are any, else automatic_density
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

/// The method that is best for a trajectory: radial for spokes, or stacks of stars, that sample the edge of k-space
/// fully on average (1/N from direction to direction); spiral for arms that are one curve, turned; pipe_menon for all
/// others. The formulas are exact where they apply, and faster. Spokes too few to sample fully leave streaks, of which
/// pipe_menon, which gives lone samples less than the area around them, makes less (docs/performance.md).
///
/// Shapes  image_shape [(z,) y, x]; the trajectory lies on the host
DensityMethod automatic_density(const Context& ctx, const Trajectory& trajectory, const Shape& image_shape);

template <class Real>
struct DensityWeights {
  Array<Real> weights;  ///< [sample], sum = number of samples
  std::string origin;   ///< how they were found, in a few words for people
};

/// Density weights by the method given, on the context's device. The trajectory and what comes from a file lie on the
/// host, and so do those methods work that look at the geometry of the samples. `from_file` are the weights that came
/// with the trajectory, or null.
///
/// Shapes  image_shape [(z,) y, x]; from_file [sample]
/// Throws  ValueError when the method is `file` and there are none; what the methods throw
template <class Real>
DensityWeights<Real> density_weights(const Context& ctx, const Trajectory& trajectory, const Shape& image_shape,
                                     const Array<Real>* from_file, DensityMethod method,
                                     const DensityOptions& options = {});

}  // namespace whorl
