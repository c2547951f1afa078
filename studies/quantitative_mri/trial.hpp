// The result of one reconstruction, and helpers for all of them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "studies/cited.hpp"
#include "studies/quantitative_mri/scan.hpp"
#include "whorl/core/context.hpp"
#include "whorl/measure/error_measures.hpp"

namespace whorl::studies::quantitative_mri {

/// Figures 7.19 and 7.20 of the chapter, where they have the reconstruction. The text calls the numbers of figure 7.19
/// SNR; they are PSNR: section 7.4 names percent error and PSNR as its measures, and 16.8 and 27.6 dB are as far apart
/// as the errors of 41.7 and 12.1 %.
struct Published {
  std::optional<double> psnr_db{};
  std::optional<double> percent_error{};
  std::optional<double> q_minutes{};
  std::optional<double> q_gflops{};
  std::optional<double> adjoint_minutes{};  ///< F^H d
  std::optional<double> adjoint_gflops{};
  std::optional<double> solver_minutes{};
  std::optional<double> total_minutes{};  ///< F^H d and the solver
};

/// A row of figure 7.20 by its six numbers (cited.hpp), and what figure 7.19 has for its image.
consteval Published published_row(std::string_view numbers, std::optional<double> psnr_db = {},
                                  std::optional<double> percent_error = {}) {
  const auto row = cited_numbers<6>("quantitative_mri", numbers);
  return {psnr_db, percent_error, row[0], row[1], row[2], row[3], row[4], row[5]};
}

/// Figure 7.19: PSNR in dB, and percent errors, of gridding and of least squares.
inline constexpr double published_gridding_psnr = cited_number("quantitative_mri", "16.8");
inline constexpr double published_gridding_error = cited_number("quantitative_mri", "41.7");
inline constexpr double published_psnr = cited_number("quantitative_mri", "27.6");
inline constexpr double published_error = cited_number("quantitative_mri", "12.1");

/// The chapter's row in single precision on a CPU, which its speedups are relative to.
inline constexpr Published published_baseline = published_row("2678.7 0.5 342.3 0.7 1.61 343.91", published_psnr);

/// Times in seconds.
struct Seconds {
  std::optional<double> q{};
  std::optional<double> adjoint{};
  std::optional<double> solver{};
  std::optional<double> total{};
  std::string remark{};  ///< what part was computed, where it was not all
};

struct Row {
  std::string name;
  Published published{};
  Seconds seconds{};
  bool baseline = false;  ///< of the speedups
  /// Terms of the exact sums, one for each sample and voxel; 0: it computes no such sums.
  double q_terms = 0;
  double adjoint_terms = 0;
  /// Quality of the image from each set of data of the scan; none where there is no image.
  std::vector<ErrorMeasures> quality{};
  std::vector<Array<float>> slices{};  ///< magnitude of the central axial slice of each [y, x]
};

struct Trial {
  Context ctx;  ///< of the device
  Options options;
  SimulatedScan scan;

  Shape image() const { return {scan.size, scan.size, scan.size}; }
  double voxels() const { return static_cast<double>(image().size()); }
};

/// Measures an image [z, y, x] against the truth, and keeps its slice.
template <class Real>
void add_image(const Trial& trial, Row& row, ArrayRef<const std::complex<Real>> image);

/// Magnitude of the central axial slice of a volume on the host.
Array<float> central_slice(const Context& ctx, ArrayRef<const std::complex<double>> volume);

/// Numbers of the host, in another precision, on the context's device.
template <class Real>
Array<std::complex<Real>> to_device(const Context& ctx, ArrayRef<const std::complex<double>> values);

/// Seconds that work takes on the context's device.
double seconds_of(const Context& ctx, const std::function<void()>& work);

}  // namespace whorl::studies::quantitative_mri
