// A scan that can not be written leaves no file behind.
#include "support/file_size_limit.hpp"
#include "unit/io/scan_files.hpp"
#include "whorl/core/error.hpp"

namespace whorl {
namespace {

using test::cfloat;
using test::message_of;
using ::testing::HasSubstr;

class WriteError : public test::FolderTest {
 protected:
  Scan make(Index samples) {
    Scan scan;
    scan.matrix = {16, 12, 1};
    scan.coils = 2;
    scan.trajectory_kind = "radial";
    ScanFrame& frame = scan.frames.emplace_back();
    auto trajectory = std::make_shared<Trajectory>();
    trajectory->points = zeros<double>(ctx, {samples, 2});
    frame.trajectory = trajectory;
    frame.data = zeros<cfloat>(ctx, {2, samples});
    return scan;
  }
  std::filesystem::path path() const { return folder / "scan.h5"; }
};

TEST_F(WriteError, FullDisk) {
  const Scan scan = make(20000);  // 400 kB
  for (const rlim_t limit : {rlim_t{100}, rlim_t{1000}, rlim_t{100000}, rlim_t{390000}}) {
    ::testing::internal::CaptureStderr();
    std::string message;
    {
      const test::FileSizeLimit full(limit);
      message = message_of<IoError>([&] { write_ismrmrd(ctx, scan, path()); });
    }
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    EXPECT_THAT(message, HasSubstr(path().string()));
    EXPECT_THAT(message, HasSubstr("File too large"));
    EXPECT_EQ(files_in_folder(), 0U) << "limit " << limit;
  }
  write_ismrmrd(ctx, scan, path());
  EXPECT_EQ(read_ismrmrd(ctx, path()).frames[0].trajectory->samples(), 20000);
}

TEST_F(WriteError, CancelLeavesWhatWasThere) {
  std::ofstream(path()) << "old";
  ctx.request_cancel();
  EXPECT_THROW(write_ismrmrd(ctx, make(16), path()), Cancelled);
  EXPECT_EQ(std::filesystem::file_size(path()), 3U);
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(WriteError, MissingFolder) {
  EXPECT_THAT(message_of<IoError>([&] { write_ismrmrd(ctx, make(16), folder / "no" / "scan.h5"); }),
              HasSubstr("does not exist"));
}

TEST_F(WriteError, ScansThatDoNotFitTogether) {
  const auto value_error = [&](const Scan& scan) {
    return message_of<ValueError>([&] { write_ismrmrd(ctx, scan, path()); });
  };
  const auto shape_error = [&](const Scan& scan) {
    return message_of<ShapeError>([&] { write_ismrmrd(ctx, scan, path()); });
  };
  EXPECT_THAT(value_error(Scan()), HasSubstr("no frames"));
  Scan scan = make(16);
  scan.frames[0].trajectory = nullptr;
  EXPECT_THAT(value_error(scan), HasSubstr("no trajectory"));
  scan = make(16);
  scan.coils = 0;
  EXPECT_THAT(shape_error(scan), HasSubstr("expected [0 coils, 16 samples]"));
  scan = make(16);
  scan.matrix[1] = 70000;
  EXPECT_THAT(value_error(scan), HasSubstr("got 70000"));
  scan = make(16);
  scan.frames[0].index.phase = -1;
  EXPECT_THAT(value_error(scan), HasSubstr("counters"));
  scan = make(16);
  scan.matrix[2] = 4;
  EXPECT_THAT(shape_error(scan), HasSubstr("2 dimensions, the matrix 3"));
  scan = make(16);
  scan.frames[0].data = zeros<cfloat>(ctx, {2, 15});
  EXPECT_THAT(shape_error(scan), HasSubstr("[2, 15]"));
  scan = make(16);
  scan.noise = zeros<cfloat>(ctx, {3, 15});
  EXPECT_THAT(shape_error(scan), HasSubstr("noise of shape [3, 15]"));
  scan = make(16);
  scan.frames[0].weights = std::make_shared<Array<float>>(zeros<float>(ctx, {15}));
  EXPECT_THAT(shape_error(scan), HasSubstr("density weights of shape [15] for 16 samples"));
  EXPECT_EQ(files_in_folder(), 0U);
}

}  // namespace
}  // namespace whorl
