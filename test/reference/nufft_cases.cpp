#include "nufft_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "whorl/core/random.hpp"

namespace whorl::test {

namespace {

// Random numbers of a case, one after the other.
class Draw {
 public:
  Draw(std::uint64_t seed, std::uint64_t use) : seed_(8 * seed + use) {}

  double uniform(double low, double high) { return low + (high - low) * random_uniform(seed_, next_++); }
  double logarithmic(double low, double high) { return std::exp(uniform(std::log(low), std::log(high))); }
  Index integer(Index low, Index high) {
    return std::min(high, low + static_cast<Index>(uniform(0, static_cast<double>(high - low + 1))));
  }
  bool with_chance(double chance) { return uniform(0, 1) < chance; }

 private:
  std::uint64_t seed_;
  std::uint64_t next_ = 0;
};

// A position modulo 1 within [-1/2, 1/2].
double wrapped(double k) { return k - std::floor(k + 0.5); }

}  // namespace

const char* to_string(Positions positions) {
  switch (positions) {
    case Positions::uniform:
      return "anywhere";
    case Positions::ends:
      return "at +-0.5";
    case Positions::cell_borders:
      return "on cell borders";
    case Positions::cluster:
      return "in a cluster";
    case Positions::one_place:
      return "at one place";
    case Positions::repeated:
      break;
  }
  return "at three places";
}

std::string describe(const NufftCase& what, bool single) {
  return fmt::format(
      "seed {}, {}, image {}, {} samples {} (width {}), {} coils, tolerance {:.17g} {}, oversampling {:.17g}, {}",
      what.seed, single ? "single" : "double", whorl::to_string(what.image), what.samples, to_string(what.positions),
      what.cluster_width, what.coils, what.options.tolerance,
      what.options.accuracy == NufftAccuracy::guaranteed ? "guaranteed" : "typical", what.options.oversampling,
      what.options.window == WindowKind::gaussian ? "Gaussian" : "Kaiser-Bessel");
}

NufftCase random_case(std::uint64_t seed, int dim, NufftAccuracy accuracy, bool single) {
  Draw draw(seed, 0);
  NufftCase what;
  what.seed = seed;
  std::vector<Index> extents;
  const double longest = dim == 2 ? 97 : 16;
  for (int axis = 0; axis < dim; ++axis) {
    const double extent = draw.with_chance(0.7) ? draw.logarithmic(1, longest + 1) : draw.uniform(1, longest + 1);
    extents.push_back(static_cast<Index>(extent));
  }
  what.image = Shape(extents);
  what.samples = draw.integer(1, 24);
  what.coils = draw.integer(1, 6);
  what.positions = static_cast<Positions>(draw.integer(0, position_kinds - 1));
  what.cluster_width = what.positions == Positions::cluster ? draw.logarithmic(1e-3, 0.1) : 0;
  NufftOptions& options = what.options;
  options.accuracy = accuracy;
  options.window = draw.with_chance(0.3) ? WindowKind::gaussian : WindowKind::kaiser_bessel;
  const bool gaussian = options.window == WindowKind::gaussian;
  options.tolerance = draw.logarithmic(single ? (gaussian ? 1e-5 : 3e-7) : (gaussian ? 1e-6 : 1e-13), 0.1);
  if (draw.with_chance(0.6)) options.oversampling = 1.25 + 0.125 * static_cast<double>(draw.integer(0, 6));
  if (draw.with_chance(0.2)) options.oversampling = draw.uniform(1.25, 2);
  return what;
}

Array<double> positions_of(const Context& ctx, const NufftCase& what, int width, const Shape& grid) {
  Draw draw(what.seed, 1);
  const int dim = what.image.rank();
  Array<double> points(ctx.host(), {what.samples, dim});
  const auto k = points.view<2>();
  for (int axis = 0; axis < dim; ++axis) {
    const double center = draw.uniform(-0.5, 0.5);
    const auto cells = static_cast<double>(grid[dim - 1 - axis]);
    for (Index j = 0; j < what.samples; ++j) {
      switch (what.positions) {
        case Positions::uniform:
          k(j, axis) = draw.uniform(-0.5, 0.5);
          break;
        case Positions::ends:
          k(j, axis) = draw.with_chance(0.4) ? -0.5 : draw.with_chance(0.6) ? 0.5 : draw.uniform(-0.5, 0.5);
          break;
        case Positions::cell_borders: {
          const double cell = std::floor(draw.uniform(0, cells)) + 0.5 * (width % 2);
          const double beside = draw.with_chance(0.5) ? 0 : draw.uniform(-1e-6, 1e-6);
          k(j, axis) = wrapped((cell + beside) / cells);
          break;
        }
        case Positions::cluster:
          k(j, axis) = wrapped(center + draw.uniform(-0.5, 0.5) * what.cluster_width);
          break;
        case Positions::one_place:
          k(j, axis) = center;
          break;
        case Positions::repeated:
          k(j, axis) = j < 3 ? draw.uniform(-0.5, 0.5) : k(j % 3, axis);
          break;
      }
    }
  }
  return points;
}

}  // namespace whorl::test
