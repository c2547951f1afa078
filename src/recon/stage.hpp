// The stages of a reconstruction: one vocabulary for progress, the seconds of the record and the bytes of the plan.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace whorl::recon {

enum class Stage {
  reading,
  scattering,
  spilling,
  upload,
  prewhitening,
  coil_compression,
  density_compensation,
  plan,
  normal_operator,
  signal_factors,
  signal_spectra,
  field_from_readout,
  coil_maps,
  prior,
  gridding,
  coil_combination,
  nlinv,
  right_hand_side,
  largest_eigenvalue,
  choice_of_lambda,
  choice_of_weights,
  conjugate_gradient,
  regularized_least_squares,
  certificate,
  error_bars,
  filter,
  download,
  collecting,
  count
};

constexpr const char* name_of(Stage stage) {
  constexpr std::array names{"reading",
                             "scattering",
                             "spilling",
                             "upload",
                             "prewhitening",
                             "coil compression",
                             "density compensation",
                             "plan",
                             "normal operator",
                             "signal factors",
                             "signal spectra",
                             "field from readout",
                             "coil maps",
                             "prior",
                             "gridding",
                             "coil combination",
                             "nlinv",
                             "right-hand side",
                             "largest eigenvalue",
                             "choice of lambda",
                             "choice of weights",
                             "conjugate gradient",
                             "regularized least squares",
                             "certificate",
                             "error bars",
                             "filter",
                             "download",
                             "collecting"};
  static_assert(names.size() == static_cast<std::size_t>(Stage::count));
  return names.at(static_cast<std::size_t>(stage));
}

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
    for (const auto& [stage, value] : values_) all.emplace_back(name_of(stage), value);
    return all;
  }

  auto begin() { return values_.begin(); }
  auto end() { return values_.end(); }

 private:
  std::vector<std::pair<Stage, Value>> values_;
};

}  // namespace whorl::recon
