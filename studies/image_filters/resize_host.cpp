// Bilinear resizing on a CPU.
#include "studies/image_filters/resize.hpp"

namespace whorl::studies::image_filters {

namespace {

// step: double, each color alone; float
// The report's first version: four weights are computed and four pixels read for each color. The compiler must assume
// that stores change the picture, so it reads again.
template <class Real>
void each_color_alone(const Context& ctx, const Job& job) {
  const Index row = Index{3} * job.width;
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (int y = 0; y < job.to_height; ++y) {
    for (int x = 0; x < job.to_width; ++x) {
      const Place<Real> v = place_of<Real>(y, job.height, job.to_height);
      const Place<Real> u = place_of<Real>(x, job.width, job.to_width);
      for (Index c = 0; c < 3; ++c) {
        const Byte* const from = job.from + v.index * row + Index{3} * u.index + c;
        job.to[3 * (Index{y} * job.to_width + x) + c] = rounded_level(
            (Real(1) - u.part - v.part + u.part * v.part) * from[0] + (u.part - u.part * v.part) * from[3] +
            (v.part - u.part * v.part) * from[row] + u.part * v.part * from[row + 3]);
      }
    }
  }
}
// end of step

// step: weights once, four loads
// Weights once for the three colors, and the result in registers until it is whole.
void four_loads(const Context& ctx, const Job& job) {
  const Index row = Index{3} * job.width;
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (int y = 0; y < job.to_height; ++y) {
    for (int x = 0; x < job.to_width; ++x) {
      const Place<float> v = place_of<float>(y, job.height, job.to_height);
      const Place<float> u = place_of<float>(x, job.width, job.to_width);
      const float both = u.part * v.part;
      const float weight[4] = {1 - u.part - v.part + both, u.part - both, v.part - both, both};
      const Byte* const from = job.from + v.index * row + Index{3} * u.index;
      Byte level[3];
      for (Index c = 0; c < 3; ++c) {
        const auto old = [&](Index at) { return static_cast<float>(from[at + c]); };
        level[c] =
            rounded_level(weight[0] * old(0) + weight[1] * old(3) + weight[2] * old(row) + weight[3] * old(row + 3));
      }
      Byte* const to = job.to + 3 * (Index{y} * job.to_width + x);
      for (Index c = 0; c < 3; ++c) to[c] = level[c];
    }
  }
}
// end of step

// step: rows mixed first, places of columns once
// Places of columns are the same in all rows: computed once, in double. Two old rows are mixed first, by a loop that
// vectors do, and then taken from.
void mixed_rows(const Context& ctx, const Job& job) {
  const int numbers = 3 * job.width;
  std::vector<Place<float>> places;
  for (int x = 0; x < job.to_width; ++x) {
    const Place<double> u = place_of<double>(x, job.width, job.to_width);
    places.push_back({3 * u.index, static_cast<float>(u.part)});
  }
#pragma omp parallel num_threads(ctx.threads())
  {
    std::vector<float> mixed(static_cast<std::size_t>(numbers));
#pragma omp for schedule(static)
    for (int y = 0; y < job.to_height; ++y) {
      const Place<double> v = place_of<double>(y, job.height, job.to_height);
      const auto part = static_cast<float>(v.part);
      const Byte* const upper = job.from + Index{v.index} * numbers;
      const Byte* const lower = upper + numbers;
      float* const row = mixed.data();
      for (int k = 0; k < numbers; ++k) {
        row[k] = static_cast<float>(upper[k]) + part * static_cast<float>(lower[k] - upper[k]);
      }
      Byte* to = job.to + Index{3} * y * job.to_width;
      for (const Place<float>& u : places) {
        const float* const pair = row + u.index;
        for (int c = 0; c < 3; ++c) *to++ = rounded_level(pair[c] + u.part * (pair[c + 3] - pair[c]));
      }
    }
  }
}
// end of step

}  // namespace

std::vector<Step> resize_on_host() {
  return {{"double, each color alone", each_color_alone<double>},
          {"float", each_color_alone<float>, said("gains everywhere")},
          {"weights once, four loads", four_loads, said("none")},
          {"rows mixed first, places of columns once", mixed_rows, said("not tried")}};
}

}  // namespace whorl::studies::image_filters
