#include "studies/fhd/rungs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "whorl/measure/error_measures.hpp"
#include "whorl/op/dft.hpp"

namespace whorl::studies::fhd {

namespace {

using Wide = std::complex<double>;

// Operations of a sum as it is written: a product with 2 pi, three with the position, two with Mu for each part of it, and as many
// additions less one; a sine and a cosine.
constexpr double of_a_term = 16;

const std::array<std::string, 4> kernel_columns{"accesses a term", "operations an access", "registers", "occupancy %"};

bool on_gpu(const Context& ctx) { return ctx.device().kind == DeviceKind::cuda; }

/// The cells of these columns; empty for a step that is no kernel of the study.
template <class Real>
std::vector<Cell> kernel_cells(const Context& ctx, const Step<Real>& step) {
  constexpr double percent = 100;
  std::vector<Cell> cells(kernel_columns.size());
  if (step.accesses > 0) {
    cells[0] = step.accesses;
    cells[1] = of_a_term / step.accesses;
  }
  if (step.facts) {
    const KernelFacts facts = step.facts(ctx);
    cells[2] = facts.registers;
    cells[3] = percent * facts.occupancy;
  }
  return cells;
}

struct Part {
  Index first;
  Index count;
};

/// The voxels in the middle of the grid that a step computes.
Part part_of(const Trial& trial, double most_terms) {
  const Index voxels = trial.truth.size();
  const double most = most_terms / static_cast<double>(trial.scan.data.size());
  const Index count = most < static_cast<double>(voxels) ? std::max<Index>(1, std::llround(most)) : voxels;
  return {(voxels - count) / 2, count};
}

/// Error and SNR of the finished sums, which a ladder requests one after the other.
class Quality {
 public:
  Quality(const Trial& trial, const Part& part) : trial_(trial), part_(part) {}

  double error(ArrayRef<const Wide> sums) {
    const Context host;
    const ArrayRef<const Wide> truth(trial_.truth.data() + part_.first, {part_.count});
    measures_ = error_measures<Wide>(host, sums, truth);
    constexpr double percent = 100;
    return measures_.percent_error / percent;
  }
  std::vector<Cell> measures() const { return {measures_.snr_db}; }

 private:
  const Trial& trial_;
  Part part_;
  ErrorMeasures measures_{};
};

/// Planes of real and imaginary parts in one.
template <class Real>
Array<Wide> joined(const Context& ctx, ArrayRef<const Real> planes) {
  const Array<Real> here = to_host(ctx, planes);
  const Index count = here.extent(1);
  Array<Wide> sums(ctx.host(), {count});
  for (Index i = 0; i < count; ++i) sums.data()[i] = {here.data()[i], here.data()[count + i]};
  return sums;
}

}  // namespace

Ladder ladder_of(const Context& ctx, const std::string& name, const std::string& title, const Trial& trial) {
  const auto samples = static_cast<double>(trial.scan.data.size());
  const auto voxels = static_cast<double>(trial.truth.size());
  // A sample is a position and two complex numbers, a voxel a position and one, all in floats.
  constexpr double of_a_sample = 7 * sizeof(float);
  constexpr double of_a_voxel = 5 * sizeof(float);
  std::vector<std::string> measures{"SNR dB"};
  if (on_gpu(ctx)) measures.insert(measures.end(), kernel_columns.begin(), kernel_columns.end());
  return {.name = name,
          .title = title,
          .error = "relative l2 error",
          .bytes = of_a_sample * samples + of_a_voxel * voxels,
          .flops = of_a_term * samples * voxels,
          .measures = std::move(measures)};
}

template <class Real>
LadderStep rung(const Context& ctx, const Trial& trial, const Step<Real>& step) {
  const Part part = part_of(trial, step.most_terms);
  const auto problem = std::make_shared<const Problem<Real>>(problem_of<Real>(ctx, trial.scan, part.first, part.count));
  const auto sums = std::make_shared<Array<Real>>(ctx, Shape{2, part.count});
  const auto quality = std::make_shared<Quality>(trial, part);
  if (step.choose) step.choose(ctx, *problem);
  return {.name = step.name,
          .run = [=, run = step.run] { run(ctx, *problem, *sums); },
          .error = [=] { return quality->error(joined<Real>(ctx, sums->ref())); },
          .share = static_cast<double>(part.count) / static_cast<double>(trial.truth.size()),
          .published = step.published,
          .measures =
              [=] {
                std::vector<Cell> cells = quality->measures();
                if (!on_gpu(ctx)) return cells;
                for (const Cell& cell : kernel_cells(ctx, step)) cells.push_back(cell);
                return cells;
              }};
}

LadderStep library_rung(const Context& ctx, const Trial& trial) {
  using Complex = std::complex<float>;
  const auto [nz, ny, nx] = trial.scan.image;
  const Array<double> points = clone(ctx, trial.scan.points.ref());
  const auto dft = std::make_shared<const Dft<float>>(ctx, points, Shape{nz, ny, nx}, 1);
  Array<Complex> mu(ctx.host(), dft->range());
  // The sums alone, without the transform's scale.
  const double scale = std::sqrt(static_cast<double>(trial.truth.size()));
  for (Index j = 0; j < mu.size(); ++j) {
    mu.data()[j] = Complex(scale * std::conj(trial.scan.phi.data()[j]) * trial.scan.data.data()[j]);
  }
  const auto there = std::make_shared<const Array<Complex>>(clone(ctx, mu.ref()));
  const auto image = std::make_shared<Array<Complex>>(ctx, dft->domain());
  const auto quality = std::make_shared<Quality>(trial, part_of(trial, std::numeric_limits<double>::infinity()));
  return {.name = "exact transform",
          .run = [=] { dft->adjoint(ctx, *there, *image); },
          .error =
              [=] {
                const Array<Complex> here = to_host(ctx, image->ref());
                Array<Wide> sums(ctx.host(), {here.size()});
                std::copy(here.span().begin(), here.span().end(), sums.span().begin());
                return quality->error(sums);
              },
          .product = true,
          .measures =
              [=] {
                std::vector<Cell> cells = quality->measures();
                if (on_gpu(ctx)) cells.resize(cells.size() + kernel_columns.size());
                return cells;
              }};
}

template LadderStep rung(const Context&, const Trial&, const Step<float>&);
template LadderStep rung(const Context&, const Trial&, const Step<double>&);

}  // namespace whorl::studies::fhd
