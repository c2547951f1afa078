#include "joint.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

#include "whorl/core/random.hpp"
#include "whorl/measure/scaled_error.hpp"
#include "whorl/phantom/phantom.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/recon/usual_lambda.hpp"

namespace sodium {

namespace {

using Complex = std::complex<float>;
using whorl::Array;
using whorl::Context;
using whorl::Index;

// Scan number s as its scanner would give it: data, noise scan and known coil maps.
std::shared_ptr<const whorl::Scan> scan_of(const Context& ctx, const Head& head, const JointSettings& settings, int s) {
  ScanSettings own = settings.scan;
  own.noise *= std::pow(1.5, s);
  own.scans = settings.scans;
  own.number = s;
  Measurement measured = measure(ctx, head, own);
  const auto seed = static_cast<std::uint64_t>(s) + 1;
  const Array<Complex> noise = noise_of(ctx, measured, own.noise, seed);
  // Gain and phase of the receivers, which nobody measures: they are in the maps too.
  const Complex gain = std::polar(1.0F + 0.5F * static_cast<float>(s), 2.0F * static_cast<float>(s));
  auto scan = std::make_shared<whorl::Scan>();
  scan->source = fmt::format("scan {}", s + 1);
  scan->matrix = {own.size, own.size, own.size};
  scan->coils = own.coils;
  auto trajectory = std::make_shared<whorl::Trajectory>();
  trajectory->readout_length = measured.times.size() / measured.readouts;
  trajectory->points = std::move(measured.points);
  whorl::ScanFrame& frame = scan->frames.emplace_back();
  frame.trajectory = std::move(trajectory);
  frame.geometry.field_of_view_mm = {field_of_view_mm, field_of_view_mm, field_of_view_mm};
  frame.data = std::move(measured.data);
  for (Index i = 0; i < noise.size(); ++i) frame.data.data()[i] = gain * (frame.data.data()[i] + noise.data()[i]);
  scan->coil_maps = std::move(measured.maps);
  for (Complex& value : scan->coil_maps.span()) value *= gain;
  constexpr Index noise_samples = 4096;
  scan->noise = Array<Complex>(ctx, {own.coils, noise_samples});
  whorl::fill_random_normal<float>(scan->noise, 100 + seed);
  for (Complex& value : scan->noise.span()) value *= gain * static_cast<float>(own.noise);
  return scan;
}

// The sodium: an image is in units of the noise, times the root of sum |s|^2 of the coils in that unit.
std::vector<double> sodium_of(const Context& ctx, const std::vector<std::shared_ptr<const whorl::Scan>>& scans) {
  whorl::ReconOptions options;
  options.coil_maps = whorl::CoilMapMethod::file;
  whorl::use_usual_lambda(options, false, false);
  for (std::size_t s = 1; s < scans.size(); ++s) options.joint.push_back({scans[s]});
  const whorl::Reconstruction made = whorl::reconstruct(ctx, *scans.front(), options);
  const auto voxels = static_cast<std::size_t>(made.images.size());
  std::vector<double> squares(voxels);
  for (const auto& scan : scans) {
    double noise = 0;  // E|n|^2, alike in all coils
    for (const Complex& value : scan->noise.span()) noise += double{std::norm(value)};
    noise /= static_cast<double>(scan->noise.size());
    for (Index i = 0; i < scan->coil_maps.size(); ++i) {
      squares[static_cast<std::size_t>(i) % voxels] += double{std::norm(scan->coil_maps.data()[i])} / noise;
    }
  }
  std::vector<double> values(voxels);
  for (std::size_t r = 0; r < voxels; ++r) values[r] = double{made.images.data()[r].real()} / std::sqrt(squares[r]);
  return values;
}

JointRow row_of(std::string name, const std::vector<double>& values, const Array<float>& truth) {
  const Context host;
  Array<double> image(host, truth.shape());
  Array<double> expected(host, truth.shape());
  Array<bool> head(host, truth.shape());
  for (Index r = 0; r < truth.size(); ++r) {
    image.data()[r] = values[static_cast<std::size_t>(r)];
    expected.data()[r] = truth.data()[r];
    head.data()[r] = truth.data()[r] != 0;
  }
  return {std::move(name), whorl::scaled_error<double>(host, image, expected, head).nrmse};
}

}  // namespace

std::vector<JointRow> run_joint(const Context& ctx, const JointSettings& settings) {
  const Context host = ctx.host();
  const Head head = make_head();
  std::vector<double> concentrations;
  for (const HeadTissue& tissue : head.tissues) concentrations.push_back(tissue.concentration);
  const Index size = settings.scan.size;
  const auto truth = whorl::rasterize<float>(host, weighted_head(head, concentrations), {size, size, size}, 4);
  std::vector<std::shared_ptr<const whorl::Scan>> scans;
  std::vector<JointRow> rows;
  std::vector<double> mean(static_cast<std::size_t>(truth.size()));
  for (int s = 0; s < settings.scans; ++s) {
    scans.push_back(scan_of(host, head, settings, s));
    const std::vector<double> alone = sodium_of(ctx, {scans.back()});
    rows.push_back(row_of(scans.back()->source + " alone", alone, truth));
    const double weight = std::pow(1.5, -2 * s);
    for (std::size_t r = 0; r < mean.size(); ++r) mean[r] += weight * alone[r];
  }
  rows.push_back(row_of("mean of the images", mean, truth));
  rows.push_back(row_of("jointly", sodium_of(ctx, scans), truth));
  return rows;
}

std::string table_of(const std::vector<JointRow>& rows) {
  std::string text = "image                 error\n";
  for (const JointRow& row : rows) text += fmt::format("{:<20}  {:4.1f} %\n", row.name, 100 * row.error);
  return text;
}

}  // namespace sodium
