// Nothing that is there is lost: an output is neither an input nor another output, and a record replaces records alone.
// What can not be written is found before the work.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "support/file_content.hpp"
#include "support/run_process.hpp"
#include "support/small_scan.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/ismrmrd.hpp"
#include "whorl/io/write_scan.hpp"

namespace whorl {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

class InputsAndOutputs : public ::testing::Test {
 protected:
  test::ProcessResult run(Words words) const {
    words.insert(words.begin(), WHORL_PROGRAM);
    return test::run_process(words, {.folder = folder_.path()});
  }

  // The files of the folder with what is in them.
  std::map<std::string, std::string> content() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
      all[entry.path().string()] = entry.is_regular_file() ? test::read_file(entry.path()) : std::string();
    }
    return all;
  }

  // One line with these parts, before any work: the folder is as it was, and no stage was reported.
  void expect_refusal(const Words& words, int exit_code, const Words& parts) const {
    const auto before = content();
    const auto result = run(words);
    std::string line;
    for (const std::string& word : words) line += word + " ";
    EXPECT_EQ(result.exit_code, exit_code) << line << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << line << result.err;
    for (const std::string& part : parts) EXPECT_NE(result.err.find(part), std::string::npos) << line << result.err;
    EXPECT_EQ(result.out, "") << line;
    EXPECT_TRUE(content() == before) << line;
  }

  // Files that nothing reads: the refusal comes first.
  void make_dummies(const Words& names) const {
    for (const std::string& name : names) test::write_file(folder_ / name, "content of " + name);
  }

  test::TemporaryFolder folder_;
  Context ctx_;
};

TEST_F(InputsAndOutputs, AnInputIsNoOutput) {
  make_dummies({"scan.h5", "m.npy", "n.npz", "p.nii", "cov.npy", "t.h5", "i.png"});
  test::write_file(folder_ / "k.npy", "1,2,1\n");  // a kernel: pipelines of filters are read with the words
  const Words recon{"recon", "scan.h5", "-o", "image.nii.gz"};
  const auto recon_with = [&](const Words& more) {
    Words words = recon;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  for (const std::string output : {"--stddev", "--gfactor", "--bias"}) {
    expect_refusal(recon_with({"--maps-file", "m.npy", output, "m.npy"}), 2, {output, "'m.npy'", "--maps-file"});
    expect_refusal(recon_with({"--maps-file", "m.npy:maps", output, "m.npy"}), 2,
                   {"'m.npy'", "--maps-file m.npy:maps"});
    expect_refusal(recon_with({"--prior", "p.nii", output, "p.nii"}), 2, {"'p.nii'", "--prior"});
    expect_refusal(recon_with({output, "scan.h5"}), 2, {"'scan.h5'", "(scan)"});
  }
  expect_refusal(recon_with({"--maps-file", "m.npy", "--psf", "1,2", "--psf-image", "m.npy"}), 2, {"--psf-image"});
  expect_refusal(recon_with({"--maps-file", "i.png", "--png", "i.png"}), 2, {"--png", "'i.png'"});
  expect_refusal(recon_with({"--maps-file", "i.png", "--lambda", "gcv", "--lambda-curve", "i.png"}), 2, {"'i.png'"});
  expect_refusal(recon_with({"--maps-file", "n.npz", "--save-normal", "n.npz"}), 2, {"--save-normal", "'n.npz'"});
  expect_refusal(recon_with({"--filter", "custom file=k.npy", "--stddev", "k.npy"}), 2, {"'k.npy'", "--filter"});
  expect_refusal({"recon", "scan.h5", "--normal", "k.npy", "-o", "k.npy"}, 2, {"--output", "(--normal)"});
  expect_refusal(
      {"phantom", "brain", "-t", "t.h5", "-o", "s.h5", "--noise-covariance", "cov.npy", "--truth", "cov.npy"}, 2,
      {"--truth", "'cov.npy'", "--noise-covariance"});
  expect_refusal({"compare", "m.npy", "k.npy", "--mask", "i.png", "--map", "i.png"}, 2, {"--map", "(--mask)"});
  expect_refusal({"compare", "m.npy", "k.npy", "--json", "k.npy"}, 2, {"--json", "(truth)"});
  expect_refusal({"view", "i.png", "-o", "i.png"}, 2, {"--output", "(file)"});
  expect_refusal({"filter", "i.png", "i.png", "gaussian 1"}, 2, {"output", "(input)"});
  expect_refusal({"filter", "i.png", "k.npy", "custom file=k.npy"}, 2, {"output", "'k.npy'"});
  expect_refusal({"filter", "i.png", "k.npy", "--custom", "file=k.npy"}, 2, {"output", "'k.npy'"});
  expect_refusal({"density", "scan.h5", "-o", "w.h5", "--json", "scan.h5"}, 2, {"--json", "(scan)"});
  expect_refusal({"study", "mri_q", "--input", "m.npy", "--output", "m.npy"}, 2, {"--output", "(--input)"});
  expect_refusal({"study", "mri_q", "--reference", "i.png", "-o", "."}, 2, {"--results", "--reference"});
}

TEST_F(InputsAndOutputs, ByAnyNameOfTheFile) {
  make_dummies({"scan.h5", "m.npy"});
  fs::create_directory(folder_ / "in");
  fs::create_symlink("m.npy", folder_ / "link.npy");
  fs::create_symlink(".", folder_ / "here");
  fs::create_hard_link(folder_ / "m.npy", folder_ / "hard.npy");
  for (const std::string& name :
       Words{"./m.npy", "in/../m.npy", "link.npy", "here/m.npy", "hard.npy", folder_ / "m.npy"}) {
    expect_refusal({"recon", "scan.h5", "-o", "i.npy", "--maps-file", "m.npy", "--stddev", name}, 2, {"is an input"});
    expect_refusal({"recon", "scan.h5", "-o", "i.npy", "--maps-file", name, "--stddev", "m.npy"}, 2, {"is an input"});
  }
  // Files that are not there yet: a link to one of them is the same.
  fs::create_symlink("later.npy", folder_ / "dangling.npy");
  for (const std::string name : {"./later.npy", "in/../later.npy", "here/later.npy", "dangling.npy"}) {
    expect_refusal({"recon", "scan.h5", "-o", "later.npy", "--stddev", name}, 2, {"is also an output of --output"});
  }
}

TEST_F(InputsAndOutputs, TwoOutputsAreTwoFiles) {
  make_dummies({"scan.h5", "m.npy", "k.npy"});
  expect_refusal({"compare", "m.npy", "k.npy", "--map", "i.png", "--json", "i.png"}, 2, {"'i.png'", "--map", "--json"});
  expect_refusal({"recon", "scan.h5", "-o", "a.npy", "--lambda", "gcv", "--png", "i.png", "--lambda-curve", "i.png"}, 2,
                 {"'i.png'", "--png", "--lambda-curve"});
  expect_refusal({"recon", "scan.h5", "-o", "a.png", "--png", "a.png"}, 2, {"'a.png'"});
  expect_refusal({"recon", "scan.h5", "-o", "a.npy", "--stddev", "s.npy", "--bias", "s.npy"}, 2, {"'s.npy'"});
  expect_refusal({"traj", "spiral", "--matrix", "16", "--fov", "200", "-o", "t.npz", "--gradients", "t.npz"}, 2,
                 {"'t.npz'"});
  expect_refusal({"phantom", "brain", "--matrix", "8", "8", "--object", "a.npy", "--maps", "a.npy"}, 2, {"'a.npy'"});
  expect_refusal({"bench", "--only", "small-", "--json", "out", "--export", "out"}, 2, {"'out'"});
  // The record of the run is an output.
  expect_refusal({"density", "scan.h5", "-o", "w.h5", "--json", "w.h5.json"}, 2, {"--json", "'w.h5.json', the record"});
  expect_refusal({"compare", "m.npy", "k.npy", "--json", "k.npy"}, 2, {"is an input"});
}

TEST_F(InputsAndOutputs, FilesThatLieBesideCount) {
  Scan scan = test::make_small_scan(ctx_);
  scan.coil_maps = zeros<std::complex<float>>(ctx_, {3, 1, 16, 20});
  write_scan(ctx_, scan, folder_ / "scan.cfl");
  make_dummies({"m.npy", "t.h5"});
  // Read with the scan: data, header, trajectory, noise, maps.
  expect_refusal({"coils", "estimate", "scan.cfl", "-o", "scan_maps.cfl"}, 2, {"'scan_maps.cfl'", "(scan scan.cfl)"});
  expect_refusal({"coils", "estimate", "scan", "-o", "scan_traj.cfl"}, 2, {"'scan_traj.cfl'"});
  expect_refusal({"compare", "scan.cfl", "m.npy", "--json", "scan.hdr"}, 2, {"'scan.hdr'", "(image scan.cfl)"});
  expect_refusal({"phantom", "brain", "-t", "scan.hdr", "-o", "scan.cfl"}, 2, {"'scan.cfl'"});
  // Written with the scan.
  expect_refusal({"phantom", "brain", "-t", "t.h5", "-o", "p.cfl", "--truth", "p_noise.cfl"}, 2,
                 {"'p_noise.cfl'", "--output"});
  expect_refusal({"convert", "scan_traj.cfl", "-o", "scan.cfl", "--matrix", "20", "16"}, 1, {"scan_traj.cfl"});
  // What the header does not name is no input: maps that an earlier run made are made again.
  scan.coil_maps = {};
  write_scan(ctx_, scan, folder_ / "plain.cfl");
  for (int i = 0; i < 2; ++i) {
    const auto result = run({"coils", "estimate", "plain.cfl", "-o", "plain_maps.cfl", "-q"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }
}

TEST_F(InputsAndOutputs, NumberedImagesAreOutputsToo) {
  Scan scan = test::make_small_scan(ctx_);
  for (ScanFrame& frame : scan.frames) {
    if (frame.index.slice == 0) continue;
    frame.geometry.phase_direction = {0, 0, 1};
    frame.geometry.slice_direction = {0, -1, 0};
  }
  write_ismrmrd(ctx_, scan, folder_ / "scan.h5");
  make_dummies({"image_2.nii"});
  const Words words{"recon", "scan.h5", "-q", "--iterations", "2", "--no-prewhitening", "-o", "image.nii"};
  Words clash = words;
  clash.insert(clash.end(), {"--stddev", "image_1.nii", "--replicas", "2"});
  clash.erase(std::find(clash.begin(), clash.end(), "--no-prewhitening"));
  expect_refusal(clash, 1, {"image_1.nii", "--stddev"});
  const auto result = run(words);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(fs::exists(folder_ / "image_1.nii"));
  EXPECT_TRUE(fs::exists(folder_ / "image.nii.json"));
  EXPECT_EQ(run(words).exit_code, 0);  // its own record
}

TEST_F(InputsAndOutputs, ARecordReplacesNothingElse) {
  write_ismrmrd(ctx_, test::make_small_scan(ctx_), folder_ / "scan.h5");
  write_array(ctx_, folder_ / "m.npy", {"m", zeros<float>(ctx_, {4, 4})});
  const std::string notes = "{\"patient\": \"A\"}\n";
  const std::vector<Words> commands{{"recon", "scan.h5", "-o", "out.npy"},
                                    {"convert", "m.npy", "-o", "out.npz"},
                                    {"convert", "scan.h5", "-o", "out.cfl"},
                                    {"phantom", "brain", "--matrix", "8", "8", "--object", "out.npy"},
                                    {"traj", "radial", "--matrix", "16", "-o", "out.h5"},
                                    {"density", "scan.h5", "-o", "out.h5"},
                                    {"coils", "estimate", "scan.h5", "-o", "out.npy"},
                                    {"coils", "compress", "scan.h5", "-o", "out.h5", "--coils", "2"},
                                    {"nufft", "adjoint", "scan.h5", "-o", "out.npy"}};
  for (const Words& words : commands) {
    const std::string output =
        *std::find_if(words.begin(), words.end(), [](const std::string& word) { return word.starts_with("out."); });
    const fs::path record = folder_ / (output + ".json");
    test::write_file(record, notes);
    expect_refusal(words, 1, {output + ".json", "holds something else"});
    fs::remove(record);
    fs::create_directory(record);
    expect_refusal(words, 1, {output + ".json", "folder"});
    fs::remove(record);
    for (int i = 0; i < 2; ++i) {
      Words quiet = words;
      quiet.emplace_back("-q");
      const auto result = run(quiet);
      EXPECT_EQ(result.exit_code, 0) << words.front() << ": " << result.err;
    }
    const auto json = nlohmann::json::parse(test::read_file(record));
    EXPECT_EQ(json["program"], "whorl");
    EXPECT_EQ(json["record_of"], output);
    fs::remove(record);
    fs::remove(folder_ / output);
  }
}

TEST_F(InputsAndOutputs, RecordsOfOneStemAreTwo) {
  write_ismrmrd(ctx_, test::make_small_scan(ctx_), folder_ / "scan.h5");
  test::write_file(folder_ / "image.json", "my notes");
  for (const std::string output : {"image.npy", "image.nii.gz"}) {
    const auto result = run({"recon", "scan.h5", "-q", "--method", "gridding", "-o", output});
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }
  EXPECT_EQ(nlohmann::json::parse(test::read_file(folder_ / "image.npy.json"))["outputs"][0], "image.npy");
  EXPECT_EQ(nlohmann::json::parse(test::read_file(folder_ / "image.nii.gz.json"))["outputs"][0], "image.nii.gz");
  EXPECT_EQ(test::read_file(folder_ / "image.json"), "my notes");
}

TEST_F(InputsAndOutputs, WhatCanNotBeWrittenIsFoundFirst) {
  write_ismrmrd(ctx_, test::make_small_scan(ctx_), folder_ / "scan.h5");
  make_dummies({"m.npy", "file"});
  for (const Words& more : std::vector<Words>{{"--png", "no/i.png"},
                                              {"--stddev", "no/s.npy"},
                                              {"--save-normal", "no/n.npz"},
                                              {"--lambda", "gcv", "--lambda-curve", "no/i.png"},
                                              {"--gfactor", "file/g.npy"}}) {
    Words words{"recon", "scan.h5", "-o", "image.nii.gz"};
    words.insert(words.end(), more.begin(), more.end());
    expect_refusal(words, 1, {more.back()});
  }
  expect_refusal({"recon", "scan.h5", "-o", "no/image.nii"}, 1, {"'no'", "create it first"});
  expect_refusal({"compare", "m.npy", "m.npy", "--json", "no/e.json"}, 1, {"no/e.json"});
  expect_refusal({"traj", "radial", "--matrix", "16", "-o", "t.h5", "--plot", "no/t.png"}, 1, {"no/t.png"});
  expect_refusal({"phantom", "brain", "--matrix", "8", "8", "--object", "a.npy", "--maps", "no/m.npy"}, 1,
                 {"no/m.npy"});
  expect_refusal({"density", "scan.h5", "--method", "all", "--json", "no/d.json"}, 1, {"no/d.json"});
  expect_refusal({"filter", "m.npy", "no/out.png", "gaussian 1"}, 1, {"no/out.png"});
  expect_refusal({"filter", "m.npy", "out.txt", "gaussian 1"}, 2, {"out.txt", ".npy", ".png"});
  expect_refusal({"bench", "--only", "small-", "--export", "no/way"}, 1, {"no/way"});
  expect_refusal({"bench", "--only", "small-", "--json", "no/b.json"}, 1, {"no/b.json"});
  expect_refusal({"bench", "--only", "small-", "--export", "file"}, 1, {"'file'", "no folder"});
  expect_refusal({"study", "heat", "-o", "no/way"}, 1, {"no/way"});
  expect_refusal({"study", "mri_q", "--output", "no/Q.out"}, 1, {"no/Q.out"});
  expect_refusal({"man", "no"}, 1, {"'no'", "create it first"});
  expect_refusal({"view", "m.npy", "-o", "no/i.png"}, 1, {"no/i.png"});
}

TEST_F(InputsAndOutputs, APictureIsCheckedBeforeTheReconstruction) {
  write_ismrmrd(ctx_, test::make_small_scan(ctx_), folder_ / "scan.h5");
  for (const std::string window : {"5,1", "2,2"}) {
    expect_refusal({"recon", "scan.h5", "-o", "image.nii.gz", "--png", "i.png", "--window", window}, 2, {"--window"});
  }
  expect_refusal({"recon", "scan.h5", "-q", "-o", "image.png", "--complex"}, 2, {"picture (.png)"});
}

// The record of a run has each file that was read, also those that belong to another, and each that was written.
TEST_F(InputsAndOutputs, TheRecordNamesEveryFile) {
  Array<std::complex<double>> covariance = zeros<std::complex<double>>(ctx_, {2, 2});
  covariance.data()[0] = covariance.data()[3] = 1;
  write_array(ctx_, folder_ / "cov.npy", {"cov", std::move(covariance)});
  test::write_file(folder_ / "kernel.txt", "1,2,1\n");
  const auto expect_record = [&](const Words& words, const std::string& record, const Words& inputs,
                                 const Words& outputs) {
    const auto result = run(words);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const auto json = nlohmann::json::parse(test::read_file(folder_ / record));
    Words read;
    for (const auto& input : json.at("inputs")) read.push_back(input.at("path"));
    EXPECT_EQ(read, inputs) << record;
    EXPECT_EQ(json.at("outputs").get<Words>(), outputs) << record;
  };
  expect_record({"traj", "radial", "--matrix", "16", "--spokes", "30", "-o", "t.h5", "--plot", "t.png"}, "t.h5.json",
                {}, {"t.h5", "t.png"});
  expect_record({"phantom", "brain", "-t", "t.h5", "-o", "s.cfl", "--coils", "2", "--noise-covariance", "cov.npy",
                 "--snr", "99", "--truth", "x.npy", "--maps", "m.npy"},
                "s.cfl.json", {"t.h5", "cov.npy"}, {"s.cfl", "x.npy", "m.npy"});
  const Words scan{"s.cfl", "s.hdr", "s_traj.cfl", "s_traj.hdr", "s_noise.cfl", "s_noise.hdr"};
  expect_record({"density", "s.cfl", "-o", "w.npz", "--json", "w.txt"}, "w.npz.json", scan, {"w.npz", "w.txt"});
  expect_record({"convert", "s.cfl", "-o", "c.npz"}, "c.npz.json", scan, {"c.npz"});
  expect_record({"nufft", "adjoint", "c.npz", "-o", "a.npy"}, "a.npy.json", {"c.npz"}, {"a.npy"});
  expect_record({"coils", "compress", "c.npz", "-o", "v.npz"}, "v.npz.json", {"c.npz"}, {"v.npz"});
  expect_record({"coils", "estimate", "c.npz", "--method", "walsh", "-o", "e.npy"}, "e.npy.json", {"c.npz"}, {"e.npy"});
  expect_record({"recon", "c.npz", "-o", "i.npy", "--maps-file", "m.npy", "--filter", "custom file=kernel.txt", "--png",
                 "i.png", "--save-normal", "n.npz"},
                "i.npy.json", {"c.npz", "m.npy", "kernel.txt"}, {"i.npy", "i.png", "n.npz"});
  // Without an end: the reader finds the pair, and so does the record.
  expect_record({"convert", "s", "-o", "d.npz"}, "d.npz.json", scan, {"d.npz"});
}

// A message names options as the command line has them.
TEST_F(InputsAndOutputs, WhatIsNotInTheFilesIsAskedForByItsOption) {
  test::write_file(folder_ / "raw", std::string(48, '\0'));
  test::write_file(folder_ / "data", std::string(48, '\0'));
  expect_refusal({"convert", "raw", "data", "-o", "b.npz"}, 2, {"with --matrix"});
}

}  // namespace
}  // namespace whorl
