// Explicit steps on one thread of a CPU: the cost of the torus at every point.
#include <algorithm>
#include <utility>
#include <vector>

#include "studies/heat/plane_steps.hpp"

namespace whorl::studies::heat {

// step: edge tests, double; edge tests, float
// Neighbors beyond an edge are those at the opposite edge: four tests at every point. In double like the team's
// program, and in float, with half the bytes.
template <class Real>
void edge_tests(const Context& /*ctx*/, const PlaneJob& job) {
  const Index n = job.n;
  const Real rate = job.rate;
  std::vector<Real> now(job.first.span().begin(), job.first.span().end());
  std::vector<Real> next(now.size());
  for (Index step = 0; step < job.steps; ++step) {
    const Real* const u = now.data();
    for (Index y = 0; y < n; ++y) {
      for (Index x = 0; x < n; ++x) {
        const Real left = x > 0 ? u[y * n + x - 1] : u[y * n + n - 1];
        const Real right = x < n - 1 ? u[y * n + x + 1] : u[y * n];
        const Real above = y > 0 ? u[(y - 1) * n + x] : u[(n - 1) * n + x];
        const Real below = y < n - 1 ? u[(y + 1) * n + x] : u[x];
        const Real here = u[y * n + x];
        next[static_cast<std::size_t>(y * n + x)] = here + rate * (left + right + (above + below) - 4 * here);
      }
    }
    std::swap(now, next);
  }
  std::transform(now.begin(), now.end(), job.last.data(), [](Real value) { return static_cast<float>(value); });
}
// end of step

template void edge_tests<float>(const Context&, const PlaneJob&);
template void edge_tests<double>(const Context&, const PlaneJob&);

// step: neighbors by table
// Neighbors come from a table: no branch, but one more read for each neighbor.
void index_table(const Context& /*ctx*/, const PlaneJob& job) {
  const Index n = job.n;
  std::vector<Index> before(static_cast<std::size_t>(n));
  std::vector<Index> after(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    before[static_cast<std::size_t>(i)] = (i + n - 1) % n;
    after[static_cast<std::size_t>(i)] = (i + 1) % n;
  }
  std::vector<float> now(job.first.span().begin(), job.first.span().end());
  std::vector<float> next(now.size());
  for (Index step = 0; step < job.steps; ++step) {
    for (Index y = 0; y < n; ++y) {
      const float* const row = now.data() + y * n;
      const float* const above = now.data() + before[static_cast<std::size_t>(y)] * n;
      const float* const below = now.data() + after[static_cast<std::size_t>(y)] * n;
      for (Index x = 0; x < n; ++x) {
        const float sides = row[before[static_cast<std::size_t>(x)]] + row[after[static_cast<std::size_t>(x)]];
        next[static_cast<std::size_t>(y * n + x)] = row[x] + job.rate * (sides + (above[x] + below[x]) - 4 * row[x]);
      }
    }
    std::swap(now, next);
  }
  std::copy(now.begin(), now.end(), job.last.data());
}
// end of step

}  // namespace whorl::studies::heat
