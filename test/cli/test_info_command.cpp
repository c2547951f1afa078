#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/file_content.hpp"
#include "support/run_process.hpp"
#include "support/small_scan.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/ismrmrd.hpp"

namespace whorl {
namespace {

using test::run_process;

class InfoCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    const Context ctx;
    write_ismrmrd(ctx, test::make_small_scan(ctx), folder_ / "scan.h5");
  }
  test::TemporaryFolder folder_;
};

TEST_F(InfoCommand, TellsPeopleWhatIsInTheScan) {
  const auto result = run_process({WHORL_PROGRAM, "info", folder_ / "scan.h5", "--quiet"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  for (const std::string expected :
       {"2D radial, matrix 20 x 16, field of view 200 x 160 x 4 mm", "Maker Model", "cycles/pixel",
        "largest |k| 0.4 (x), 0.3804 (y) cycles per pixel",  // 0.4 sin(2 pi / 5)
        "coils         3\n", "40 samples a coil, every 5 us",
        "6 (slices 2, contrasts 1, phases 1, repetitions 3, sets 1)", "60 a frame and coil, in 5 readouts\n",
        "sample time   5 us", "9.4 KiB in memory", "recon needs"}) {
    EXPECT_NE(result.out.find(expected), std::string::npos) << expected << " in:\n" << result.out;
  }
}

TEST_F(InfoCommand, TellsProgramsTheSame) {
  const auto result = run_process({WHORL_PROGRAM, "info", folder_ / "scan.h5", "--json", "--quiet"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["dimensions"], 2);
  EXPECT_EQ(json["matrix"], (nlohmann::json{20, 16, 1}));
  EXPECT_EQ(json["coils"], 3);
  EXPECT_EQ(json["frames"]["count"], 6);
  EXPECT_EQ(json["frames"]["repetitions"], 3);
  EXPECT_EQ(json["samples_per_frame"], (nlohmann::json{{"least", 60}, {"most", 60}}));
  EXPECT_EQ(json["noise"]["samples_per_coil"], 40);
  EXPECT_GT(json["reconstruction_bytes"]["cg-sense"], json["data_bytes"]);
  EXPECT_EQ(json["trajectory"]["kind"], "radial");
  EXPECT_NEAR(json["trajectory"]["largest_k_cycles_per_pixel"][0].get<double>(), 0.4, 1e-7);  // float in the file
  EXPECT_EQ(json["file_bytes"], std::filesystem::file_size(folder_ / "scan.h5"));
}

TEST_F(InfoCommand, OneArrayOfSeveral) {
  const Context ctx;
  std::vector<NamedArray> arrays;
  arrays.push_back({"b0", zeros<float>(ctx, {3, 5})});
  arrays.push_back({"b1", zeros<std::complex<float>>(ctx, {2, 7})});
  write_arrays(ctx, folder_ / "maps.npz", arrays);
  const std::string file = folder_ / "maps.npz";
  const auto result = run_process({WHORL_PROGRAM, "info", file + ":b1"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("b1 complex64 [2, 7]"), std::string::npos) << result.out;
  EXPECT_EQ(result.out.find("b0"), std::string::npos) << result.out;
  const auto missing = run_process({WHORL_PROGRAM, "info", file + ":b2"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_NE(missing.err.find("no array b2 in it; it has b0, b1"), std::string::npos) << missing.err;
}

TEST_F(InfoCommand, AFullDiskIsExitCode1) {
  const auto result =
      run_process({WHORL_PROGRAM, "info", folder_ / "scan.h5", "--quiet"}, {.standard_output = "/dev/full"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("standard output: No space left"), std::string::npos) << result.err;
}

// A terminal obeys none of what names hold: escape, the second set of control characters, and bytes that are no UTF-8.
TEST_F(InfoCommand, NamesDoNotReachTheTerminalAsTheyAre) {
  const Context ctx;
  const std::string name = "red\x1b[31m\u009b\u00fc";
  std::vector<NamedArray> arrays;
  arrays.push_back({name, zeros<float>(ctx, {3, 5})});
  write_arrays(ctx, folder_ / "a.h5", arrays);
  const std::string shown = "red\\u001b[31m\\u009b\u00fc";
  const auto text = run_process({WHORL_PROGRAM, "info", folder_ / "a.h5", "-q"});
  EXPECT_NE(text.out.find(shown + " float32 [3, 5]"), std::string::npos) << text.out;
  EXPECT_EQ(text.out.find('\x1b'), std::string::npos);
  const auto json = run_process({WHORL_PROGRAM, "info", folder_ / "a.h5", "-q", "--json"});
  EXPECT_EQ(json.out.find("\u009b"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(json.out)["arrays"][0]["name"], name);
  std::filesystem::copy_file(folder_ / "a.h5", folder_ / (name + ".h5"));
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"info", folder_ / (name + ".h5")},
        {"info", folder_ / (name + "\x9b.h5")},
        {"convert", folder_ / (name + ".h5"), "-o", folder_ / (name + ".npy")},
        {"view", folder_ / (name + ".h5"), "-o", folder_ / (name + ".png")},
        {"recon", folder_ / (name + ".h5"), "-o", folder_ / (name + ".npy")},
        {"recon", folder_ / "scan.h5", "-o", folder_ / (name + ".npy"), "--iterations", "2"}}) {
    std::vector<std::string> words{WHORL_PROGRAM};
    words.insert(words.end(), command.begin(), command.end());
    const auto result = run_process(words);
    for (const std::string& output : {result.out, result.err}) {
      EXPECT_EQ(output.find('\x1b'), std::string::npos) << command[0] << output;
      EXPECT_EQ(output.find("\u009b"), std::string::npos) << command[0] << output;
      EXPECT_EQ(output.find("\x9b.h5"), std::string::npos) << command[0] << output;
    }
    EXPECT_NE((result.out + result.err).find("\\u001b"), std::string::npos) << command[0];
  }
}

// One array that can not be read is said to be so, and hides no other.
TEST_F(InfoCommand, ArraysThatCanNotBeRead) {
  const Context ctx;
  std::vector<NamedArray> arrays;
  arrays.push_back({"good", zeros<float>(ctx, {3, 5})});
  arrays.push_back({"bad", zeros<double>(ctx, {2, 7})});
  std::get<Array<double>>(arrays[1].values).data()[3] = 1.25;
  write_arrays(ctx, folder_ / "a.npz", arrays);
  test::replace_number(folder_ / "a.npz", 1.25, 1.5);  // the archive's checksum is no longer that of its member
  const auto text = run_process({WHORL_PROGRAM, "info", folder_ / "a.npz", "-q"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_NE(text.out.find("good float32 [3, 5]"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("bad NOT READABLE: "), std::string::npos) << text.out;
  const auto json = run_process({WHORL_PROGRAM, "info", folder_ / "a.npz", "-q", "--json"});
  EXPECT_TRUE(nlohmann::json::parse(json.out)["arrays"][1].contains("fault"));
  EXPECT_EQ(run_process({WHORL_PROGRAM, "info", (folder_ / "a.npz").string() + ":bad", "-q"}).exit_code, 1);
  EXPECT_EQ(run_process({WHORL_PROGRAM, "view", (folder_ / "a.npz").string() + ":good", "-q"}).exit_code, 0);
  EXPECT_EQ(run_process({WHORL_PROGRAM, "convert", folder_ / "a.npz", "-o", folder_ / "b.npz"}).exit_code, 1);
}

}  // namespace
}  // namespace whorl
