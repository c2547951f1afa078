// The cases that are timed (`whorl bench`, whorl_bench, bench/peers) and held to their tolerance (test/parity).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "whorl/core/context.hpp"
#include "whorl/core/shape.hpp"
#include "whorl/op/window.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl::bench {

/// A trajectory and an image: what is the same for all directions, coils and tolerances.
struct Problem {
  std::string name;
  Shape image;  ///< [y, x] or [z, y, x]
  std::function<Trajectory(const Context&)> make_trajectory;
  bool on_request = false;  ///< left out where nobody asks for it by a filter
};

enum class Transform {
  nufft,
  dft,
  position_dft,  ///< the pixels as positions that could lie anywhere
};
enum class Direction { forward, adjoint, normal };

/// One operator, applied in one direction, in single precision.
struct Case {
  std::shared_ptr<const Problem> problem;
  Transform transform = Transform::nufft;
  Direction direction = Direction::forward;
  Index coils = 1;
  double tolerance = 1e-3;  ///< relative l2 error against the exact transform; that of each step for `normal`
  NufftAccuracy accuracy = NufftAccuracy::typical;

  /// "nufft/radial-2d-256/adjoint/12-coils/1e-3", and "/guaranteed" where the tolerance is: no other case has this
  /// name.
  std::string name() const;
};

const char* to_string(Transform transform);
const char* to_string(Direction direction);

/// All cases. Those that share a trajectory, and then those that share an operator, are neighbors.
std::vector<Case> all_cases();

/// The cases in whose names a regular expression (ECMAScript) is found; an empty one: all but the small ones, which
/// are for tests, those that are large for a CPU, and the series over samples and coils.
/// Throws ValueError where it is no regular expression.
std::vector<Case> cases_like(const std::string& expression);

}  // namespace whorl::bench
