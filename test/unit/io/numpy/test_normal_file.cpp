#include "whorl/io/normal_file.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "io/numpy/npz.hpp"
#include "support/file_content.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/trajectory/fingerprint.hpp"

namespace whorl {
namespace {

using nlohmann::json;

constexpr const char* member = "normal.json";

class NormalFile : public ::testing::Test {
 protected:
  // Two trajectories, image 3 x 4 on a grid of 6 x 8.
  SavedNormals make() {
    SavedNormals made;
    made.image = {3, 4};
    for (int t = 0; t < 2; ++t) {
      Array<double> points(ctx_, {5 + t, 2});
      for (Index i = 0; i < points.size(); ++i) points.data()[i] = 0.01 * static_cast<double>(i) - 0.03 * t;
      Array<float> spectrum(ctx_, {6, 8});
      for (Index i = 0; i < spectrum.size(); ++i) spectrum.data()[i] = static_cast<float>(i * (t + 1)) - 7.25F;
      made.normals.push_back(
          {trajectory_fingerprint(points), 5 + t, t == 0 ? "exact sums" : "made up", std::move(spectrum)});
    }
    return made;
  }

  // The file with another header and other arrays.
  void write(const json& header, const std::vector<NamedArray>& arrays) {
    io::write_npz(ctx_, path_, arrays, header.dump(), member);
  }
  std::vector<NamedArray> arrays() { return io::read_npz(ctx_, path_, member).arrays; }
  json header() { return json::parse(io::read_npz(ctx_, path_, member).header); }

  void refuse(const std::string& reason) {
    SCOPED_TRACE(reason);
    try {
      read_normals(ctx_, path_);
      ADD_FAILURE() << "was read";
    } catch (const IoError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find(reason), std::string::npos) << text;
      EXPECT_NE(text.find("setup.npz"), std::string::npos) << text;
      EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    }
  }

  // The good file with a change of its header.
  template <class Change>
  void refuse_header(const std::string& reason, const Change& change) {
    write_normals(ctx_, path_, make());
    json changed = header();
    change(changed);
    write(changed, arrays());
    refuse(reason);
  }

  Context ctx_;
  test::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "setup.npz";
};

TEST_F(NormalFile, GivesBackWhatWasWritten) {
  const SavedNormals made = make();
  write_normals(ctx_, path_, made);
  const SavedNormals read = read_normals(ctx_, path_);
  EXPECT_EQ(read.image, made.image);
  EXPECT_EQ(read.source, path_.string());
  ASSERT_EQ(read.normals.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read.normals[i].trajectory, made.normals[i].trajectory);
    EXPECT_EQ(read.normals[i].samples, made.normals[i].samples);
    EXPECT_EQ(read.normals[i].origin, made.normals[i].origin);
    ASSERT_EQ(read.normals[i].spectrum.shape(), (Shape{6, 8}));
    EXPECT_TRUE(std::equal(read.normals[i].spectrum.span().begin(), read.normals[i].spectrum.span().end(),
                           made.normals[i].spectrum.span().begin()));
  }
  // To all other programs it is arrays.
  const auto plain = read_arrays(ctx_, path_);
  ASSERT_EQ(plain.size(), 2U);
  EXPECT_EQ(plain[1].name, "spectrum_1");
  EXPECT_EQ(header()["image"], json({3, 4}));
  EXPECT_THROW(write_normals(ctx_, path_, {}), ValueError);
}

TEST_F(NormalFile, WrongHeadersAreRefused) {
  refuse_header("of version 2, expected 1", [](json& h) { h["whorl_normal"] = 2; });
  refuse_header("can not be read", [](json& h) { h.erase("whorl_normal"); });
  refuse_header("can not be read", [](json& h) { h["image"] = "large"; });
  refuse_header("can not be read", [](json& h) { h["normals"][0].erase("samples"); });
  refuse_header("contradicts itself", [](json& h) { h["image"] = {4, 4}; });
  refuse_header("contradicts itself", [](json& h) { h["image"] = {3, 4, 1}; });
  refuse_header("contradicts itself", [](json& h) { h["image"] = {3, 0}; });
  refuse_header("contradicts itself", [](json& h) { h["grid"] = {6, 99999999999}; });
  refuse_header("contradicts itself", [](json& h) { h["normals"] = json::array(); });
  refuse_header("contradicts itself", [](json& h) { h["normals"][1]["trajectory_sha256"] = "abc"; });
  refuse_header("contradicts itself", [](json& h) { h["normals"][1]["samples"] = -5; });
  refuse_header("contradicts itself", [](json& h) { h["normals"][1]["origin"] = "two\nlines"; });
  refuse_header("spectrum_0 is float32 of [6, 8], expected float32 of [6, 9]", [](json& h) { h["grid"] = {6, 9}; });
  refuse_header("no array spectrum_2", [](json& h) { h["normals"].push_back(h["normals"][0]); });
}

TEST_F(NormalFile, WrongArraysAreRefused) {
  write_normals(ctx_, path_, make());
  const json good = header();
  std::vector<NamedArray> changed = arrays();
  std::get<Array<float>>(changed[1].values).data()[9] = std::numeric_limits<float>::quiet_NaN();
  write(good, changed);
  refuse("not finite");
  std::vector<NamedArray> wide;
  wide.push_back({"spectrum_0", zeros<double>(ctx_, {6, 8})});
  write(good, wide);
  refuse("float64");
}

TEST_F(NormalFile, OtherFilesAreRefused) {
  write_normals(ctx_, path_, make());
  const std::string good = test::read_file(path_);
  test::write_file(path_, good.substr(0, good.size() / 2));
  refuse("truncated");
  test::write_file(path_, good.substr(0, good.size() - 4));
  refuse("truncated");
  std::string damaged = good;
  damaged[damaged.find("\"whorl_normal\"")] = '?';
  test::write_file(path_, damaged);
  refuse("");
  test::write_file(path_, "no archive");
  refuse("no zip archive");
  io::write_npz(ctx_, path_, std::vector<NamedArray>{}, "{}", member);
  refuse("no member that is a numeric array");
  std::vector<NamedArray> plain;
  plain.push_back({"spectrum_0", zeros<float>(ctx_, {6, 8})});
  write_arrays(ctx_, path_, plain);
  refuse("holds no normal operator");
  std::filesystem::remove(path_);
  refuse("setup.npz");
}

}  // namespace
}  // namespace whorl
