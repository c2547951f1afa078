// The reconstructions of the study by kind.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "studies/quantitative_mri/exact_sums.hpp"
#include "studies/quantitative_mri/trial.hpp"

namespace whorl::studies::quantitative_mri {

/// Weight of the identity as penalty, for F of norm 1: the best of 1e-4 to 3e-2 without noise at 40^3 voxels.
inline constexpr double tikhonov_lambda = 1e-4;
/// Weight of the differences weighted by the reference's edges: the best of the same range, without and with noise.
inline constexpr double prior_lambda = 1e-2;

/// Bilinear gridding, on the host.
Row bilinear_row(const Trial& trial);
/// Gridding by a Kaiser-Bessel window.
Row kaiser_bessel_row(const Trial& trial);

/// Least squares with the NUFFT.
struct NufftRows {
  Row double_precision;
  Row single_precision;
  Row prior;
  double eigenvalue = 0;  ///< largest of F^H F
};
/// `only`: the name of the row that is computed, beside the eigenvalue; empty: all.
NufftRows nufft_rows(const Trial& trial, const std::string& only = "");
/// Row of double precision alone.
Row nufft_double_row(const Trial& trial);

/// Least squares with exact sums by a step on this context, the trial's or its host. On a host what would take long is summed
/// for a part of the voxels, unless the options say full; such a row has no image, and the solver's time of the NUFFT.
template <class Real>
Row exact_row(const Trial& trial, const Context& ctx, const SumStep<Real>& step, const NufftRows& nufft);

struct ExactRow {
  std::string name;
  std::function<Row(const NufftRows&)> run;
};
/// Least squares with exact sums, to be run: every step of the chapter's ladder, those of the CPU on the host whatever the device,
/// and the library's exact transform. They keep the trial by reference.
std::vector<ExactRow> exact_rows(const Trial& trial);

}  // namespace whorl::studies::quantitative_mri
