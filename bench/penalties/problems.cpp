#include "bench/penalties/problems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <ctime>
#include <memory>
#include <utility>

#include "whorl/math/blas1.hpp"
#include "whorl/op/block_diagonal.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/op/sense_nufft.hpp"
#include "whorl/phantom/brain.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/phantom/dynamic.hpp"
#include "whorl/phantom/phantom_scan.hpp"
#include "whorl/phantom/shepp_logan.hpp"
#include "whorl/recon/regularized_noise.hpp"
#include "whorl/trajectory/kooshball.hpp"
#include "whorl/trajectory/radial.hpp"
#include "whorl/trajectory/spiral.hpp"

namespace whorl::bench {

namespace {

using Complex = std::complex<float>;

class Counting final : public LinearOperator<float> {
 public:
  Counting(Operator<float> of, Applications& applications)
      : LinearOperator<float>(of->domain(), of->range(), of->name(), of->device()),
        of_(std::move(of)),
        applications_(applications) {}

 protected:
  void do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const override {
    count(1, [&] { of_->normal(ctx, x, z); });
  }

 private:
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override {
    count(0.5, [&] { of_->forward(ctx, x, y); });
  }
  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override {
    count(0.5, [&] { of_->adjoint(ctx, y, x); });
  }
  void count(double part, const auto& apply) const {
    const double start = cpu_seconds();
    apply();
    applications_.seconds += cpu_seconds() - start;
    applications_.count += part;
  }

  Operator<float> of_;
  Applications& applications_;
};

// Readouts of all frames, one after the other, in the order of the golden angle or means.
Trajectory trajectory_of(const Context& ctx, const PenaltyProblem& problem) {
  const Index readouts = problem.readouts * problem.frames;
  const Index length = 2 * problem.image[-1];
  if (problem.image.rank() == 3) return kooshball_trajectory(ctx, readouts, length);
  if (problem.spiral) {
    return spiral_trajectory(ctx, readouts, 4 * length, static_cast<double>(problem.image[-1]) / 16.0, 1.5);
  }
  return radial_trajectory(ctx, readouts, length, SpokeOrder::golden_angle);
}

Phantom object_of(const PenaltyProblem& problem, Index frame) {
  const int dim = problem.image.rank();
  switch (problem.scene) {
    case PenaltyProblem::Scene::head:
      return shepp_logan(dim, PhantomContrast::modified);
    case PenaltyProblem::Scene::brain:
      return brain_phantom(dim);
    case PenaltyProblem::Scene::beating:
      break;
  }
  return beating_phantom(0.1 * static_cast<double>(frame));
}

bool is_supported(const Shape& image, Index r) {
  double square = 0;
  for (int axis = 1; axis <= image.rank(); ++axis) {
    const double half = static_cast<double>(image[-axis]) / 2;
    const double at = (static_cast<double>(r % image[-axis]) - half) / ((axis == 1 ? 0.8 : 0.98) * half);
    square += at * at;
    r /= image[-axis];
  }
  return square < 1;
}

Array<Complex> maps_of(const Context& ctx, const PenaltyProblem& problem, const PhantomCoils& coils) {
  Array<Complex> maps = phantom_coil_maps<float>(ctx, coils);
  const Index pixels = problem.image.size();
  for (Index r = 0; r < pixels; ++r) {
    double squares = 0;
    for (Index c = 0; c < problem.coils; ++c) squares += std::norm(std::complex<double>(maps.data()[c * pixels + r]));
    const bool inside = !problem.supported || is_supported(problem.image, r);
    const auto factor = static_cast<float>(inside ? 1 / std::sqrt(squares) : 0);
    for (Index c = 0; c < problem.coils; ++c) maps.data()[c * pixels + r] *= factor;
  }
  return maps;
}

std::vector<PenaltyProblem> stills() {
  using enum PenaltyProblem::Scene;
  const Shape square{64, 60};
  return {
      {.name = "head, tv", .scene = head, .image = square, .readouts = 25, .terms = "tv:medium"},
      {.name = "brain, tv", .image = square, .readouts = 25, .terms = "tv:medium"},
      {.name = "brain, weak tv", .image = square, .readouts = 25, .terms = "tv:weak"},
      {.name = "brain, strong tv", .image = square, .readouts = 25, .terms = "tv:strong"},
      {.name = "brain, spiral, tv", .image = square, .readouts = 6, .spiral = true, .terms = "tv:medium"},
      {.name = "brain, cut maps, tv", .image = square, .readouts = 25, .supported = true, .terms = "tv:medium"},
      {.name = "brain, 1 coil, tv", .image = square, .readouts = 34, .coils = 1, .terms = "tv:medium"},
      {.name = "head, tgv", .scene = head, .image = square, .readouts = 25, .terms = "tgv:medium"},
      {.name = "brain, tgv", .image = square, .readouts = 25, .terms = "tgv:medium"},
      {.name = "brain, wavelet", .image = square, .readouts = 25, .terms = "wavelet:medium"},
      {.name = "brain, fixed wavelet", .image = square, .readouts = 25, .terms = "wavelet:medium,shift=no"},
      {.name = "brain, tv and fixed wavelet",
       .image = square,
       .readouts = 25,
       .terms = "tv:0.5 + wavelet:0.5,shift=no"},
      {.name = "head, l1", .scene = head, .image = square, .readouts = 25, .terms = "l1:medium"},
      {.name = "brain 3D, tv", .image = {20, 24, 22}, .readouts = 120, .terms = "tv:medium"},
      {.name = "brain 3D, wavelet", .image = {20, 24, 22}, .readouts = 120, .terms = "wavelet:medium,taps=4"},
  };
}

std::vector<PenaltyProblem> series() {
  const PenaltyProblem heart{.name = {},
                             .scene = PenaltyProblem::Scene::beating,
                             .image = {48, 44},
                             .frames = 12,
                             .readouts = 9,
                             .lambda = 1e-4,
                             .terms = {}};
  const std::vector<std::pair<const char*, const char*>> all{
      {"series, tv in time", "tv:medium,axes=t"},
      {"series, tv in space and time", "tv:medium,axes=xyt"},
      {"series, ictv", "ictv:medium"},
      {"series, tgv", "tgv:medium,axes=xyt"},
      {"series, llr", "llr:medium"},
      {"series, fixed llr", "llr:medium,shift=no"},
      {"series, joint wavelet", "wavelet:medium,joint=yes"},
      {"series, low rank and sparse", "low-rank-sparse:medium"},
      {"series, tv in time and fixed llr", "tv:0.5,axes=t + llr:0.5,shift=no"},
  };
  std::vector<PenaltyProblem> problems;
  for (const auto& [name, terms] : all) {
    problems.push_back(heart);
    problems.back().name = name;
    problems.back().terms = terms;
  }
  PenaltyProblem longer = heart;
  longer.name = "long series, tv in time";
  longer.image = {32, 30};
  longer.frames = 48;
  longer.terms = "tv:medium,axes=t";
  problems.push_back(longer);
  return problems;
}

}  // namespace

const std::vector<PenaltyProblem>& penalty_problems() {
  static const std::vector<PenaltyProblem> all = [] {
    std::vector<PenaltyProblem> problems = stills();
    for (PenaltyProblem& one : series()) problems.push_back(std::move(one));
    return problems;
  }();
  return all;
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::string Cost::text() const {
  return fmt::format(R"("applications": {:.0f}, "seconds": {:.3f})", applications_.count, cpu_seconds() - start_);
}

std::vector<Regularizer> terms_of(const PenaltyProblem& problem) {
  const std::string& text = problem.terms;
  constexpr std::string_view between = " + ";
  std::vector<Regularizer> terms;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(between, start), text.size());
    terms.push_back(parse_regularizer(text.substr(start, end - start)));
    start = end + between.size();
  }
  return terms;
}

std::vector<PenaltyProblem> noise_problems() {
  const auto still = [](const char* name, const char* terms, double noise, Index coils = 4) {
    return PenaltyProblem{
        .name = name, .image = {48, 44}, .readouts = 19, .coils = coils, .noise = noise, .terms = terms};
  };
  const auto series = [](const char* name, const char* terms) {
    return PenaltyProblem{.name = name,
                          .scene = PenaltyProblem::Scene::beating,
                          .image = {24, 22},
                          .frames = 6,
                          .readouts = 7,
                          .lambda = 1e-4,
                          .terms = terms};
  };
  return {
      still("radial, high SNR, tv", "tv:1", 0.005),
      still("radial, tv", "tv:1", 0.03),
      still("radial, low SNR, tv", "tv:1", 0.15),
      still("radial, high SNR, wavelet", "wavelet:1", 0.005),
      still("radial, wavelet", "wavelet:1", 0.03),
      still("radial, low SNR, wavelet", "wavelet:1", 0.15),
      still("radial, tgv", "tgv:1", 0.03),
      still("radial, 8 coils, tv", "tv:1", 0.03, 8),
      {.name = "kooshball, tv", .image = {14, 18, 16}, .readouts = 70, .terms = "tv:1"},
      series("series, tv in space and time", "tv:1,axes=xyt"),
      series("series, llr", "llr:1"),
  };
}

RegularizedStart<float> copy_of(const Context& ctx, const RegularizedStart<float>& start) {
  RegularizedStart<float> copy;
  copy.duals.step = start.duals.step;
  for (const auto& dual : start.duals.duals) copy.duals.duals.push_back(clone<const Complex>(ctx, dual));
  if (start.unknowns.size() > 0) copy.unknowns = clone<const Complex>(ctx, start.unknowns);
  return copy;
}

Array<Complex> truth_of(const Context& ctx, const PenaltyProblem& problem) {
  constexpr double quiet = 1e-3;
  PenaltyProblem many = problem;
  many.readouts *= 6;
  many.noise *= quiet;
  Applications applications;
  const PreparedPenaltyProblem made = prepare(ctx, many, applications);
  Array<Complex> truth = zeros<Complex>(ctx, made.b.shape());
  least_squares<float>(ctx, "truth", made.model, made.data, {.iterations = 40, .tolerance = 1e-6, .lambda = 1e-6},
                       truth);
  axpby<float>(ctx, quiet, truth, 0, truth);
  return truth;
}

PreparedPenaltyProblem prepare(const Context& ctx, const PenaltyProblem& problem, Applications& applications) {
  const Shape& image = problem.image;
  const std::array<Index, 3> matrix{image[-1], image[-2], image.rank() == 3 ? image[-3] : 1};
  const PhantomCoils coils = make_phantom_coils(ctx.host(), matrix, problem.coils);
  const Array<Complex> maps = maps_of(ctx.host(), problem, coils);
  const Trajectory all = trajectory_of(ctx.host(), problem);
  const Index samples = all.points.extent(0) / problem.frames;
  std::vector<Operator<float>> frames;
  PreparedPenaltyProblem made;
  Array<Complex> data(ctx, {problem.frames, problem.coils, samples});
  for (Index f = 0; f < problem.frames; ++f) {
    const auto trajectory = std::make_shared<Trajectory>();
    trajectory->points = clone<const double>(ctx.host(), all.points.ref().range(f * samples, (f + 1) * samples));
    const Nufft<float> nufft(ctx, trajectory->points, image, problem.coils, {.tolerance = 1e-3});
    frames.emplace_back(SenseNufft<float>(nufft, clone<const Complex>(ctx, maps.ref())));
    Scan scan;
    scan.matrix = matrix;
    scan.frames.emplace_back().trajectory = trajectory;
    scan = phantom_scan(
        ctx.host(), object_of(problem, f), std::move(scan),
        {.coils = problem.coils, .noise_standard_deviation = problem.noise, .seed = 1 + static_cast<std::uint64_t>(f)});
    copy<Complex>(ctx, scan.frames.front().data, data.slice(f));
  }
  axpby<float>(ctx, 1 / problem.noise, data, 0, data);  // in the unit of the noise
  made.lambda = problem.lambda;
  made.model.encoding = Operator<float>(Counting(BlockDiagonal<float>(std::move(frames)), applications));
  made.model.eigenvalue = normal_eigenvalue<float>(ctx, made.model.encoding);
  made.model.penalties = {{nullptr, 1.0}};
  made.b = Array<Complex>(ctx, made.model.encoding->domain());
  made.model.encoding->adjoint(ctx, data, made.b);
  axpby<float>(ctx, 1 / made.model.eigenvalue, made.b, 0, made.b);
  made.constant = dot<float>(ctx, data, data).real() / (2 * made.model.eigenvalue);
  made.data = std::move(data);
  made.series = {problem.frames, matrix[2], matrix[1], matrix[0]};
  made.largest = largest_magnitude<float>(ctx, made.b);
  made.of_voxel = noise_of_voxel<float>(ctx, made.model, 1);
  made.penalties = make_penalties<float>(
      made.series, in_units_of_largest(terms_of(problem), made.series, made.largest, made.of_voxel), made.largest);
  return made;
}

}  // namespace whorl::bench
