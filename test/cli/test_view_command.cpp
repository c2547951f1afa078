#include <gtest/gtest.h>

#include <complex>
#include <numeric>

#include "support/file_content.hpp"
#include "support/read_picture.hpp"
#include "support/temporary_folder.hpp"
#include "support/whorl_program.hpp"
#include "whorl/io/npy.hpp"

namespace whorl {
namespace {

using test::expect_failure;
using test::expect_success;

class ViewCommand : public testing::Test {
 protected:
  void SetUp() override {
    Array<float> volume(ctx, {2, 3, 4, 5});
    std::iota(volume.span().begin(), volume.span().end(), 0.0F);
    write_npy<float>(ctx, folder / "volume.npy", volume);
    Array<std::complex<float>> image(ctx, {2, 2});
    image.span()[0] = {1, 0};
    image.span()[1] = {0, 2};
    image.span()[2] = {-3, 0};
    image.span()[3] = {0, -4};
    write_npy<std::complex<float>>(ctx, folder / "image.npy", image);
  }

  // The picture of a file with these options, one pixel a pixel.
  Picture picture(const std::string& file, std::vector<std::string> more) const {
    std::vector<std::string> words{"view", folder / file, "-o", folder / "out.png", "--zoom", "1"};
    words.insert(words.end(), more.begin(), more.end());
    expect_success(words);
    return test::read_picture(folder / "out.png");
  }

  const Context ctx;
  const test::TemporaryFolder folder;
};

Color gray(int value) {
  const auto byte = static_cast<std::uint8_t>(value);
  return {byte, byte, byte};
}

TEST_F(ViewCommand, FramesSlicesAndAxes) {
  // Element i of the volume is i: with the window 0 .. 255 its own gray.
  const std::vector<std::string> window{"--window", "0", "255"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), window.begin(), window.end());
    return picture("volume.npy", more);
  };
  const Picture one = with({"--frames", "1", "--slices", "2"});
  EXPECT_EQ(one.width, 5);
  EXPECT_EQ(one.height, 4);
  EXPECT_EQ(one.at(3, 1), gray(60 + 40 + 15 + 1));
  const Picture two = with({"--frames", "0", "--slices", "0:2:2"});
  EXPECT_EQ(two.height, 8);  // round(sqrt(2 * 4 / 5)) = 1 column
  EXPECT_EQ(two.at(4 + 1, 1), gray(40 + 5 + 1));
  EXPECT_EQ(with({"--frames", "0", "1", "--slices", "0,2"}).width,
            with({"--frames", "0,1", "--slices", "0", "2"}).width);
  const Picture coronal = with({"--axis", "coronal", "--slices", "1", "--frames", "0"});
  EXPECT_EQ(coronal.height, 3);
  EXPECT_EQ(coronal.at(0, 2), gray(40 + 5 + 2));  // the largest z is at the top
  EXPECT_EQ(with({"--axis", "x", "--slices", "4", "--frames", "1"}).at(2, 3), gray(60 + 15 + 4));
  EXPECT_EQ(with({"--tiles", "1", "--slices", "1"}).width, 5);
}

TEST_F(ViewCommand, PartsWindowsAndColors) {
  EXPECT_EQ(picture("image.npy", {"--window", "0", "4"}).at(1, 0), gray(191));
  EXPECT_EQ(picture("image.npy", {"--window", "0,4"}).at(1, 0), gray(191));
  EXPECT_EQ(picture("image.npy", {"--part", "imag", "--window", "-4", "4"}).at(0, 1), gray(191));
  EXPECT_EQ(picture("image.npy", {"--part", "real", "--window", "-4", "4"}).at(1, 0), gray(32));
  const Picture phase = picture("image.npy", {"--phase"});
  EXPECT_EQ(phase.at(0, 0), color_of(Colormap::cyclic, 0.5));
  EXPECT_EQ(phase.at(0, 1), color_of(Colormap::cyclic, 0.75));
  EXPECT_EQ(picture("image.npy", {"--colormap", "hot", "--window", "0%", "100%"}).at(1, 1), color_of(Colormap::hot, 1));
  EXPECT_GT(picture("image.npy", {"--colorbar"}).width, 30);
  EXPECT_GT(picture("volume.npy", {"--colorbar"}).width, 10);
  expect_success({"view", folder / "image.npy", "-o", folder / "large.png"});
  EXPECT_EQ(test::read_picture(folder / "large.png").width, 512);
}

TEST_F(ViewCommand, VolumesAreShownByPlanes) {
  Array<float> volume(ctx, {20, 4, 5});
  std::iota(volume.span().begin(), volume.span().end(), 0.0F);
  write_npy<float>(ctx, folder / "deep.npy", volume);
  // A ramp v = z: sum z v^2 / sum v^2 is 3/4 of the length 20 (integrals), half a pixel less by the pixels' centers.
  const std::string said = expect_success({"view", folder / "deep.npy"});
  EXPECT_NE(said.find("planes through x 2, y 2, z 14"), std::string::npos) << said;
  const Picture planes = picture("deep.npy", {"--at", "1,2,3", "--window", "0,255"});
  EXPECT_EQ(planes.width, 3 * 5);
  EXPECT_EQ(planes.at(0, 0), gray(3 * 20));
  EXPECT_EQ(picture("deep.npy", {"--tiles", "4"}).height, 8);
  expect_failure({"view", folder / "deep.npy", "--at", "1,2,20"}, 1, "0 to 19");
}

TEST_F(ViewCommand, MapsHaveAScale) {
  Array<float> map(ctx, {40, 40});
  std::iota(map.span().begin(), map.span().end(), -100.0F);
  write_npy<float>(ctx, folder / "map.npy", map);
  const std::string said =
      expect_success({"view", folder / "map.npy", "-o", folder / "map.png", "--map", "--label", "T2* (ms)"});
  EXPECT_NE(said.find("T2* (ms) from -100 to 1499"), std::string::npos) << said;
  EXPECT_GT(test::read_picture(folder / "map.png").width, 512);
}

TEST_F(ViewCommand, InTheTerminal) {
  // The runner's pipe is no terminal: letters alone.
  const std::string letters = expect_success({"view", folder / "volume.npy"});
  EXPECT_EQ(letters.find('\x1b'), std::string::npos);
  EXPECT_NE(letters.find('@'), std::string::npos) << letters;
  EXPECT_NE(letters.find("4 of 6 images of 5 x 4, values from 0 to 11"), std::string::npos) << letters;
  const std::string color = expect_success({"view", folder / "image.npy", "--color", "always", "--columns", "1"});
  EXPECT_TRUE(color.starts_with("\x1b[38;2;")) << color;
  const std::string caption = "image.npy: 1 of 1 images of 2 x 2, magnitude from ";
  EXPECT_NE(color.find(caption), std::string::npos) << color;
  EXPECT_EQ(expect_success({"view", folder / "image.npy", "-q"}).find("image.npy"), std::string::npos);
}

TEST_F(ViewCommand, FailuresSayWhatIsWrong) {
  const std::string volume = folder / "volume.npy";
  const auto entries = folder.entries();
  expect_failure({"view", volume, "-o", folder / "a.jpg"}, 2, "ends in .png");
  expect_failure({"view", volume, "--slices", "1-3"}, 2, "1-3");
  expect_failure({"view", volume, "--colormap", "jet"}, 2, "blue-yellow");
  expect_failure({"view", volume, "--phase", "--part", "real"}, 2, "--part");
  expect_failure({"view", volume, "--slices", "3"}, 1, "0 to 2");
  expect_failure({"view", volume, "--frames", "2"}, 1, "0 to 1");
  expect_failure({"view", volume, "--window", "1", "x"}, 2, "--window is '1'");
  expect_failure({"view", volume, "--window", "1,x"}, 2, "'x'");
  expect_failure({"view", volume, "--window", "nan,1"}, 2, "'nan'");
  expect_failure({"view", volume, "--window", "0,1e999"}, 2, "'1e999'");
  expect_failure({"view", volume, "--window", "1%", "5"}, 2, "two percentiles");
  expect_failure({"view", volume, "--window", "5", "1"}, 2, "--window is '5,1', expected the lower value first");
  write_npy<float>(ctx, folder / "line.npy", zeros<float>(ctx, {7}));
  expect_failure({"view", folder / "line.npy"}, 1, "[7]");
  EXPECT_EQ(folder.entries(), entries + 1);
}

}  // namespace
}  // namespace whorl
