#include "studies/energy/jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <utility>

#include "studies/gridding_2d/ladders.hpp"
#include "studies/gridding_2d/trial.hpp"
#include "studies/quantitative_mri/rows.hpp"
#include "studies/quantitative_mri/scan.hpp"
#include "whorl/measure/error_measures.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/phantom/phantom_scan.hpp"
#include "whorl/phantom/shepp_logan.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/trajectory/spiral.hpp"

namespace whorl::studies::energy {

namespace {

constexpr double percent = 100;
constexpr int plane_iterations = 20;
constexpr int volume_iterations = 60;  // the chapter's

/// The scan must outlive the trial, which refers to it.
struct GriddingTrial {
  GriddingTrial(const Context& ctx, gridding_2d::Scan measured) : scan(std::move(measured)), trial(ctx, scan) {}
  gridding_2d::Scan scan;
  gridding_2d::Trial trial;
};

Job gridding_job(const gridding_2d::Scan& scan, const std::string& name,
                 const std::function<gridding_2d::Step(const Context&)>& step_on) {
  const auto prepare = [scan, step_on](const Context& ctx) -> Prepared {
    const auto one = std::make_shared<GriddingTrial>(ctx, scan);
    const gridding_2d::Step step = step_on(ctx);
    one->trial.run(step);
    return {[one, step] { step.run(one->trial.ctx(), one->trial.problem(), one->trial.grid()); },
            [one, step] { return one->trial.error(step, step.lookup); }};
  };
  return {fmt::format("{} samples, {}", scan.samples.size(), name), static_cast<double>(scan.samples.size()), prepare};
}

// Every other of 24 arms that sample the plane fully.
Case plane(const Context& host, const Options& options) {
  constexpr Index all_arms = 24;
  constexpr Index arms = all_arms / 2;
  const auto pixels = static_cast<double>(options.size);
  const double turns = std::max(1.0, pixels / (2.0 * all_arms));
  const auto readout = static_cast<Index>(std::numbers::pi * turns * pixels);
  const auto trajectory = std::make_shared<Trajectory>(spiral_trajectory(host, arms, readout, turns));
  Scan path;
  path.matrix = {options.size, options.size, 1};
  path.frames.emplace_back().trajectory = trajectory;
  Scan scan = phantom_scan(host, shepp_logan(2, PhantomContrast::modified), std::move(path), {.coils = options.coils});
  scan.coil_maps = phantom_coil_maps<float>(host, receive_coils(host, scan.matrix, options.coils));
  scan.coil_maps.reshape({options.coils, 1, options.size, options.size});
  ReconOptions recon;
  recon.prewhiten = false;
  recon.coil_maps = CoilMapMethod::file;
  recon.cg_sense.iterations = plane_iterations;
  recon.cg_sense.tolerance = 0;
  recon.cg_sense.lambda = 1e-3;
  return {fmt::format("{0} x {0}, {1} coils, {2} iterations", options.size, options.coils, plane_iterations),
          std::make_shared<const Scan>(std::move(scan)), std::move(recon)};
}

Case volume(const Context& host, const Options& options) {
  quantitative_mri::SimulatedScan simulated = quantitative_mri::simulate(host, {.size = options.volume});
  Scan scan;
  scan.matrix = {options.volume, options.volume, options.volume};
  scan.coils = 1;
  ScanFrame& frame = scan.frames.emplace_back();
  const Array<std::complex<double>>& noisy = simulated.data.back();
  frame.data = Array<std::complex<float>>(host, {1, noisy.size()});
  std::transform(noisy.data(), noisy.data() + noisy.size(), frame.data.data(),
                 [](const std::complex<double>& value) { return std::complex<float>(value); });
  frame.trajectory = std::make_shared<const Trajectory>(std::move(simulated.trajectory));
  ReconOptions recon;
  recon.prewhiten = false;
  recon.cg_sense.iterations = volume_iterations;
  recon.cg_sense.tolerance = 0;
  recon.cg_sense.penalty = PenaltyKind::prior;
  recon.cg_sense.lambda = quantitative_mri::prior_lambda;
  auto reference = std::make_shared<ReferenceImage>();
  reference->source = "reference";
  reference->values = std::move(simulated.reference);
  recon.cg_sense.references = {std::move(reference)};
  recon.support = ImageSupport::ball;
  return {fmt::format("{}^3 with the prior, {} iterations", options.volume, volume_iterations),
          std::make_shared<const Scan>(std::move(scan)), std::move(recon)};
}

}  // namespace

std::vector<Job> gridding_jobs(const Context& ctx, const Options& options) {
  constexpr gridding_2d::Extents grid{512, 512};
  constexpr Index paper_samples = 5000;
  const std::vector<gridding_2d::Step> steps = gridding_2d::steps_on(ctx);
  std::vector<Job> jobs;
  for (const Index samples : {std::min(paper_samples, options.samples), options.samples}) {
    const gridding_2d::Scan scan = gridding_2d::uniform_scan(ctx.host(), grid, samples);
    for (const gridding_2d::Step& step : {steps.front(), steps.back()}) {
      jobs.push_back(gridding_job(scan, step.name, [step](const Context& /*part*/) { return step; }));
    }
    jobs.push_back(gridding_job(scan, "the library",
                                [scan](const Context& part) { return gridding_2d::product_step(part, scan); }));
  }
  return jobs;
}

std::vector<Case> cases(const Context& ctx, const Options& options) {
  const Context host = ctx.host();
  std::vector<Case> all;
  all.push_back(plane(host, options));
  all.push_back(volume(host, options));
  for (std::size_t i = 0; i < 2; ++i) {
    Case kept = all[i];
    kept.name += ", plan kept";
    kept.keeps_plan = true;
    all.push_back(std::move(kept));
  }
  std::swap(all[1], all[2]);
  return all;
}

Array<std::complex<float>> image_of(const Context& ctx, const Case& one, const std::shared_ptr<KeptPlans>& plans) {
  ReconOptions options = one.options;
  options.resources.plans = plans;
  return reconstruct(ctx, *one.scan, options).images;
}

std::vector<Job> reconstruction_jobs(const Context& ctx, const Options& options) {
  std::vector<Job> jobs;
  for (const Case& one : cases(ctx, options)) {
    const auto whole = std::make_shared<const Array<std::complex<float>>>(image_of(ctx, one, nullptr));
    const auto prepare = [one, whole](const Context& part) -> Prepared {
      const auto plans = one.keeps_plan ? std::make_shared<KeptPlans>() : nullptr;
      const auto image = std::make_shared<Array<std::complex<float>>>(image_of(part, one, plans));
      return {[&part, one, plans, image] { *image = image_of(part, one, plans); },
              [image, whole, plans] {
                return error_measures<std::complex<float>>(Context(), *image, whole->ref()).percent_error / percent;
              }};
    };
    jobs.push_back({one.name, 1, prepare});
  }
  return jobs;
}

}  // namespace whorl::studies::energy
