// A reconstruction of a small scan, for tests of what reads records.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/small_scan.hpp"
#include "support/temporary_folder.hpp"
#include "support/whorl_program.hpp"
#include "whorl/io/ismrmrd.hpp"

namespace whorl::test {

class RecordedScan : public testing::Test {
 protected:
  void SetUp() override { write_ismrmrd(ctx, make_small_scan(ctx), folder / "scan.h5"); }

  // `whorl recon scan.h5 -o image.nii.gz`, which writes 6 frames of 20 x 16, and its record.
  void reconstruct(std::vector<std::string> more = {}) const {
    std::vector<std::string> words{"recon", folder / "scan.h5", "-o", folder / "image.nii.gz", "--iterations", "3",
                                   "-q",    "--threads",        "1"};
    words.insert(words.end(), more.begin(), more.end());
    expect_success(words);
  }

  const Context ctx;
  const TemporaryFolder folder;
};

}  // namespace whorl::test
