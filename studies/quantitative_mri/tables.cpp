#include "studies/quantitative_mri/tables.hpp"

#include <algorithm>

namespace whorl::studies::quantitative_mri {

namespace {

Cell cell(const std::optional<double>& value) { return value ? Cell(*value) : Cell(); }

// As in the study fhd: operations of a term as it is written, a sine or cosine as one.
constexpr double operations_of_term = 16;

Cell rate(double terms, const std::optional<double>& seconds) {
  constexpr double per_giga = 1e-9;
  return terms > 0 && seconds ? Cell(per_giga * operations_of_term * terms / *seconds) : Cell();
}

Cell ratio(const std::optional<double>& slow, const std::optional<double>& fast) {
  return slow && fast ? Cell(*slow / *fast) : Cell();
}

}  // namespace

Table quality_table(std::span<const Row> rows) {
  Table table{"quality",
              "Image quality, without and with noise (published: figure 7.19)",
              {"reconstruction", "SNR dB", "PSNR dB", "error %", "noisy SNR dB", "noisy PSNR dB", "noisy error %",
               "published PSNR dB", "published error %"},
              {}};
  for (const Row& row : rows) {
    std::vector<Cell> cells{row.name};
    for (std::size_t set = 0; set < 2; ++set) {
      if (row.quality.empty()) {
        cells.insert(cells.end(), 3, Cell());
        continue;
      }
      const ErrorMeasures& measures = row.quality[set];
      cells.insert(cells.end(), {measures.snr_db, measures.psnr_db, measures.percent_error});
    }
    cells.push_back(cell(row.published.psnr_db));
    cells.push_back(cell(row.published.percent_error));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table time_table(std::span<const Row> rows) {
  Table table{"times",
              "Times here in seconds, published ones (figure 7.20) in minutes; total: F^H d and the solver",
              {"reconstruction", "Q s", "Q Gflop/s", "F^H d s", "F^H d Gflop/s", "solver s", "total s",
               "published Q min", "published Q Gflop/s", "published F^H d min", "published F^H d Gflop/s",
               "published solver min", "published total min", "remark"},
              {}};
  for (const Row& row : rows) {
    const Seconds& here = row.seconds;
    const Published& there = row.published;
    table.rows.push_back(
        {row.name, cell(here.q), rate(row.q_terms, here.q), cell(here.adjoint), rate(row.adjoint_terms, here.adjoint),
         cell(here.solver), cell(here.total), cell(there.q_minutes), cell(there.q_gflops), cell(there.adjoint_minutes),
         cell(there.adjoint_gflops), cell(there.solver_minutes), cell(there.total_minutes), here.remark});
  }
  return table;
}

Table speedup_table(std::span<const Row> rows) {
  Table table{
      "speedups",
      "Times as fast as vectors of single precision on all threads of the CPU, the chapter's baseline",
      {"reconstruction", "Q x", "F^H d x", "total x", "published Q x", "published F^H d x", "published total x"},
      {}};
  const auto baseline = std::find_if(rows.begin(), rows.end(), [](const Row& row) { return row.baseline; });
  if (baseline == rows.end()) return table;
  const Seconds& slow = baseline->seconds;
  for (const Row& row : rows) {
    const Published& there = row.published;
    table.rows.push_back({row.name, ratio(slow.q, row.seconds.q), ratio(slow.adjoint, row.seconds.adjoint),
                          ratio(slow.total, row.seconds.total), ratio(published_baseline.q_minutes, there.q_minutes),
                          ratio(published_baseline.adjoint_minutes, there.adjoint_minutes),
                          ratio(published_baseline.total_minutes, there.total_minutes)});
  }
  return table;
}

}  // namespace whorl::studies::quantitative_mri
