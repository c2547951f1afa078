#include "cli/recon/lambda_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "cli/options/option_of.hpp"
#include "cli/output/file_name.hpp"
#include "whorl/core/error.hpp"

namespace whorl::cli {

namespace {

// Cross-validation always has an answer and needs no level of the noise (docs/quantification.md).
constexpr LambdaMethod automatic = LambdaMethod::gcv;

std::vector<std::string> names(NoiseLevel noise) {
  std::vector<std::string> all{"auto", to_string(LambdaMethod::gcv), to_string(LambdaMethod::l_curve)};
  if (noise == NoiseLevel::known) all.push_back(to_string(LambdaMethod::discrepancy));
  return all;
}

std::optional<LambdaMethod> method_of(const std::string& text, NoiseLevel noise) {
  if (text == "auto") return automatic;
  for (const LambdaMethod method : {LambdaMethod::gcv, LambdaMethod::l_curve, LambdaMethod::discrepancy}) {
    if (text != to_string(method)) continue;
    if (method == LambdaMethod::discrepancy && noise == NoiseLevel::unknown) {
      throw ValueError("the discrepancy principle needs data of known noise; use gcv, lcurve or a number");
    }
    return method;
  }
  return std::nullopt;
}

double number_of(const std::string& text, NoiseLevel noise) {
  std::size_t used = 0;
  double value = -1;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    used = std::string::npos;
  }
  if (used != text.size() || !(value >= 0) || !std::isfinite(value)) {
    throw ValueError(
        fmt::format("'{}' is neither a number of 0 or more nor one of {}", text, fmt::join(names(noise), ", ")));
  }
  return value;
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

void LambdaOptions::apply(double& lambda, std::optional<LambdaSearchOptions>& chosen) const {
  if (number) lambda = *number;
  if (method) {
    chosen = search;
    chosen->method = *method;
  } else if (!picture.empty()) {
    throw ValueError("--lambda-curve: there is a curve where lambda is chosen; use --lambda auto");
  }
}

void add_lambda_options(App& app, LambdaOptions& options, double lambda, NoiseLevel noise, const std::string& group) {
  const std::string discrepancy = noise == NoiseLevel::known ? ", discrepancy (a residual like the noise)" : "";
  app.add_option_function(
         "--lambda",
         [&options, noise](const std::string& text) {
           try {
             options.method = method_of(text, noise);
             options.number = options.method ? std::nullopt : std::optional<double>(number_of(text, noise));
           } catch (const ValueError& error) {
             refuse_option("--lambda", error.what());
           }
         },
         fmt::format("Weight of the penalty, for an encoding operator of norm 1: of values 0.01 is strong, of "
                     "differences 1; or how the data choose it: "
                     "gcv (generalized cross-validation; the same as auto), lcurve (corner of the L-curve){}",
                     discrepancy))
      ->check(offer(names(noise)))
      ->default_str(fmt::format("{:g}", lambda))
      ->group(group);
  app.add_option("--lambda-curve", options.picture, "Picture of the curve on which lambda was chosen (.png)")
      ->check(Check(check_png_name))
      ->group(group);
  app.add_option("--lambda-probes", options.search.sweep.probes,
                 "Random vectors from which gcv estimates the degrees of freedom")
      ->check(positive_number())
      ->capture_default_str()
      ->group(group);
  app.add_option("--lambda-seed", options.search.sweep.seed, "Seed of these vectors")
      ->capture_default_str()
      ->group(group);
}

std::vector<std::pair<std::string, RunRecord::Value>> describe_lambda(
    double lambda, const std::optional<LambdaSearchOptions>& search) {
  if (!search) return {{"lambda", lambda}};
  return {{"lambda", to_string(search->method)},
          {"lambda_probes", static_cast<std::int64_t>(search->sweep.probes)},
          {"lambda_seed", static_cast<std::int64_t>(search->sweep.seed)}};
}

RecordTable lambda_table(const std::string& name, const LambdaChoice& choice) {
  const LambdaCurve& curve = choice.curve;
  return {name,
          {{"chosen", {choice.lambda}},
           {"lambda", column(curve, &LambdaPoint::lambda)},
           {"residual_norm", roots(column(curve, &LambdaPoint::residual))},
           {"penalty_norm", roots(column(curve, &LambdaPoint::penalty))},
           {"degrees_of_freedom", column(curve, &LambdaPoint::freedom)},
           {"gcv", gcv_values(curve)},
           {"curvature", l_curve_curvatures(curve)}}};
}

}  // namespace whorl::cli
