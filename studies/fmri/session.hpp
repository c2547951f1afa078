// A session in real time: volume by volume from samples to a t-map.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "studies/fmri/field_drift.hpp"
#include "studies/fmri/general_linear_model.hpp"
#include "studies/fmri/realign.hpp"
#include "studies/fmri/reconstructor.hpp"

namespace whorl::studies::fmri {

struct Corrections {
  bool field = true;
  bool motion = true;
};

/// Milliseconds of a volume, from its samples in the host's memory on.
struct Latency {
  double field = 0;
  double image = 0;
  double motion = 0;
  double statistics = 0;
  double total() const { return field + image + motion + statistics; }
};

class Session {
 public:
  Session(Context ctx, const Protocol& protocol, const Reconstructor& reconstructor, Corrections corrections);

  /// The next of so many volumes, with the response that the task should have by then.
  Latency take(double response, Index volumes, ArrayRef<const std::complex<float>> samples);

  GeneralLinearModel::Maps maps() const { return model_.maps(ctx_); }
  const std::vector<double>& field_hz() const { return field_hz_; }
  const std::vector<ObjectPose>& poses() const { return poses_; }

 private:
  Context ctx_;
  const Reconstructor& reconstructor_;
  Corrections corrections_;
  FieldDrift drift_;
  std::unique_ptr<Realign> realign_;
  GeneralLinearModel model_;
  std::vector<double> field_hz_;
  std::vector<ObjectPose> poses_;
};

/// What a t-map found of the stated activation.
struct Detection {
  Index active = 0;            ///< voxels of which half or more is active tissue
  Index found = 0;             ///< of these, above the threshold
  Index wrong = 0;             ///< above the threshold, a voxel or more beyond active tissue
  Index head = 0;              ///< voxels that are tested
  double amplitude = 0;        ///< mean effect in voxels that are active tissue alone, percent of white matter
  double largest_t = 0;        ///< in active voxels
  double signal_to_noise = 0;  ///< median over the head of baseline over noise, in time
};

/// By chance one in 560,000 one-sided tests is above it, at the 76 degrees of freedom of 80 volumes.
inline constexpr double threshold = 5;

Detection detect(const Protocol& protocol, const GeneralLinearModel::Maps& maps);

}  // namespace whorl::studies::fmri
