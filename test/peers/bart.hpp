// BART (Debian package `bart`) on our data: another program's answer to the same question.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::test {

bool bart_is_there();

/// Runs `bart ARGUMENTS`, which blanks separate, in a folder. Throws std::runtime_error where it fails.
void run_bart(const std::filesystem::path& folder, const std::string& arguments);

/// A folder with one frame of a scan in BART's format, and BART's commands on it.
class Bart {
 public:
  /// Writes trajectory `t` (grid units, k N) and data `d` of the frame. `weights` [sample] multiply the data of `dw`.
  Bart(const Scan& scan, const ScanFrame& frame, ArrayRef<const float> weights);

  /// |A^H W d| over the coils, root-sum-of-squares, by `bart nufft -a -P`.
  std::vector<float> adjoint() const;
  /// |x| of CG-SENSE by `bart pics` with its own ESPIRiT maps, from a calibration region by `bart nufft -i`.
  std::vector<float> pics(int iterations, double lambda) const;
  /// The image [(z,) y, x] of `bart pics OPTIONS` on the data as they are, with maps [coil, (z,) y, x].
  std::vector<std::complex<float>> pics_with(const std::string& options,
                                             ArrayRef<const std::complex<float>> maps) const;
  /// The sum of magnitudes of all coefficients of an image [y, x] by `bart wavelet` with Daubechies' 4 taps.
  double sum_of_wavelets(const std::vector<std::complex<float>>& image) const;

 private:
  void run(const std::string& arguments) const { run_bart(folder_.path(), arguments); }
  std::vector<std::complex<float>> read(const std::string& name) const;
  std::vector<float> magnitude(const std::string& name) const;
  std::string size(Index limit) const;

  TemporaryFolder folder_;
  std::array<Index, 3> matrix_;
  Index coils_;
};

}  // namespace whorl::test
