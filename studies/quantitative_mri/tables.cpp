#include "studies/quantitative_mri/tables.hpp"

namespace whorl::studies::quantitative_mri {

namespace {

Cell cell(const std::optional<double>& value) { return value ? Cell(*value) : Cell(); }

}  // namespace

Table quality_table(std::span<const Row> rows) {
  Table table{"quality",
              "Image quality, without and with noise (published: figure 7.19)",
              {"reconstruction", "SNR dB", "PSNR dB", "error %", "noisy SNR dB", "noisy PSNR dB", "noisy error %",
               "published SNR dB"},
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
    cells.push_back(cell(row.published.snr_db));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table time_table(std::span<const Row> rows) {
  Table table{"times",
              "Times here in seconds, published ones (figure 7.20) in minutes; total: F^H d and the solver",
              {"reconstruction", "Q s", "F^H d s", "solver s", "total s", "published Q min", "published F^H d min",
               "published total min", "remark"},
              {}};
  for (const Row& row : rows) {
    table.rows.push_back({row.name, cell(row.seconds.q), cell(row.seconds.adjoint), cell(row.seconds.solver),
                          cell(row.seconds.total), cell(row.published.q_minutes), cell(row.published.adjoint_minutes),
                          cell(row.published.total_minutes), row.seconds.remark});
  }
  return table;
}

}  // namespace whorl::studies::quantitative_mri
