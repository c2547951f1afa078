#include "study.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "whorl/io/nifti.hpp"
#include "whorl/io/reference_file.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/prior/reference_image.hpp"
#include "whorl/recon/standard_deviation.hpp"
#include "whorl/recon/truth_error.hpp"

namespace sodium {

namespace {

using Complex = std::complex<float>;
using whorl::Array;
using whorl::Context;
using whorl::Index;

const whorl::Geometry geometry{{field_of_view_mm, field_of_view_mm, field_of_view_mm}};

std::array<Index, 3> cube(Index size) { return {size, size, size}; }

Array<float> portions_of(const Context& ctx, const Head& head, Index size) {
  constexpr int subsamples = 4;
  Array<float> portions(ctx, whorl::Shape{static_cast<Index>(head.portions.size()), size, size, size});
  for (std::size_t k = 0; k < head.portions.size(); ++k) {
    const auto portion = whorl::rasterize<float>(ctx, head.portions[k], cube(size), subsamples);
    whorl::copy(ctx, portion, portions.slice(static_cast<Index>(k)));
  }
  return portions;
}

// Writes the proton image at twice the resolution, and resamples it to the grid of the sodium.
Array<float> proton_reference(const Context& ctx, const Head& head, Index size, const std::filesystem::path& folder) {
  std::vector<double> intensities;
  for (const HeadTissue& tissue : head.tissues) intensities.push_back(tissue.proton);
  const auto fine = whorl::rasterize<float>(ctx, weighted_head(head, intensities), cube(2 * size), 2);
  const auto path = folder / "proton.nii.gz";
  whorl::write_nifti(ctx, path, fine, geometry);
  return whorl::resample(ctx, whorl::read_reference(ctx, path), geometry, cube(size)).values;
}

Array<float> concentrations(const Context& ctx, const Regions& regions, const Array<Complex>& image) {
  const Array<Complex> here = whorl::to_host<const Complex>(ctx, image.ref());
  const Calibration line = calibrate(regions, here);
  Array<float> values(ctx.host(), here.shape());
  for (Index r = 0; r < values.size(); ++r) {
    values.data()[r] = static_cast<float>(line.slope * double{here.data()[r].real()} + line.offset);
  }
  return values;
}

// Over the replicas: mean and standard deviation in each voxel.
void summarize(const Context& ctx, const std::vector<Array<float>>& replicas, MethodResult& result) {
  const auto count = static_cast<double>(replicas.size());
  result.first = whorl::clone(ctx, replicas.front().ref());
  result.mean = whorl::zeros<float>(ctx, replicas.front().shape());
  result.standard_deviation = whorl::zeros<float>(ctx, replicas.front().shape());
  for (Index r = 0; r < result.mean.size(); ++r) {
    double sum = 0;
    for (const auto& replica : replicas) sum += double{replica.data()[r]};
    double squares = 0;
    for (const auto& replica : replicas) squares += std::pow(double{replica.data()[r]} - sum / count, 2);
    result.mean.data()[r] = static_cast<float>(sum / count);
    result.standard_deviation.data()[r] = static_cast<float>(std::sqrt(squares / (count - 1)));
  }
}

TissueResult tissue_result(const PureRegion& region, const std::vector<Array<float>>& replicas,
                           const MethodResult& method) {
  TissueResult result;
  result.region = &region;
  const auto count = static_cast<double>(region.voxels.size());
  double variance = 0;
  double predicted = 0;
  for (const Index voxel : region.voxels) {
    result.mean += double{method.mean.data()[voxel]} / count;
    variance += std::pow(double{method.standard_deviation.data()[voxel]}, 2) / count;
    if (method.predicted.size() == 0) continue;
    const double bar = method.predicted.data()[voxel];
    predicted += bar * bar / count;
    const auto number = static_cast<double>(replicas.size());
    // The bars of the truth go by the image of the first replica: they are about that one.
    const double of_first = std::abs(double{method.first.data()[voxel]} - region.truth);
    if (of_first <= method.truth_bar.data()[voxel]) result.covered_by_bar += 1 / count;
    if (of_first <= method.truth_bound.data()[voxel]) result.covered_by_bound += 1 / count;
    for (const auto& replica : replicas) {
      const double value = replica.data()[voxel];
      const double part = 1 / (count * number);
      const double error = std::abs(value - region.truth);
      if (error <= bar) result.covered += part;
      // The mean over R replicas lies nearer to each of them than the true one, by sqrt(1 - 1/R).
      const double from_mean = (value - double{method.mean.data()[voxel]}) * std::sqrt(number / (number - 1));
      if (std::abs(from_mean) <= bar) result.covered_mean += part;
    }
  }
  result.standard_deviation = std::sqrt(variance);
  result.predicted = std::sqrt(predicted);
  return result;
}

whorl::StandardDeviationOptions prediction_options(const StudySettings& settings) {
  whorl::StandardDeviationOptions options;
  options.count = settings.predictions;
  options.batch = 1;
  options.seed = 1000003;  // no replica of the data has it
  options.iterations = settings.recon.iterations;
  // An image of noise alone needs less: in an image the noise is a few percent of what the residual is relative to.
  options.tolerance = 100 * settings.recon.tolerance;
  return options;
}

// The library's error bars in mmol/L: of the real part, for the noise of the scan and the slope of the calibration.
Array<float> predicted_deviation(const Context& ctx, const Method& method, const StudySettings& settings,
                                 double slope) {
  auto deviation = whorl::standard_deviation(ctx, method.name + ", error bars", *method.model, method.lambda,
                                             prediction_options(settings))
                       .values;
  for (float& value : deviation.span()) {
    value = static_cast<float>(double{value} * std::abs(slope) * settings.scan.noise / std::numbers::sqrt2);
  }
  return deviation;
}

// How far the truth may lie from an image, in mmol/L: noise, and the bias of the penalty.
void predict_truth(const Context& ctx, const Method& method, const StudySettings& settings, double slope,
                   const Array<Complex>& image, MethodResult& result) {
  constexpr double radius = 1.5;
  const whorl::ErrorMoments moments = whorl::error_moments(ctx, method.name + ", bias", *method.model, method.lambda,
                                                           radius, prediction_options(settings));
  auto found =
      whorl::truth_error<float>(ctx, *method.model, method.lambda, radius, moments, image, 1 / settings.scan.noise);
  for (whorl::Array<float>* values : {&found.bar, &found.bound}) {
    for (float& value : values->span()) value *= static_cast<float>(std::abs(slope) * settings.scan.noise);
  }
  result.truth_bar = std::move(found.bar);
  result.truth_bound = std::move(found.bound);
}

}  // namespace

Study run_study(const Context& ctx, const StudySettings& settings, const std::filesystem::path& folder) {
  const Context host = ctx.host();
  Study study;
  study.head = make_head();
  const Array<float> portions = portions_of(host, study.head, settings.scan.size);
  study.regions = find_regions(study.head, portions);
  std::vector<double> truth;
  for (const HeadTissue& tissue : study.head.tissues) truth.push_back(tissue.concentration);
  study.truth = whorl::rasterize<float>(host, weighted_head(study.head, truth), cube(settings.scan.size), 4);
  study.proton = proton_reference(host, study.head, settings.scan.size, folder);

  const Measurement scan = measure(ctx, study.head, settings.scan);
  const Methods methods(ctx, scan, expected_decays(ctx, study.head, portions), study.proton, settings.recon);
  study.facts.push_back(
      fmt::format("{} twisted projections of {:.3g} ms with {} samples and a gradient of {:.2g} mT/m, "
                  "first sample {:.2g} ms after the excitation, {} coils.",
                  scan.readouts, settings.scan.readout_ms, scan.times.size() / scan.readouts, scan.gradient_mt_per_m,
                  settings.scan.echo_ms, settings.scan.coils));
  study.facts.push_back(fmt::format("The decay during the readout is a sum of {} products, with an error of {:.1e}.",
                                    methods.decay_factors(), methods.decay_error()));
  for (const Method& method : methods.all()) {
    MethodResult result;
    result.name = method.name;
    std::vector<Array<float>> replicas;
    double slope = 0;
    for (int number = 0; number < settings.replicas; ++number) {
      Array<Complex> data = noise_of(ctx, scan, settings.scan.noise, static_cast<std::uint64_t>(number) + 1);
      whorl::axpby(ctx, 1, scan.data, 1, data);
      const Array<Complex> image = method.image(data);
      slope = calibrate(study.regions, whorl::to_host<const Complex>(ctx, image.ref())).slope;
      if (number == 0 && method.model != nullptr) predict_truth(ctx, method, settings, slope, image, result);
      replicas.push_back(concentrations(ctx, study.regions, image));
    }
    summarize(host, replicas, result);
    if (method.model != nullptr) result.predicted = predicted_deviation(ctx, method, settings, slope);
    for (const PureRegion& region : study.regions.tissues) {
      result.tissues.push_back(tissue_result(region, replicas, result));
    }
    study.methods.push_back(std::move(result));
  }
  return study;
}

}  // namespace sodium
