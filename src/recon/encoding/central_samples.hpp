// Samples near the center of k-space: those that a smaller image resolves, at their places on its grid.
#pragma once

#include <array>
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

/// The part of the center of k-space that a trajectory on the host leaves out: of the frequencies of the image's grid within 2
/// cycles per field of view, those without a sample closer than 3/4 of a cycle. The k-space of an image is known by samples one
/// cycle apart. Where every second line is missing, 0.46 of the center has no sample; five spokes leave nothing out.
double part_without_samples(const Context& ctx, const Trajectory& trajectory, const Shape& image);

/// More than this leaves out so much that maps by these samples are wrong. Few spokes cause streaks, but their maps hold.
inline constexpr double bearable_gaps = 0.2;

/// The distance from the center of k-space of the nearest frequency of the image's grid, up to `radius` cycles per field of view
/// along each axis, without a sample closer than 3/4 of a cycle; infinite where each has one. `unit`: what a cycle counts for
/// along x, y and z.
double radius_without_gaps(const Context& ctx, const Trajectory& trajectory, const Shape& image,
                           const std::array<double, 3>& unit, Index radius);

}  // namespace whorl::recon
