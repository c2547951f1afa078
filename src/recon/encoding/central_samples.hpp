// Samples near the center of k-space: those that a smaller image resolves, at their places on its grid.
#pragma once

#include <vector>

#include "whorl/core/shape.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl::recon {

/// How much finer the pixels of an image are than those of a smaller one of the same field of view, x first, as the columns of
/// a trajectory.
std::vector<double> zoom_to(const Shape& image, const Shape& smaller);

/// The samples with |k zoom| <= 1/2 along each axis, of a trajectory on the host.
std::vector<Index> samples_inside(const Context& ctx, const Trajectory& trajectory, const std::vector<double>& zoom);

/// Writes k zoom of the samples of a list, [sample, dim]: cycles per pixel of the smaller image.
void zoom_points(const Trajectory& trajectory, const std::vector<Index>& samples, const std::vector<double>& zoom,
                 double* to);

}  // namespace whorl::recon
