// The stages of a reconstruction: one vocabulary for progress, the seconds of the record and the bytes of the plan.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace whorl::recon {

/// One of `stages`, which are in the order in which most of them run.
struct Stage {
  std::string_view name;
  bool operator==(const Stage&) const = default;
};

namespace stages {
inline constexpr Stage reading{"reading"};
inline constexpr Stage scattering{"scattering"};
inline constexpr Stage spilling{"spilling"};
inline constexpr Stage upload{"upload"};
inline constexpr Stage prewhitening{"prewhitening"};
inline constexpr Stage coil_compression{"coil compression"};
inline constexpr Stage density_compensation{"density compensation"};
inline constexpr Stage plan{"plan"};
inline constexpr Stage normal_operator{"normal operator"};
inline constexpr Stage signal_factors{"signal factors"};
inline constexpr Stage signal_spectra{"signal spectra"};
inline constexpr Stage field_from_readout{"field from readout"};
inline constexpr Stage coil_maps{"coil maps"};
inline constexpr Stage prior{"prior"};
inline constexpr Stage gridding{"gridding"};
inline constexpr Stage coil_combination{"coil combination"};
inline constexpr Stage nlinv{"nlinv"};
inline constexpr Stage right_hand_side{"right-hand side"};
inline constexpr Stage largest_eigenvalue{"largest eigenvalue"};
inline constexpr Stage choice_of_lambda{"choice of lambda"};
inline constexpr Stage choice_of_weights{"choice of weights"};
inline constexpr Stage conjugate_gradient{"conjugate gradient"};
inline constexpr Stage regularized_least_squares{"regularized least squares"};
inline constexpr Stage certificate{"certificate"};
inline constexpr Stage error_bars{"error bars"};
inline constexpr Stage filter{"filter"};
inline constexpr Stage download{"download"};
inline constexpr Stage collecting{"collecting"};
}  // namespace stages

/// A number for each stage, in the order in which they first got one.
template <class Value>
class StageValues {
 public:
  Value& at(Stage stage) {
    const auto found = std::ranges::find(values_, stage, &std::pair<Stage, Value>::first);
    return found != values_.end() ? found->second : values_.emplace_back(stage, Value{}).second;
  }
  /// 0 where it has none.
  Value value(Stage stage) const {
    const auto found = std::ranges::find(values_, stage, &std::pair<Stage, Value>::first);
    return found != values_.end() ? found->second : Value{};
  }
  std::vector<std::pair<std::string, Value>> named() const {
    std::vector<std::pair<std::string, Value>> all;
    for (const auto& [stage, value] : values_) all.emplace_back(stage.name, value);
    return all;
  }

  auto begin() { return values_.begin(); }
  auto end() { return values_.end(); }

 private:
  std::vector<std::pair<Stage, Value>> values_;
};

}  // namespace whorl::recon
