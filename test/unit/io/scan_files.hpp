// What the tests of scan files share: a folder of their own, scans of known numbers, and files made by ISMRMRD's own
// library.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ismrmrd/dataset.h>
#include <ismrmrd/ismrmrd.h>
#include <ismrmrd/xml.h>
#include <unistd.h>

#include <cmath>
#include <complex>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "whorl/io/ismrmrd.hpp"

namespace whorl::test {

using cfloat = std::complex<float>;

/// A test with a folder that is removed after it.
class FolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder = std::filesystem::temp_directory_path() /
             ("whorl_" + std::string(test->test_suite_name()) + "_" + test->name() + "_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::size_t files_in_folder() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
  }

  std::filesystem::path folder;
  Context ctx;
};

/// The message of the error that the call throws; a failure where it throws none or another.
template <class Error, class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another error: " << error.what();
    return {};
  }
  ADD_FAILURE() << "no error";
  return {};
}

inline bool has_note(const Scan& scan, const std::string& part) {
  for (const std::string& note : scan.notes) {
    if (note.find(part) != std::string::npos) return true;
  }
  return false;
}

/// A sample that differs for every place: what is read back can not be right by chance.
inline cfloat sample_value(int frame, Index coil, Index sample) {
  return {static_cast<float>(1000 * frame + 100 * coil) + static_cast<float>(sample) * 0.25F,
          -static_cast<float>(sample) - 0.5F * static_cast<float>(coil)};
}

/// Header of a small encoding of equal encoded and reconstructed spaces.
inline ISMRMRD::IsmrmrdHeader small_header(unsigned short x, unsigned short y, unsigned short z = 1,
                                           float pixel_mm = 2) {
  ISMRMRD::IsmrmrdHeader header;
  header.experimentalConditions.H1resonanceFrequency_Hz = 63500000;
  ISMRMRD::Encoding encoding;
  encoding.encodedSpace.matrixSize = ISMRMRD::MatrixSize(x, y, z);
  encoding.encodedSpace.fieldOfView_mm = {pixel_mm * static_cast<float>(x), pixel_mm * static_cast<float>(y),
                                          pixel_mm * static_cast<float>(z)};
  encoding.reconSpace = encoding.encodedSpace;
  encoding.trajectory = ISMRMRD::TrajectoryType::RADIAL;
  header.encoding.push_back(encoding);
  return header;
}

inline std::string to_xml(const ISMRMRD::IsmrmrdHeader& header) {
  std::ostringstream text;
  ISMRMRD::serialize(header, text);
  return text.str();
}

/// A readout along kx from -0.5 to below 0.5 cycles per pixel, at ky = y; further columns are `rest`.
inline ISMRMRD::Acquisition readout(std::uint16_t samples, std::uint16_t channels, float y,
                                    const std::vector<float>& rest = {}) {
  ISMRMRD::Acquisition acquisition(samples, channels, static_cast<std::uint16_t>(2 + rest.size()));
  for (std::uint16_t i = 0; i < samples; ++i) {
    acquisition.traj(0, i) = static_cast<float>(i) / static_cast<float>(samples) - 0.5F;
    acquisition.traj(1, i) = y;
    for (std::size_t column = 0; column < rest.size(); ++column) {
      acquisition.traj(static_cast<std::uint16_t>(2 + column), i) = rest[column];
    }
    for (std::uint16_t channel = 0; channel < channels; ++channel) {
      acquisition.data(i, channel) = sample_value(0, channel, i);
    }
  }
  acquisition.read_dir()[0] = 1;
  acquisition.phase_dir()[1] = 1;
  acquisition.slice_dir()[2] = 1;
  return acquisition;
}

/// Writes a file by the library.
inline void write_by_library(const std::filesystem::path& path, const std::string& xml,
                             const std::vector<ISMRMRD::Acquisition>& acquisitions,
                             const std::string& group = "dataset") {
  ISMRMRD::Dataset dataset(path.c_str(), group.c_str(), true);
  dataset.writeHeader(xml);
  for (const ISMRMRD::Acquisition& acquisition : acquisitions) dataset.appendAcquisition(acquisition);
}

/// The folder of measured data, or empty.
inline std::filesystem::path measured_data() {
  const char* folder = std::getenv("WHORL_TEST_DATA");
  return folder == nullptr ? std::filesystem::path() : std::filesystem::path(folder);
}

}  // namespace whorl::test
