// The ladder of implicit steps in a plane between walls: alternating directions.
#pragma once

#include "studies/heat/line_steps.hpp"
#include "studies/heat/plane_steps.hpp"

namespace whorl::studies::heat {

/// One step of Peaceman and Rachford is (1 - a A_x)^-1 (1 + a A_y) and then the same with x and y exchanged, a = r/2.
/// The differences along the axes commute: it is u <- 2 w - u, w = (1 - a A)^-1 u, along each axis, in any order.

/// The jobs are those of explicit steps, between walls. From the first to the fastest, the library's filter last.
std::vector<PlaneStep> adi_steps(const Context& ctx);

std::vector<PlaneStep> host_adi_steps();
/// Empty where whorl is built without kernels for a GPU.
std::vector<PlaneStep> gpu_adi_steps();
/// Step for any device.
PlaneStep library_adi_step();

/// What elimination needs, made once, in float.
struct Factors {
  explicit Factors(const PlaneJob& job);
  float a;
  std::vector<float> scale;
  std::vector<float> after;
};

// Steps of the host; the last one by as many threads as the context has, the others by one.
void line_after_line(const Context& ctx, const PlaneJob& job);
void eliminated_once(const Context& ctx, const PlaneJob& job);
void lines_side_by_side(const Context& ctx, const PlaneJob& job);
void one_axis_first(const Context& ctx, const PlaneJob& job);

}  // namespace whorl::studies::heat
