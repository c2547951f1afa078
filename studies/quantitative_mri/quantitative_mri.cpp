#include "studies/quantitative_mri/quantitative_mri.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "studies/quantitative_mri/picture.hpp"
#include "studies/quantitative_mri/rows.hpp"
#include "studies/quantitative_mri/sweep.hpp"
#include "studies/quantitative_mri/tables.hpp"

namespace whorl::studies {

namespace {

using namespace quantitative_mri;

constexpr Index size_on_gpu = 128;
constexpr Index size_on_cpu = 48;

class QuantitativeMri final : public Experiment {
 public:
  BoundOptions options() override {
    static const OptionTable<Options> table =
        OptionTable<Options>("quantitative_mri")
            .integer("size", &Options::size, {0, 512}, "",
                     "Voxels along each axis; the samples go with the voxels (0: 128 on a GPU, 48 on a CPU)")
            .real("noise", &Options::noise, {0, 1e3}, "",
                  "Standard deviation sqrt(E|n|^2) of the complex noise of a sample; white matter is 1")
            .real("blur", &Options::blur, {0, 32}, "", "FWHM in voxels of the Gaussian that blurs the object; 0: none")
            .real("reach", &Options::reach, {0.02, 0.5}, "cycles per voxel",
                  "Largest |k| of the samples; smaller: the same samples are denser")
            .flag("center", &Options::center,
                  "Spokes have a sample at the center of k-space, not half a step beside it")
            .integer("iterations", &Options::iterations, {1, 10000}, "", "Iterations of conjugate gradient")
            .flag("full", &Options::full,
                  "Compute exact sums in full, not for a part of the voxels: hours at large sizes");
    return {&options_, &table};
  }

  Results run(const Context& ctx) override {
    const Trial trial = trial_on(ctx);
    std::vector<Row> rows;
    rows.push_back(bilinear_row(trial));
    rows.push_back(kaiser_bessel_row(trial));
    NufftRows nufft = nufft_rows(trial);
    for (const ExactRow& exact : exact_rows(trial)) rows.push_back(exact.run(nufft));
    rows.push_back(std::move(nufft.double_precision));
    rows.push_back(std::move(nufft.single_precision));
    rows.push_back(std::move(nufft.prior));
    Results results = results_of(trial, rows);
    const Index sweep_size = std::min(trial.options.size, most_sweep_size);
    const std::vector<SweepPoint> points = sweep(ctx, trial.options, sweep_size);
    Options shown = trial.options;
    shown.size = std::min(shown.size, size_on_gpu);
    results.tables.push_back(found_table(ctx, shown, nearest_to_published(points)));
    results.tables.push_back(sweep_table(points, sweep_size));
    return results;
  }

  Results run_step(const Context& ctx, const std::string& /*ladder*/, const std::string& step) override {
    const Trial trial = trial_on(ctx);
    const std::array<Row, 1> rows{row_of(trial, step)};
    Results results;
    results.tables = {time_table(rows), quality_table(rows)};
    return results;
  }

 private:
  Trial trial_on(const Context& ctx) const {
    Trial trial{ctx, options_, {}};
    if (trial.options.size == 0) {
      trial.options.size = ctx.device().kind == DeviceKind::cuda ? size_on_gpu : size_on_cpu;
    }
    if (trial.options.size < least_size) {
      throw ValueError(
          fmt::format("quantitative_mri: a size of {} voxels, expected {} or more", trial.options.size, least_size));
    }
    trial.scan = simulate(ctx.host(), trial.options);
    return trial;
  }

  /// The reconstruction of that name. Exact sums take the largest eigenvalue of F^H F from the NUFFT.
  static Row row_of(const Trial& trial, const std::string& name) {
    if (name == "bilinear gridding, FFT") return bilinear_row(trial);
    if (name == "Kaiser-Bessel gridding") return kaiser_bessel_row(trial);
    for (const ExactRow& exact : exact_rows(trial)) {
      if (exact.name == name) return exact.run(nufft_rows(trial));
    }
    NufftRows nufft = nufft_rows(trial, name);
    for (Row* const row : {&nufft.double_precision, &nufft.single_precision, &nufft.prior}) {
      if (row->name == name) return std::move(*row);
    }
    throw ValueError(fmt::format("quantitative_mri: no reconstruction is called '{}'", name));
  }

  static constexpr Index most_sweep_size = 48;  // 25 images by 60 iterations take seconds
  static constexpr Index least_size = 8;        // below, a spoke has fewer than 4 samples

  static Results results_of(const Trial& trial, std::span<const Row> rows) {
    const Options& options = trial.options;
    Results results;
    results.parameters = {{"size", static_cast<double>(options.size)},
                          {"samples", static_cast<double>(trial.scan.trajectory.samples())},
                          {"noise", options.noise},
                          {"blur", options.blur},
                          {"reach", options.reach},
                          {"center", options.center ? "yes" : "no"},
                          {"iterations", static_cast<double>(options.iterations)},
                          {"lambda", tikhonov_lambda},
                          {"prior_lambda", prior_lambda},
                          {"full", options.full ? "yes" : "no"}};
    results.tables = {quality_table(rows), time_table(rows), speedup_table(rows)};
    results.notes = {
        fmt::format("{0}^3 voxels, {1} samples; noise of {2:g} per sample, where white matter is 1", options.size,
                    trial.scan.trajectory.samples(), options.noise),
        "Support of all images: the ball inscribed in the field of view; least squares has no unknowns outside",
        "Published: 128^3 voxels, 284592 samples, another phantom and trajectory; Core 2 Extreme (four "
        "cores) and Quadro "
        "FX 5600"};
    add_picture(results, [&] { return NamedPicture{"images", strip(trial, rows, 0)}; });
    add_picture(results, [&] { return NamedPicture{"images_noise", strip(trial, rows, 1)}; });
    return results;
  }

  Options options_;
};

constexpr const char* text =
    R"(The final evaluation of chapter 7 of Kirk and Hwu, "Programming massively parallel processors" (2008 edition): a head
on N^3 voxels, a non-Cartesian scan of it, simulated from its exact k-space, and its images by gridding and by least
squares, (F^H F + lambda W^H W) x = F^H d, in 60 iterations of conjugate gradient. At N = 128 the scan has the
chapter's 284592 samples. Q is the convolution that F^H F is; it belongs to the trajectory and is computed once.
Measures are those of figure 7.18: whorl compare --help. The chapter describes neither its phantom nor its trajectory:
a sweep over the phantom's blur and the reach of the samples shows which come nearest to its errors of 41.7 % (PSNR
16.8 dB) by gridding and 12.1 % (27.6 dB) by least squares.
Examples:
  whorl study quantitative_mri
  whorl study quantitative_mri --device cuda -o results
                                        128^3, with the kernels of the chapter's ladder
  whorl study quantitative_mri --center --blur 6 --reach 0.14
                                        samples at the center; a smoother phantom, denser samples
  whorl study quantitative_mri --size 32 --full
                                        every exact sum in full on a CPU)";

}  // namespace

Study quantitative_mri_study() {
  return {"quantitative_mri",
          "Gridding against iterative reconstruction, with exact sums and fast ones: quality, times", text,
          [] { return std::unique_ptr<Experiment>(std::make_unique<QuantitativeMri>()); }};
}

}  // namespace whorl::studies
