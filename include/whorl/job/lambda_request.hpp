// How lambda is given: a number, or a way to choose it from the data; and what a run says of the choice.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "whorl/core/option_table.hpp"
#include "whorl/io/parameters.hpp"
#include "whorl/recon/choose_lambda.hpp"

namespace WHORL_PUBLIC whorl {

struct LambdaRequest {
  std::optional<double> number{};
  std::optional<LambdaMethod> method{};
  LambdaSearchOptions search{};  ///< but for the method

  bool given() const { return number || method; }

  /// Sets what was given.
  void apply(double& lambda, std::optional<LambdaSearchOptions>& chosen) const;
};

template <>
WHORL_PUBLIC const OptionTable<LambdaRequest>& option_table<LambdaRequest>();

/// The words that choose lambda. Some need the level of the noise: the discrepancy principle and the power spectrum.
std::vector<std::string> lambda_words(bool noise_is_known);

/// The options by name, for the record of a run.
Parameters describe_lambda(double lambda, const std::optional<LambdaSearchOptions>& search);

/// What was chosen, and the curve as numbers, for the record of a run.
RecordTable lambda_table(const std::string& name, const LambdaChoice& choice);

}  // namespace whorl
