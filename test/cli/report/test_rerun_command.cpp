#include <functional>
#include <nlohmann/json.hpp>

#include "cli/report/recorded_scan.hpp"
#include "support/file_content.hpp"

namespace whorl {
namespace {

class RerunCommand : public test::RecordedScan {
 protected:
  std::string rerun(int exit_code) const {
    const auto result = test::run_whorl({"rerun", folder / "image.nii.gz.json", "--threads", "1"});
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    return result.out;
  }
  nlohmann::ordered_json record() const {
    return nlohmann::ordered_json::parse(test::read_file(folder / "image.nii.gz.json"));
  }
  void write_record(const nlohmann::ordered_json& record) const {
    test::write_file(folder / "image.nii.gz.json", record.dump());
  }
};

TEST_F(RerunCommand, TheImageIsTheSameToTheBit) {
  reconstruct({"--png", folder / "a picture.png", "--save-maps=" + (folder / "maps.npy").string()});
  const auto entries = folder.entries();
  const std::string said = rerun(0);
  EXPECT_NE(said.find("image: same to the bit"), std::string::npos) << said;
  EXPECT_EQ(said.find("first difference"), std::string::npos) << said;
  EXPECT_NE(said.find("a picture.png: the file is the same"), std::string::npos) << said;
  EXPECT_EQ(folder.entries(), entries);
  // Without the hash, as of an older run of other commands, the files tell.
  auto old = record();
  old.erase("array_sha256");
  write_record(old);
  EXPECT_NE(rerun(0).find("image.nii.gz: the file is the same"), std::string::npos);
}

TEST_F(RerunCommand, TheFirstDifferenceIsNamed) {
  reconstruct({"--save-maps", folder / "maps.npy"});
  const auto of = record();
  const auto with = [&](const std::function<void(nlohmann::ordered_json&)>& change, const std::string& said) {
    auto changed = of;
    change(changed);
    changed["array_sha256"]["image"] = "0";
    write_record(changed);
    const std::string text = rerun(3);
    EXPECT_NE(text.find("image: differs"), std::string::npos) << text;
    EXPECT_NE(text.find("first difference: " + said), std::string::npos) << text;
  };
  with([](auto&) {}, "the image differs");
  with([](auto& json) { json["residuals"][2][1] = 0.5; }, "solve 2 differs from row 1");
  with([](auto& json) { json["array_sha256"]["coil maps"] = "1"; }, "the coil maps differ");
  with([](auto& json) { json["array_sha256"]["scan"] = "1"; }, "the scan after reading and corrections differs");
  with([](auto& json) { json["parameters"]["iterations"] = 9; }, "option 'iterations' was 9, is 3");
  with([](auto& json) { json["inputs"][0]["sha256"] = "1"; }, "input ");
}

TEST_F(RerunCommand, FailuresSayWhatIsWrong) {
  reconstruct();
  auto changed = record();
  changed["command_line"] = "whorl recon --no-such-option";
  write_record(changed);
  test::expect_failure({"rerun", folder / "image.nii.gz.json"}, 1, "does not take the recorded command");
  changed["command_line"] = "";
  write_record(changed);
  test::expect_failure({"rerun", folder / "image.nii.gz.json"}, 1, "has no command");
  changed["command_line"] = "whorl 'recon";
  write_record(changed);
  test::expect_failure({"rerun", folder / "image.nii.gz.json"}, 1, "a quote is not closed");
  test::expect_failure({"rerun", folder / "scan.h5"}, 1, "is no record of whorl");
}

}  // namespace
}  // namespace whorl
