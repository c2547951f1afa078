// The options that choose lambda, and what a run says of the choice.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/options/table_options.hpp"
#include "whorl/io/record.hpp"
#include "whorl/recon/choose_lambda.hpp"

namespace whorl::cli {

struct LambdaOptions {
  std::optional<double> number;        ///< --lambda as a number
  std::optional<LambdaMethod> method;  ///< --lambda as a way to choose it
  LambdaSearchOptions search;          ///< but for the method
  std::string picture;                 ///< of the curve; empty: none

  std::function<bool()> chooses_weights{};  ///< whether weights of regularizers are chosen on a curve too

  bool given() const { return number || method; }

  /// Sets what the options say.
  void apply(double& lambda, std::optional<LambdaSearchOptions>& chosen) const;
};

/// Is the noise of the data known to be E|n|^2 = 1? The discrepancy principle and the power spectrum need that.
enum class NoiseLevel { known, unknown };

/// Adds --lambda and what belongs to it. The help shows `usual` as the default.
void add_lambda_options(App& app, LambdaOptions& options, const std::string& usual, NoiseLevel noise,
                        const std::string& group);

/// The options by name, for the record of a run.
Parameters describe_lambda(double lambda, const std::optional<LambdaSearchOptions>& search);

/// What was chosen, and the curve as numbers, for the record of a run.
RecordTable lambda_table(const std::string& name, const LambdaChoice& choice);

/// Draws the curve that lambda was chosen on and marks the choice: the L-curve, and what the method compares over
/// lambda. Throws as write_figure.
void write_lambda_picture(const Context& ctx, const std::string& path, const LambdaChoice& choice);

}  // namespace whorl::cli
