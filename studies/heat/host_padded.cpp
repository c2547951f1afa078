// Explicit steps on a CPU with a margin around the plane for the values beyond the edges: the loop over a row has
// neither tests nor tables, so the compiler vectorizes it.
#include <algorithm>
#include <utility>
#include <vector>

#include "studies/heat/plane_steps.hpp"

namespace whorl::studies::heat {

namespace {

// step: a margin around the plane; threads; eight steps of a band at once
void step_row(const float* above, const float* row, const float* below, float* to, Index n, float rate) {
  for (Index x = 0; x < n; ++x) {
    to[x] = row[x] + rate * (row[x - 1] + row[x + 1] + (above[x] + below[x]) - 4 * row[x]);
  }
}
// end of step

// step: a margin around the plane; threads
// Rows [-margin, n + margin) of n points with a margin at either side.
class Padded {
 public:
  Padded(Index n, Index margin)
      : margin_(margin), width_(n + 2 * margin), values_(static_cast<std::size_t>(width_ * (n + 2 * margin))) {}

  float* row(Index y) { return values_.data() + (y + margin_) * width_ + margin_; }

 private:
  Index margin_;
  Index width_;
  std::vector<float> values_;
};

void step_rows(Padded& now, Padded& next, const PlaneJob& job, Index y) {
  float* const to = next.row(y);
  step_row(now.row(y - 1), now.row(y), now.row(y + 1), to, job.n, job.rate);
  to[-1] = to[job.n - 1];
  to[job.n] = to[0];
}

// The rows beyond the first and the last, from the other edge; their margins are never read.
void wrap_rows(Padded& plane, Index n) {
  std::copy_n(plane.row(n - 1), n, plane.row(-1));
  std::copy_n(plane.row(0), n, plane.row(n));
}

void run(const PlaneJob& job, int threads) {
  const Index n = job.n;
  Padded now(n, 1);
  Padded next(n, 1);
  for (Index y = 0; y < n; ++y) {
    std::copy_n(job.first.data() + y * n, n, now.row(y));
    now.row(y)[-1] = now.row(y)[n - 1];
    now.row(y)[n] = now.row(y)[0];
  }
  for (Index step = 0; step < job.steps; ++step) {
    wrap_rows(now, n);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (Index y = 0; y < n; ++y) step_rows(now, next, job, y);
    std::swap(now, next);
  }
  for (Index y = 0; y < n; ++y) std::copy_n(now.row(y), n, job.last.data() + y * n);
}
// end of step

}  // namespace

// step: a margin around the plane
void padded_rows(const Context& /*ctx*/, const PlaneJob& job) { run(job, 1); }
// end of step

// step: threads
// Each thread has a part of the rows; all wait for each other after every step.
void padded_by_threads(const Context& ctx, const PlaneJob& job) { run(job, ctx.threads()); }
// end of step

// step: eight steps of a band at once
// Several steps of a band of rows while it is in the cache: the band begins with as many rows more at either side as it
// makes steps, and loses one with each. Main memory is read and written once for all of them.
void bands_of_steps(const Context& ctx, const PlaneJob& job) {
  constexpr Index at_once = 8;
  constexpr Index band_rows = 64;
  const Index n = job.n;
  const Index width = n + 2;
  std::vector<float> now(job.first.span().begin(), job.first.span().end());
  std::vector<float> next(now.size());
  for (Index done = 0; done < job.steps; done += at_once) {
    const Index steps = std::min(at_once, job.steps - done);
#pragma omp parallel num_threads(ctx.threads())
    {
      std::vector<float> from(static_cast<std::size_t>(width * (band_rows + 2 * at_once)));
      std::vector<float> to(from.size());
#pragma omp for schedule(dynamic)
      for (Index first = 0; first < n; first += band_rows) {
        const Index rows = std::min(band_rows, n - first) + 2 * steps;
        const auto wrap = [&](float* row) {
          row[-1] = row[n - 1];
          row[n] = row[0];
        };
        for (Index y = 0; y < rows; ++y) {
          // A band is higher than a small torus: around it more than once.
          const Index source = ((first + y - steps) % n + n) % n;
          float* const row = from.data() + y * width + 1;
          std::copy_n(now.data() + source * n, n, row);
          wrap(row);
        }
        for (Index step = 1; step <= steps; ++step) {
          for (Index y = step; y < rows - step; ++y) {
            const float* const row = from.data() + y * width + 1;
            step_row(row - width, row, row + width, to.data() + y * width + 1, n, job.rate);
            wrap(to.data() + y * width + 1);
          }
          std::swap(from, to);
        }
        for (Index y = steps; y < rows - steps; ++y) {
          std::copy_n(from.data() + y * width + 1, n, next.data() + (first + y - steps) * n);
        }
      }
    }
    std::swap(now, next);
  }
  std::copy(now.begin(), now.end(), job.last.data());
}
// end of step

}  // namespace whorl::studies::heat
