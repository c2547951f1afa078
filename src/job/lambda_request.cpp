#include "whorl/job/lambda_request.hpp"

#include <fmt/format.h>

#include <cmath>

#include "whorl/recon/option_tables.hpp"

namespace whorl {

namespace {

// Cross-validation always has an answer and needs no level of the noise (docs/explain/lambda.md).
constexpr LambdaMethod automatic = LambdaMethod::gcv;

// The words of the library's table, and auto.
const std::vector<std::pair<std::string, LambdaMethod>>& methods() {
  static const auto words = [] {
    std::vector<std::pair<std::string, LambdaMethod>> all{{"auto", automatic}};
    const OptionTable<LambdaSearchOptions>& table = option_table<LambdaSearchOptions>();
    LambdaSearchOptions one;
    for (const std::string& word : table.bindings()[table.index_of("method")].what.choices) {
      table.set(one, "method", word);
      all.emplace_back(word, one.method);
    }
    return all;
  }();
  return words;
}

std::vector<double> column(const LambdaCurve& curve, double LambdaPoint::*member) {
  std::vector<double> values;
  for (const LambdaPoint& point : curve.points) values.push_back(point.*member);
  return values;
}

std::vector<double> roots(std::vector<double> values) {
  for (double& value : values) value = std::sqrt(value);
  return values;
}

}  // namespace

std::vector<std::string> lambda_words(bool noise_is_known) {
  std::vector<std::string> all;
  for (const auto& [name, method] : methods()) {
    const bool needs_noise = method == LambdaMethod::discrepancy || method == LambdaMethod::spectrum;
    if (noise_is_known || !needs_noise) all.push_back(name);
  }
  return all;
}

template <>
const OptionTable<LambdaRequest>& option_table<LambdaRequest>() {
  static const OptionTable<LambdaRequest> table =
      OptionTable<LambdaRequest>("lambda")
          .custom(
              {.name = "lambda",
               .summary =
                   "Weight of the penalty, or how to choose it from the data. A number is for an encoding operator of "
                   "norm 1: 0.01 is strong for a penalty of values, 1 for one of differences. gcv: generalized "
                   "cross-validation (auto is the same); lcurve: corner of the L-curve; discrepancy: a residual "
                   "like the noise, which must be known; spectrum: least expected error by the power spectrum "
                   "of the data, for a penalty of values and known noise, and more where coil maps are wrong",
               .range = OptionRange{0, 1e30},
               .choices = lambda_words(true),
               .type = OptionType::number},
              [](const LambdaRequest& options) -> OptionValue {
                if (options.method) return to_string(*options.method);
                return options.number ? OptionValue(*options.number) : OptionValue();
              },
              [](LambdaRequest& options, const OptionValue& value) {
                options.number.reset();
                options.method.reset();
                if (const auto* number = std::get_if<double>(&value)) options.number = *number;
                for (const auto& [name, method] : methods()) {
                  if (value == OptionValue(name)) options.method = method;
                }
              })
          .part(&LambdaRequest::search, {{"method", "lambda-method"},
                                         {"noise-energy", "lambda-noise-energy"},
                                         {"probes", "lambda-probes"},
                                         {"seed", "lambda-seed"},
                                         {"lowest", "lambda-lowest"},
                                         {"highest", "lambda-highest"},
                                         {"per-decade", "lambda-per-decade"},
                                         {"iterations", "lambda-iterations"},
                                         {"probe-iterations", "lambda-probe-iterations"}})
          .when("--lambda gcv", [](const LambdaRequest& options) { return options.method == LambdaMethod::gcv; });
  return table;
}

void LambdaRequest::apply(double& lambda, std::optional<LambdaSearchOptions>& chosen) const {
  if (number) lambda = *number;
  if (method) {
    chosen = search;
    chosen->method = *method;
  }
}

Parameters describe_lambda(double lambda, const std::optional<LambdaSearchOptions>& search) {
  LambdaRequest options;
  options.number = lambda;
  if (search) options = {std::nullopt, search->method, *search};
  return parameters_of(options);
}

RecordTable lambda_table(const std::string& name, const LambdaChoice& choice) {
  const LambdaCurve& curve = choice.curve;
  if (curve.points.empty()) return {name, {{"chosen", {choice.lambda}}}};
  return {name,
          {{"chosen", {choice.lambda}},
           {"lambda", column(curve, &LambdaPoint::lambda)},
           {"residual_norm", roots(column(curve, &LambdaPoint::residual))},
           {"penalty_norm", roots(column(curve, &LambdaPoint::penalty))},
           {"degrees_of_freedom", column(curve, &LambdaPoint::freedom)},
           {"gcv", gcv_values(curve)},
           {"curvature", l_curve_curvatures(curve)}}};
}

}  // namespace whorl
