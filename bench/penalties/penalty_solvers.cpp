// How many applications of A^H A, and CPU seconds, the solvers of regularized least squares take until image and value are
// within 1e-3 of the optimum. One JSON object a line.
//
//   whorl_penalty_solvers FOLDER [part of a problem's name] [solver ...]
//
// The optima, by very many iterations, are kept in the folder.
#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "bench/penalties/problems.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"

namespace {

using namespace whorl;
using Complex = std::complex<float>;

constexpr double near = 1e-3;
constexpr int most = 600;                // iterations of a solver that does not get there
constexpr int most_of_gradients = 3000;  // where an iteration is one application

bool is_convex_step(RegularizedSolver solver) {
  return solver == RegularizedSolver::fista || solver == RegularizedSolver::primal_dual;
}

SolverReport solve(const Context& ctx, const bench::PreparedPenaltyProblem& problem, RegularizedOptions options,
                   ArrayRef<Complex> x, const IterationCallback& callback = {},
                   RegularizedStart<float>* start = nullptr) {
  options.lambda = problem.lambda;
  return regularized_least_squares<float>(ctx, "solve", problem.model, problem.penalties, options, problem.b,
                                          problem.constant, x, start, nullptr, callback);
}

struct Optimum {
  Array<Complex> image;
  double value = 0;
};

// By ADMM, then without its preconditioner; where one term has a proximal operator, by FISTA.
Optimum find_optimum(const Context& ctx, const bench::PreparedPenaltyProblem& problem) {
  Optimum best{zeros<Complex>(ctx, problem.b.shape())};
  const bool gradients = problem.penalties.size() == 1 && problem.penalties.front().weighted() != nullptr;
  SolverReport report;
  if (gradients) {
    report =
        solve(ctx, problem, {.iterations = 4000, .tolerance = 1e-7, .solver = RegularizedSolver::fista}, best.image);
  } else {
    RegularizedStart<float> start;
    for (const bool precondition : {true, false}) {
      report = solve(ctx, problem,
                     {.iterations = precondition ? 3000 : 500,
                      .tolerance = 1e-6,
                      .solver = RegularizedSolver::admm,
                      .precondition = precondition},
                     best.image, {}, &start);
    }
  }
  best.value = report.costs.back();
  return best;
}

std::string file_name(const std::string& problem) {
  std::string name = problem + ".optimum";
  for (char& c : name) {
    if (c == ' ' || c == ',') c = '_';
  }
  return name;
}

Optimum kept_optimum(const Context& ctx, const std::filesystem::path& folder, const std::string& name,
                     const bench::PreparedPenaltyProblem& problem) {
  const std::filesystem::path path = folder / file_name(name);
  Optimum kept{Array<Complex>(ctx.host(), problem.b.shape())};
  const auto bytes = static_cast<std::streamsize>(kept.image.size() * static_cast<Index>(sizeof(Complex)));
  std::ifstream in(path, std::ios::binary);
  in.read(reinterpret_cast<char*>(&kept.value), sizeof kept.value);
  if (in.read(reinterpret_cast<char*>(kept.image.data()), bytes)) {
    return {clone<const Complex>(ctx, kept.image), kept.value};
  }
  Optimum found = find_optimum(ctx, problem);
  kept.image = to_host<Complex>(ctx, found.image.ref());
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(&found.value), sizeof found.value);
  out.write(reinterpret_cast<const char*>(kept.image.data()), bytes);
  if (!out) throw IoError("penalty solvers: cannot write " + path.string());
  return found;
}

double distance(const Context& ctx, ArrayRef<const Complex> x, const Optimum& optimum) {
  Array<Complex> difference = clone<const Complex>(ctx, x);
  axpby<float>(ctx, -1, optimum.image, 1, difference);
  return norm<float>(ctx, difference) / norm<float>(ctx, optimum.image);
}

// Where a solver was after an iteration.
struct Look {
  double applications = 0;
  double seconds = 0;
  double of_applications = 0;
  double distance = 0;
};

class Run {
 public:
  Run(const Context& ctx, const bench::PreparedPenaltyProblem& problem, bench::Applications& applications,
      const Optimum& optimum)
      : ctx_(ctx), problem_(problem), applications_(applications), optimum_(optimum) {}

  SolverReport solve_with(const RegularizedOptions& options, bool until_near) {
    applications_ = {};
    looks_.clear();
    Array<Complex> x = zeros<Complex>(ctx_, problem_.b.shape());
    double aside = 0;  // seconds of the looks
    const double start = bench::cpu_seconds();
    return solve(ctx_, problem_, options, x, [&](int, double) {
      const double now = bench::cpu_seconds();
      looks_.push_back({applications_.count, now - start - aside, applications_.seconds, distance(ctx_, x, optimum_)});
      aside += bench::cpu_seconds() - now;
      return !until_near || looks_.back().distance > near;
    });
  }
  const std::vector<Look>& looks() const { return looks_; }

 private:
  const Context& ctx_;
  const bench::PreparedPenaltyProblem& problem_;
  bench::Applications& applications_;
  const Optimum& optimum_;
  std::vector<Look> looks_;
};

void print_first(const char* what, const std::vector<Look>& looks, std::optional<std::size_t> first) {
  if (!first) {
    fmt::print(", \"{}\": null", what);
    return;
  }
  const Look& look = looks[*first];
  fmt::print(R"(, "{}": {{"iterations": {}, "applications": {}, "seconds": {:.3f}, "of_applications": {:.3f}}})", what,
             *first + 1, look.applications, look.seconds, look.of_applications);
}

void measure(const Context& ctx, const bench::PenaltyProblem& what, const std::filesystem::path& folder,
             const std::vector<RegularizedSolver>& solvers) {
  bench::Applications applications;
  const bench::PreparedPenaltyProblem problem = bench::prepare(ctx, what, applications);
  const Optimum optimum = kept_optimum(ctx, folder, what.name, problem);
  Run run(ctx, problem, applications, optimum);
  for (const RegularizedSolver solver : solvers) {
    if (solver == RegularizedSolver::fista &&
        (problem.penalties.size() > 1 || problem.penalties.front().weighted() == nullptr)) {
      continue;
    }
    fmt::print(R"({{"problem": "{}", "terms": "{}", "solver": "{}")", what.name, what.terms, to_string(solver));
    const SolverReport to_near = run.solve_with(
        {.iterations = is_convex_step(solver) ? most_of_gradients : most, .tolerance = 0, .solver = solver}, true);
    std::optional<std::size_t> by_value;
    std::optional<std::size_t> by_image;
    for (std::size_t i = 0; i < run.looks().size(); ++i) {
      const double value = to_near.costs[i + 1];
      if (!by_value && std::abs(value - optimum.value) <= near * optimum.value) by_value = i;
      if (!by_image && run.looks()[i].distance <= near) by_image = i;
    }
    print_first("value", run.looks(), by_value);
    print_first("image", run.looks(), by_image);
    if (solver == RegularizedSolver::automatic) {
      const SolverReport usual = run.solve_with({.iterations = 500, .solver = solver}, false);
      fmt::print(
          R"(, "usual": {{"iterations": {}, "applications": {}, "seconds": {:.3f}, "of_applications": {:.3f}, "value": {:.2e}, "image": {:.2e}, "residual": {:.2e}}})",
          usual.iterations, run.looks().back().applications, run.looks().back().seconds,
          run.looks().back().of_applications, usual.costs.back() / optimum.value - 1, run.looks().back().distance,
          usual.residuals.back());
    }
    fmt::print("}}\n");
    std::fflush(stdout);
  }
}

RegularizedSolver solver_named(const std::string& name) {
  for (const auto solver : {RegularizedSolver::automatic, RegularizedSolver::fista, RegularizedSolver::admm,
                            RegularizedSolver::primal_dual}) {
    if (to_string(solver) == name) return solver;
  }
  throw ValueError("penalty solvers: '" + name + "', expected auto, fista, admm or pdhg");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: whorl_penalty_solvers FOLDER [part of a problem's name] [solver ...]\n");
    return 2;
  }
  try {
    const std::string part = argc > 2 ? argv[2] : "";
    std::vector<RegularizedSolver> solvers;
    for (int i = 3; i < argc; ++i) solvers.push_back(solver_named(argv[i]));
    if (solvers.empty()) solvers = {RegularizedSolver::automatic};
    const Context ctx({.threads = 1});
    for (const bench::PenaltyProblem& what : bench::penalty_problems()) {
      if (what.name.find(part) != std::string::npos) measure(ctx, what, argv[1], solvers);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "whorl_penalty_solvers: error: {}\n", error.what());
    return 1;
  }
  return 0;
}
