// Private: images of a scan for a frequency of the receiver.
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "doctor/examination.hpp"
#include "whorl/core/array.hpp"
#include "whorl/op/nufft.hpp"

namespace whorl::doctor {

/// Gridded images of up to three virtual coils from the central part of k-space, [virtual coil, (z,) y, x].
class FieldImages {
 public:
  FieldImages(const Context& ctx, Examination& examination);

  /// False: no samples, or too many.
  bool is_known() const { return transform_ != nullptr; }

  enum class Part { all, center };
  /// Images with the data turned by `turns` during a readout. Images of the center of k-space alone are smooth.
  Array<std::complex<float>> images(const Context& ctx, double turns, Part part = Part::all) const;

  /// Whether samples are taken the later (or the earlier) the farther out they are, as in spirals: other frequencies blur
  /// the image then.
  bool time_follows_radius() const;
  /// Whether a readout comes back to the center of k-space, as in rosettes: other frequencies cancel signal there.
  bool returns_to_center() const;

 private:
  Index length_;
  std::vector<Index> samples_;
  std::vector<double> radii_;            // of each, cycles per field of view
  Array<std::complex<float>> weighted_;  // [virtual coil, sample]
  std::unique_ptr<const Nufft<float>> transform_;
};

}  // namespace whorl::doctor
