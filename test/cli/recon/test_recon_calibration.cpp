// whorl recon on lines that are flagged as calibration: coil maps of a calibration scan, for each slice and all frames.
#include <cmath>
#include <complex>
#include <numbers>

#include "cli/recon/recon_command.hpp"
#include "unit/io/scan_files.hpp"
#include "whorl/io/npy.hpp"

namespace whorl {
namespace {

using std::numbers::pi;
using cdouble = std::complex<double>;

constexpr int pixels = 48;
constexpr int coils = 4;

/// A Gaussian, whose product with another is one and whose transform is exact.
struct Gaussian {
  double x = 0;
  double y = 0;
  double width = 1;
  cdouble height = 1;

  Gaussian operator*(const Gaussian& other) const {
    const double a = 1 / (width * width);
    const double b = 1 / (other.width * other.width);
    const double apart = std::pow(x - other.x, 2) + std::pow(y - other.y, 2);
    return {(a * x + b * other.x) / (a + b), (a * y + b * other.y) / (a + b), std::sqrt(1 / (a + b)),
            height * other.height * std::exp(-apart * a * b / (2 * (a + b)))};
  }
  cdouble at(double px, double py) const {
    return height * std::exp(-(std::pow(px - x, 2) + std::pow(py - y, 2)) / (2 * width * width));
  }
  cdouble transform(double kx, double ky) const {
    return height * (2 * pi * width * width) * std::exp(-2 * pi * pi * width * width * (kx * kx + ky * ky)) *
           std::polar(1.0, -2 * pi * (kx * x + ky * y));
  }
};

const std::vector<Gaussian> blobs{{-12, 6, 4}, {9, -11, 3.5, 0.8}, {0, 0, 8, 0.9}, {13, 12, 3, 0.6}, {-4, -14, 3, 0.7}};

Gaussian coil(int number) {
  const double angle = pi / 2 * number;
  return {30 * std::cos(angle), 30 * std::sin(angle), 25, std::polar(1.0, 1.1 * number)};
}

/// Line `number` of a slice; `contrast` is the power to which the heights of the blobs are taken.
ISMRMRD::Acquisition line(std::uint16_t number, std::uint16_t slice, double contrast) {
  ISMRMRD::Acquisition acquisition(pixels, coils, 0);
  acquisition.idx().kspace_encode_step_1 = number;
  acquisition.idx().slice = slice;
  acquisition.center_sample() = pixels / 2;
  acquisition.read_dir()[0] = acquisition.phase_dir()[1] = acquisition.slice_dir()[2] = 1;
  acquisition.position()[2] = 10.0F * static_cast<float>(slice);
  std::uint32_t state = 1000U * number + slice + (contrast > 1 ? 77U : 0U);
  const auto noise = [&] {
    state = 1664525U * state + 1013904223U;
    return (state >> 8U) / static_cast<double>(1U << 24U) - 0.5;
  };
  for (int c = 0; c < coils; ++c) {
    for (std::uint16_t i = 0; i < pixels; ++i) {
      cdouble sum = 0.02 * cdouble(noise(), noise());
      for (Gaussian blob : blobs) {
        blob.height = std::pow(blob.height, contrast) * (slice == 0 ? 1.0 : 0.5);
        if (slice > 0) blob.x = -blob.x;
        sum += (blob * coil(c))
                   .transform((i - pixels / 2) / static_cast<double>(pixels),
                              (number - pixels / 2) / static_cast<double>(pixels));
      }
      acquisition.data(i, static_cast<std::uint16_t>(c)) = std::complex<float>(sum);
    }
  }
  return acquisition;
}

class ReconCalibration : public ReconCommand {
 protected:
  void SetUp() override {
    ISMRMRD::IsmrmrdHeader header = test::small_header(pixels, pixels);
    header.encoding[0].trajectory = ISMRMRD::TrajectoryType::CARTESIAN;
    std::vector<ISMRMRD::Acquisition> all;
    for (const std::uint16_t slice : {0, 1}) {
      for (std::uint16_t number = 12; number < 36; ++number) {
        all.push_back(line(number, slice, 3));
        all.back().setFlag(ISMRMRD::ISMRMRD_ACQ_IS_PARALLEL_CALIBRATION);
      }
      for (std::uint16_t number = 0; number < pixels; number += 2) all.push_back(line(number, slice, 1));
    }
    test::write_by_library(folder_ / "scan.h5", test::to_xml(header), all);
  }
  /// The relative error of a slice of an image whose scale is free.
  static double error(const Array<float>& images, int slice) {
    double both = 0;
    double of_image = 0;
    double of_truth = 0;
    for (int y = 0; y < pixels; ++y) {
      for (int x = 0; x < pixels; ++x) {
        double energy = 0;
        for (int c = 0; c < coils; ++c) {
          cdouble sum = 0;
          for (Gaussian blob : blobs) {
            if (slice > 0) blob.x = -blob.x;
            sum += (blob * coil(c)).at(x - pixels / 2, y - pixels / 2);
          }
          energy += std::norm(sum);
        }
        const double image = static_cast<double>(images.data()[(slice * pixels + y) * pixels + x]);
        both += image * std::sqrt(energy);
        of_image += image * image;
        of_truth += energy;
      }
    }
    return std::sqrt(1 - both * both / (of_image * of_truth));
  }
};

// Without maps every second line leaves an image that is folded over itself: errors are compared with that.
TEST_F(ReconCalibration, MapsOfEachSliceComeFromItsCalibrationScan) {
  const Context ctx;
  const auto result = recon({"-o", folder_ / "maps.npy"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("48 lines flagged as calibration are no samples of the image"), std::string::npos)
      << result.out;
  ASSERT_EQ(recon({"-o", folder_ / "folded.npy", "--drop-flags", "calibration"}).exit_code, 0);
  const auto maps = read_npy<float>(ctx, folder_ / "maps.npy");
  const auto folded = read_npy<float>(ctx, folder_ / "folded.npy");
  for (const int slice : {0, 1}) EXPECT_LT(error(maps, slice), error(folded, slice) / 3) << slice;
  const auto estimate =
      test::run_process({WHORL_PROGRAM, "coils", "estimate", folder_ / "scan.h5", "-o", folder_ / "coils.npy", "-q"});
  ASSERT_EQ(estimate.exit_code, 0) << estimate.err;
  EXPECT_EQ(read_npy<std::complex<float>>(ctx, folder_ / "coils.npy").shape(), (Shape{2, coils, 1, pixels, pixels}));
}

}  // namespace
}  // namespace whorl
