// Sample positions from Python: a whorl.Trajectory, or an array [sample, dim].
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>

#include "arrays.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl::python {

/// Positions that this object keeps alive.
class Points {
 public:
  /// `name`: of the argument, in messages.
  explicit Points(nb::handle object, const char* name = "points");

  ArrayRef<const double> ref() const { return ref_; }
  Device device() const { return ref_.device(); }
  Framework framework() const { return input_ ? input_->framework() : Framework::numpy; }

 private:
  std::optional<Input> input_;
  nb::object trajectory_;
  ArrayRef<const double> ref_;
};

/// A trajectory from Python: the object's own, or a new one that shares the memory of an array. Positions on a GPU are
/// copied to the host, where trajectories are.
std::shared_ptr<const Trajectory> trajectory_from(nb::handle object, Index readout_length = 0);

}  // namespace whorl::python
