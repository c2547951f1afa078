// Request for lambda: a number, or a method that chooses it from the data; and the notes of a run on the choice.
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

/// Chosen lambda and its curve as numbers, for the record of a run.
RecordTable lambda_table(const std::string& name, const LambdaChoice& choice);

}  // namespace whorl
