// The ladder of explicit steps in a plane: u += r (sum of the four neighbors - 4 u) on the torus.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/filter/diffusion/heat.hpp"

namespace whorl::studies::heat {

/// u [n, n] after the steps, from `first`; both on the context's device.
struct PlaneJob {
  ArrayRef<const float> first;
  ArrayRef<float> last;
  Index n;
  float rate;
  Index steps;
};

struct PlaneStep {
  std::string name;
  std::function<void(const Context&, const PlaneJob&)> run;
  bool product = false;
};

/// From the first to the fastest, the library's filter last.
std::vector<PlaneStep> plane_steps(const Context& ctx);

std::vector<PlaneStep> host_plane_steps();
/// Empty where whorl is built without kernels for a GPU.
std::vector<PlaneStep> gpu_plane_steps();
/// The library's filter on any device, by a scheme and border; the job has time and step.
PlaneStep library_step(std::string name, const HeatOptions& scheme);
PlaneStep library_plane_step();

// Steps of the host; the last two by as many threads as the context has, the others by one.
template <class Real>
void edge_tests(const Context& ctx, const PlaneJob& job);
void index_table(const Context& ctx, const PlaneJob& job);
void padded_rows(const Context& ctx, const PlaneJob& job);
void padded_by_threads(const Context& ctx, const PlaneJob& job);
void bands_of_steps(const Context& ctx, const PlaneJob& job);

}  // namespace whorl::studies::heat
