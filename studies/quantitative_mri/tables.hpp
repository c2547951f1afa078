// The tables of the study, in the form of the chapter's figures 7.19 and 7.20.
#pragma once

#include <span>

#include "studies/quantitative_mri/trial.hpp"
#include "studies/results.hpp"

namespace whorl::studies::quantitative_mri {

Table quality_table(std::span<const Row> rows);
Table time_table(std::span<const Row> rows);
/// Empty where no row is the baseline.
Table speedup_table(std::span<const Row> rows);

}  // namespace whorl::studies::quantitative_mri
