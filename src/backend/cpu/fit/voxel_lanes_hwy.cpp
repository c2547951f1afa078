#include "backend/cpu/fit/voxel_lanes.hpp"
#include "backend/cpu/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/fit/voxel_lanes_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include <hwy/contrib/math/math-inl.h>

#ifndef WHORL_LANE_FUNCTION
#define WHORL_LANE_FUNCTION HWY_INLINE
#define WHORL_LANE_UNROLL WHORL_UNROLL
#endif

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, static_cast<std::size_t>(voxels_together)>;

struct Lanes {
  using Value = hn::Vec<Tag>;
  using Mask = hn::Mask<Tag>;

  HWY_INLINE static Value set(double value) { return hn::Set(Tag(), value); }
  // Highway's is exact to a unit in the last place up to 706.
  HWY_INLINE static Value exp(Value value) { return hn::Exp(Tag(), hn::Min(value, set(700))); }
  HWY_INLINE static Value log(Value value) { return hn::Log(Tag(), value); }
  HWY_INLINE static Value cosine(Value value) { return hn::Cos(Tag(), value); }
  HWY_INLINE static Value sine(Value value) { return hn::Sin(Tag(), value); }
  HWY_INLINE static Value magnitude(Value value) { return hn::Abs(value); }
  HWY_INLINE static Mask less(Value a, Value b) { return hn::Lt(a, b); }
  HWY_INLINE static Mask less_or_equal(Value a, Value b) { return hn::Le(a, b); }
  HWY_INLINE static Mask both(Mask a, Mask b) { return hn::And(a, b); }
  HWY_INLINE static Mask either(Mask a, Mask b) { return hn::Or(a, b); }
  HWY_INLINE static Mask without(Mask a, Mask b) { return hn::AndNot(b, a); }
  HWY_INLINE static Mask none() { return hn::Lt(set(0), set(0)); }
  HWY_INLINE static bool any(Mask mask) { return !hn::AllFalse(Tag(), mask); }
  HWY_INLINE static Value select(Mask mask, Value yes, Value no) { return hn::IfThenElse(mask, yes, no); }
};

#include "kernels/fit/signal_models-inl.hpp"  // NOLINT(bugprone-suspicious-include)
// The method needs the models.
#include "kernels/fit/levenberg_marquardt-inl.hpp"  // NOLINT(bugprone-suspicious-include)

// Voxels first, first + 1, ... in lanes; lanes behind the last voxel repeat it.
template <class Model>
class LaneData {
 public:
  using Value = Lanes::Value;

  HWY_INLINE LaneData(const kernels::VoxelFit& what, const VoxelArrays& arrays, Index first, Index count,
                      double* scratch)
      : what_(what),
        arrays_(arrays),
        first_(first),
        count_(std::min(count, static_cast<Index>(hn::Lanes(Tag())))),
        values_(scratch),
        weights_(scratch + voxels_together * what.settings * Model::rows) {
    const auto lanes = static_cast<Index>(hn::Lanes(Tag()));
    for (Index i = 0; i < what.settings * Model::rows; ++i) {
      const float* const row = arrays.series + i * what.step + first;
      for (Index v = 0; v < lanes; ++v) values_[i * lanes + v] = static_cast<double>(row[std::min(v, count_ - 1)]);
      if (arrays.errors == nullptr) continue;
      const float* const errors = arrays.errors + i * what.errors_step + first;
      for (Index v = 0; v < lanes; ++v) {
        const auto error = static_cast<double>(errors[std::min(v, count_ - 1)]);
        weights_[i * lanes + v] = error > 0 ? 1 / (error * error) : 0;
      }
    }
  }

  HWY_INLINE int settings() const { return static_cast<int>(what_.settings); }
  HWY_INLINE int starts() const { return static_cast<int>(what_.starts); }
  HWY_INLINE const double* setting(int i) const {
    return arrays_.settings + Index{i} * kernels::columns_of(what_.model);
  }
  HWY_INLINE const double* start(int n) const { return arrays_.starts + n * (1 + what_.settings); }
  HWY_INLINE bool has_errors() const { return arrays_.errors != nullptr; }
  HWY_INLINE Value value(int i) const { return hn::Load(Tag(), values_ + Index{i} * lanes()); }
  HWY_INLINE Value weight(int i) const {
    return has_errors() ? hn::Load(Tag(), weights_ + Index{i} * lanes()) : hn::Set(Tag(), 1.0);
  }
  HWY_INLINE void flip(int flipped) {
    double* const row = values_ + (Index{flipped} - 1) * lanes();
    hn::Store(hn::Neg(hn::Load(Tag(), row)), Tag(), row);
  }
  HWY_INLINE void load_start(Value (&p)[Model::parameters]) const {
    HWY_ALIGN double row[voxels_together];
    for (int k = 0; k < Model::parameters; ++k) {
      const double* const from = arrays_.parameters + k * what_.voxels + first_;
      for (Index v = 0; v < lanes(); ++v) row[v] = from[std::min(v, count_ - 1)];
      p[k] = hn::Load(Tag(), row);
    }
  }
  HWY_INLINE void leave_out() const {
    for (int k = 0; k < Model::parameters; ++k) fill_row(arrays_.parameters, k);
    for (int k = 0; k < NormalEquations<Lanes, Model::parameters>::pairs; ++k) fill_row(arrays_.covariance, k);
    std::fill_n(arrays_.states + first_, count_, kernels::FitState::left_out);
  }
  HWY_INLINE void store(const Value (&p)[Model::parameters],
                        const Value (&covariance)[NormalEquations<Lanes, Model::parameters>::pairs], Lanes::Mask inside,
                        Lanes::Mask good) const {
    for (int k = 0; k < Model::parameters; ++k) store_row(p[k], arrays_.parameters, k);
    for (int k = 0; k < NormalEquations<Lanes, Model::parameters>::pairs; ++k) {
      store_row(covariance[k], arrays_.covariance, k);
    }
    HWY_ALIGN double state[voxels_together];
    hn::Store(hn::IfThenElseZero(inside, hn::IfThenElse(good, Lanes::set(1), Lanes::set(-1))), Tag(), state);
    for (Index v = 0; v < count_; ++v) {
      arrays_.states[first_ + v] = static_cast<kernels::FitState>(static_cast<signed char>(state[v]));
    }
  }

 private:
  HWY_INLINE static Index lanes() { return static_cast<Index>(hn::Lanes(Tag())); }
  HWY_INLINE void fill_row(double* to, int row) const { std::fill_n(to + row * what_.voxels + first_, count_, 0.0); }
  HWY_INLINE void store_row(Value value, double* to, int row) const {
    HWY_ALIGN double numbers[voxels_together];
    hn::Store(value, Tag(), numbers);
    std::copy_n(numbers, count_, to + row * what_.voxels + first_);
  }

  const kernels::VoxelFit& what_;
  const VoxelArrays& arrays_;
  Index first_;
  Index count_;
  double* values_;
  double* weights_;
};

// NOLINTBEGIN(readability-non-const-parameter): LaneData writes to the scratch memory
template <class Model>
HWY_INLINE void fit_of(const kernels::VoxelFit& what, const VoxelArrays& arrays, Index first, Index count,
                       double* scratch) {
  const auto lanes = static_cast<Index>(hn::Lanes(Tag()));
  for (Index v = 0; v < count; v += lanes) {
    LaneData<Model> data(what, arrays, first + v, count - v, scratch);
    fit_lanes<Lanes, Model>(what, data);
  }
}
// NOLINTEND(readability-non-const-parameter)

// A function for each model: one for all would keep the registers of the largest.
HWY_NOINLINE void fit_decay(const kernels::VoxelFit& what, const VoxelArrays& arrays, Index first, Index count,
                            double* scratch) {
  fit_of<Exponential<Lanes, 1>>(what, arrays, first, count, scratch);
}
HWY_NOINLINE void fit_recovery(const kernels::VoxelFit& what, const VoxelArrays& arrays, Index first, Index count,
                               double* scratch) {
  fit_of<Recovery<Lanes>>(what, arrays, first, count, scratch);
}
HWY_NOINLINE void fit_tensor(const kernels::VoxelFit& what, const VoxelArrays& arrays, Index first, Index count,
                             double* scratch) {
  fit_of<Exponential<Lanes, 6>>(what, arrays, first, count, scratch);
}
HWY_NOINLINE void fit_water_fat(const kernels::VoxelFit& what, const VoxelArrays& arrays, Index first, Index count,
                                double* scratch) {
  fit_of<WaterFat<Lanes>>(what, arrays, first, count, scratch);
}

void fit_model(const kernels::VoxelFit& what, const VoxelArrays& arrays, Index first, Index count, double* scratch) {
  switch (what.model) {
    case kernels::SignalModel::decay:
      return fit_decay(what, arrays, first, count, scratch);
    case kernels::SignalModel::recovery:
      return fit_recovery(what, arrays, first, count, scratch);
    case kernels::SignalModel::tensor:
      return fit_tensor(what, arrays, first, count, scratch);
    case kernels::SignalModel::water_fat:
      return fit_water_fat(what, arrays, first, count, scratch);
  }
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(fit_model);

void fit_together(const kernels::VoxelFit& what, const VoxelArrays& arrays, Index first, Index count, double* scratch) {
  HWY_DYNAMIC_DISPATCH(fit_model)(what, arrays, first, count, scratch);
}

}  // namespace whorl::backend::cpu
#endif
