#include "bench/cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "bench/name_filter.hpp"
#include "whorl/trajectory/kooshball.hpp"
#include "whorl/trajectory/radial.hpp"
#include "whorl/trajectory/random_trajectory.hpp"
#include "whorl/trajectory/spiral.hpp"

namespace whorl::bench {

namespace {

using MakeTrajectory = std::function<Trajectory(const Context&)>;

MakeTrajectory radial(Index spokes, Index readout) {
  return [=](const Context& ctx) { return radial_trajectory(ctx, spokes, readout, SpokeOrder::golden_angle); };
}

MakeTrajectory kooshball(Index spokes, Index readout) {
  return [=](const Context& ctx) { return kooshball_trajectory(ctx, spokes, readout); };
}

MakeTrajectory random(Index samples, int dim) {
  return [=](const Context& ctx) { return random_trajectory(ctx, samples, dim, RandomRegion::box, 1); };
}

// Archimedean arms that sample `matrix` pixels of `field_of_view_mm` fully, as fast as gradients of 40 mT/m and 150
// T/m/s run through them.
MakeTrajectory spiral(double matrix, Index arms, double field_of_view_mm, double dwell_us) {
  return [=](const Context& ctx) {
    const DesignOptions design{.limits = {.pixel_mm = field_of_view_mm / matrix}, .dwell_us = dwell_us};
    return designed_spiral(ctx, arms, matrix / (2 * static_cast<double>(arms)), 1, design).trajectory;
  };
}

class CaseList {
 public:
  // Adds the cases of a problem: every direction of every tolerance of every number of coils.
  void add(Problem problem, Transform transform, const std::vector<Index>& coils, const std::vector<double>& tolerances,
           const std::vector<Direction>& directions = {Direction::forward, Direction::adjoint}) {
    const auto shared = std::make_shared<const Problem>(std::move(problem));
    for (const Index count : coils) {
      for (const double tolerance : tolerances) {
        for (const Direction direction : directions) {
          cases_.push_back({shared, transform, direction, count, tolerance});
        }
      }
    }
  }

  // Adds the direction `normal` to each operator of the problem with this number of coils.
  void add_normal(const std::string& problem, Index coils) {
    std::vector<Case> with_normal;
    for (const Case& one : cases_) {
      with_normal.push_back(one);
      if (one.problem->name != problem || one.coils != coils || one.direction != Direction::adjoint) continue;
      with_normal.push_back(one);
      with_normal.back().direction = Direction::normal;
    }
    cases_ = std::move(with_normal);
  }

  std::vector<Case> take() { return std::move(cases_); }

 private:
  std::vector<Case> cases_;
};

std::string text_of_tolerance(double tolerance) {
  const double exponent = std::floor(std::log10(tolerance) + 1e-9);
  return fmt::format("{:g}e{:g}", tolerance / std::pow(10, exponent), exponent);
}

}  // namespace

const char* to_string(Transform transform) {
  switch (transform) {
    case Transform::nufft:
      return "nufft";
    case Transform::dft:
      return "dft";
    case Transform::position_dft:
      break;
  }
  return "position-dft";
}

const char* to_string(Direction direction) {
  switch (direction) {
    case Direction::forward:
      return "forward";
    case Direction::adjoint:
      return "adjoint";
    case Direction::normal:
      break;
  }
  return "normal";
}

std::string Case::name() const {
  return fmt::format("{}/{}/{}/{}-coil{}/{}{}", to_string(transform), problem->name, to_string(direction), coils,
                     coils == 1 ? "" : "s", text_of_tolerance(tolerance),
                     accuracy == NufftAccuracy::guaranteed ? "/guaranteed" : "");
}

std::vector<Case> all_cases() {
  // 1e-6 is the power of ten above the floor that rounding sets in single precision (op/window.hpp).
  const std::vector<double> tolerances{1e-3, 1e-4, 1e-6};
  const std::vector<double> exact{1e-5};
  const std::vector<Direction> every{Direction::forward, Direction::adjoint, Direction::normal};
  CaseList list;

  list.add({"radial-2d-256", {256, 256}, radial(402, 512)}, Transform::nufft, {1, 12}, tolerances);
  list.add_normal("radial-2d-256", 12);
  list.add({"random-2d-512", {512, 512}, random(1000000, 2)}, Transform::nufft, {1}, tolerances);
  list.add({"spiral-2d-256", {256, 256}, spiral(256, 24, 240, 1.5)}, Transform::nufft, {1, 12}, tolerances);
  list.add({"kooshball-3d-128", {128, 128, 128}, kooshball(1078, 264)}, Transform::nufft, {1, 8}, tolerances);
  list.add_normal("kooshball-3d-128", 1);
  list.add({"random-3d-256", {256, 256, 256}, random(10000000, 3)}, Transform::nufft, {1}, tolerances);
  list.add({"random-2d-64", {64, 64}, random(20000, 2)}, Transform::dft, {1, 4}, exact);
  list.add({"random-3d-24", {24, 24, 24}, random(6000, 3)}, Transform::dft, {1}, exact);
  list.add({"random-3d-24", {24, 24, 24}, random(6000, 3)}, Transform::position_dft, {1, 4}, exact);

  // As much as fills a GPU; a CPU takes seconds.
  list.add({"large-random-3d", {128, 128, 128}, random(16384, 3), true}, Transform::dft, {1}, {1e-3, 1e-5});
  list.add({"large-random-3d", {128, 128, 128}, random(16384, 3), true}, Transform::position_dft, {1}, exact);

  // Small versions, of shapes whose axes can not be taken for each other, and with a coil left over beside any
  // number of lanes.
  const std::vector<Index> few{1, 5};
  list.add({"small-radial-2d", {36, 44}, radial(31, 96), true}, Transform::nufft, few, tolerances, every);
  list.add({"small-random-2d", {60, 50}, random(3000, 2), true}, Transform::nufft, few, tolerances, every);
  list.add({"small-spiral-2d", {40, 34}, spiral(40, 5, 200, 4), true}, Transform::nufft, few, tolerances, every);
  list.add({"small-kooshball-3d", {18, 22, 20}, kooshball(67, 44), true}, Transform::nufft, few, tolerances, every);
  list.add({"small-random-3d", {16, 21, 26}, random(4000, 3), true}, Transform::nufft, few, tolerances, every);
  list.add({"small-random-2d", {12, 17}, random(500, 2), true}, Transform::dft, few, exact, every);
  list.add({"small-random-3d", {7, 9, 10}, random(300, 3), true}, Transform::dft, few, exact, every);
  list.add({"small-random-2d", {12, 17}, random(500, 2), true}, Transform::position_dft, few, exact, every);
  list.add({"small-random-3d", {7, 9, 10}, random(300, 3), true}, Transform::position_dft, few, exact, every);

  // Cost over samples and over coils.
  for (const Index spokes : {50, 100, 200, 400, 800, 1600}) {
    list.add({fmt::format("series-samples-{}", spokes * 512), {256, 256}, radial(spokes, 512), true}, Transform::nufft,
             {1}, {1e-3});
  }
  list.add({"series-coils", {256, 256}, radial(402, 512), true}, Transform::nufft, {1, 2, 4, 8, 16, 32}, {1e-3});
  return list.take();
}

std::vector<Case> cases_like(const std::string& expression) {
  std::vector<Case> cases = all_cases();
  if (expression.empty()) {
    std::erase_if(cases, [](const Case& one) { return one.problem->on_request; });
    return cases;
  }
  keep_like("bench", expression, cases, [](const Case& one) { return one.name(); });
  return cases;
}

}  // namespace whorl::bench
