// The table of the whole transform.
#include <fmt/format.h>

#include <cmath>

#include "bench/timing.hpp"
#include "studies/gridding_2d/images.hpp"
#include "whorl/op/nufft.hpp"

namespace whorl::studies::gridding_2d {

namespace {

using Complex = std::complex<float>;

double image_error(const Context& ctx, ArrayRef<const Complex> image, const Array<std::complex<double>>& exact) {
  const Array<Complex> here = to_host(ctx, image);
  double difference = 0;
  double total = 0;
  for (Index i = 0; i < exact.size(); ++i) {
    difference += std::norm(std::complex<double>(here.data()[i]) - exact.data()[i]);
    total += std::norm(exact.data()[i]);
  }
  return std::sqrt(difference / total);
}

/// The FFT of Cartesian samples that gives the same image.
double cartesian_ms(const Context& ctx, const Shape& image) {
  Array<Complex> samples = zeros<Complex>(ctx, image);
  const auto fft = make_fft_plan<float>(ctx, image);
  return bench::time_work(ctx, bench::Effort::brief,
                          [&] { fft->execute(ctx, FftDirection::inverse, samples.data(), 1); })
      .median_ms;
}

/// The rows of one scan.
class Rows {
 public:
  Rows(const Context& ctx, const Scan& scan, Table& table)
      : ctx_(ctx),
        scan_(scan),
        exact_(exact_image(ctx, scan)),
        fft_ms_(cartesian_ms(ctx, exact_.shape())),
        table_(table) {}

  void add_step(const std::string& name, const Step& step, double b) {
    Trial trial(ctx_, scan_, b);
    Imaging imaging(ctx_, scan_.grid, b);
    add_gridding(name, step, trial, imaging);
  }

  void add_window(const std::string& name, const Window& window) {
    Trial trial(ctx_, scan_);
    Imaging imaging(ctx_, scan_.grid, [&window](double f) { return window.transform(f); });
    add_gridding(name, library_step(ctx_, scan_, window), trial, imaging);
  }

  void add_nufft(double tolerance) {
    const Nufft<float> nufft(ctx_, points_of(ctx_.host(), scan_), exact_.shape(), 1, {.tolerance = tolerance});
    const Array<Complex> values = library_values(ctx_, scan_);
    Array<Complex> image(ctx_, nufft.domain());
    add(
        fmt::format("NUFFT, tolerance {:.0e} (the library)", tolerance), {},
        [&] { nufft.adjoint(ctx_, values, image); }, image);
  }

 private:
  void add_gridding(const std::string& name, const Step& step, Trial& trial, Imaging& imaging) {
    const double ms = trial.time(step);
    add(
        name, ms,
        [&] {
          step.run(ctx_, trial.problem(), trial.grid());
          imaging.run(trial.grid(), step.layout);
        },
        imaging.image());
  }

  void add(const std::string& name, const Cell& gridding_ms, const std::function<void()>& work,
           const Array<Complex>& image) {
    ctx_.check_cancel("gridding_2d");
    const double ms = bench::time_work(ctx_, bench::Effort::brief, work).median_ms;
    table_.rows.push_back({fmt::format("{}, {}", scan_.name, scan_.samples.size()), name, gridding_ms, ms, ms / fft_ms_,
                           image_error(ctx_, image, exact_)});
  }

  const Context& ctx_;
  const Scan& scan_;
  Array<std::complex<double>> exact_;
  double fft_ms_;
  Table& table_;
};

}  // namespace

Table images_table(const Context& ctx, std::span<const Scan> scans) {
  Table table{
      "images",
      fmt::format("Gridding, inverse FFT, deapodization: images against the exact transform, and times over an FFT of "
                  "as many Cartesian samples as the image has pixels (published: {})",
                  Cited("gridding_2d", "six times").text()),
      {"samples", "window", "gridding ms", "ms", "x FFT", "error"},
      {}};
  const std::vector<Step> steps = lookups_on(ctx);
  const auto with = [&](Lookup lookup) { return steps[static_cast<std::size_t>(lookup)]; };
  for (const Scan& scan : scans) {
    Rows rows(ctx, scan, table);
    rows.add_step("Gaussian of the listing, table of distances", with(Lookup::distance), listing_b);
    rows.add_step("Gaussian, estimated distances", with(Lookup::estimated), best_b);
    rows.add_step("Gaussian, table of distances", with(Lookup::distance), best_b);
    rows.add_step("Gaussian, tables of axes", with(Lookup::axes), best_b);
    rows.add_step("Gaussian, exp()", with(Lookup::exact), best_b);
    rows.add_window("Gaussian (the library's gridding)", Window(WindowKind::gaussian, width, 2));
    rows.add_window("Kaiser-Bessel (the library's gridding)", Window(WindowKind::kaiser_bessel, width, 2));
    rows.add_nufft(1e-2);
    rows.add_nufft(1e-4);
    rows.add_nufft(1e-6);
  }
  return table;
}

}  // namespace whorl::studies::gridding_2d
