#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <regex>

#include "support/file_content.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/core/array.hpp"
#include "whorl/core/version.hpp"
#include "whorl/io/record.hpp"

namespace whorl {
namespace {

using test::TemporaryFolder;
using test::write_file;

TEST(Record, TheHashIsThatOfFips180) {
  const Context ctx;
  const TemporaryFolder folder;
  // FIPS 180-2, appendix B.1 and B.3: "abc", and a million times "a".
  write_file(folder / "abc", "abc");
  const InputFile abc = describe_input(ctx, folder / "abc");
  EXPECT_EQ(abc.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(abc.bytes, 3U);
  EXPECT_EQ(abc.path, (folder / "abc").string());
  write_file(folder / "long", std::string(1000000, 'a'));
  EXPECT_EQ(describe_input(ctx, folder / "long").sha256,
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  write_file(folder / "empty", "");
  EXPECT_EQ(describe_input(ctx, folder / "empty").sha256,
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Record, InputsThatCannotBeReadAreNamed) {
  const Context ctx;
  const TemporaryFolder folder;
  const std::string missing = test::error_of<IoError>([&] { describe_input(ctx, folder / "missing.h5"); });
  EXPECT_NE(missing.find("missing.h5"), std::string::npos);
  EXPECT_NE(missing.find("No such file"), std::string::npos);
  EXPECT_THROW(describe_input(ctx, folder.path()), IoError);
  // Opening a pipe waits for somebody who writes.
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  const std::string pipe = test::error_of<IoError>([&] { describe_input(ctx, folder / "pipe"); });
  EXPECT_NE(pipe.find("not a regular file"), std::string::npos);
  write_file(folder / "abc", "abc");
  ctx.request_cancel();
  EXPECT_THROW(describe_input(ctx, folder / "abc"), Cancelled);
}

TEST(Record, LiesBesideTheResult) {
  EXPECT_EQ(record_path("a/image.nii.gz"), "a/image.nii.gz.json");
  EXPECT_EQ(record_path("a.b/image.v2.npy"), "a.b/image.v2.npy.json");
  EXPECT_NE(record_path("scan.h5"), record_path("scan.nii.gz"));
}

TEST(Record, HoldsWhatTheCallerSaidAndWhatTheMachineKnows) {
  const Context ctx({.device = {}, .threads = 3, .progress = {}});
  const TemporaryFolder folder;
  { const Array<float> memory(ctx, {1000}); }
  RunRecord record;
  record.command_line = "whorl recon scan.h5 -o \"image \xff.nii.gz\"";  // not UTF-8
  record.inputs = {{"scan.h5", 12, "ab"}};
  record.outputs = {"image.nii.gz"};
  record.parameters = {
      {"method", std::string("sense")}, {"iterations", std::int64_t{12}}, {"lambda", 0.25}, {"prewhiten", true}};
  record.residuals = {{1, 0.5}, {1, std::numeric_limits<double>::quiet_NaN()}};
  record.stage_seconds = {{"read", 0.5}};
  record.notes.emplace_back("third column taken for kz");
  write_record(ctx, record, folder / "image.nii.gz.json");

  const auto json = nlohmann::json::parse(test::read_file(folder / "image.nii.gz.json"));
  EXPECT_EQ(json["version"], version());
  EXPECT_EQ(json["record_of"], "image.nii.gz");
  EXPECT_TRUE(json["command_line"].get<std::string>().starts_with("whorl recon scan.h5"));
  EXPECT_EQ(json["inputs"][0], (nlohmann::json{{"path", "scan.h5"}, {"bytes", 12}, {"sha256", "ab"}}));
  EXPECT_EQ(json["outputs"][0], "image.nii.gz");
  EXPECT_EQ(json["parameters"],
            (nlohmann::json{{"method", "sense"}, {"iterations", 12}, {"lambda", 0.25}, {"prewhiten", true}}));
  EXPECT_EQ(json["residuals"][0][1], 0.5);
  EXPECT_TRUE(json["residuals"][1][1].is_null());
  EXPECT_FALSE(json.contains("residual_iterations"));
  EXPECT_EQ(json["stage_seconds"]["read"], 0.5);
  EXPECT_EQ(json["notes"][0], "third column taken for kz");
  EXPECT_EQ(json["device"], "cpu");
  EXPECT_EQ(json["threads"], 3);
  EXPECT_GE(json["peak_memory_bytes"]["arrays"], 4000);
  EXPECT_GT(json["peak_memory_bytes"]["process"], 1 << 20);  // a process with the C library is larger than 1 MiB
  const std::regex iso_8601("20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]Z");
  EXPECT_TRUE(std::regex_match(json["date"].get<std::string>(), iso_8601)) << json["date"];
  EXPECT_FALSE(json["build"]["compiler"].get<std::string>().empty());
}

TEST(Record, ReplacesNothingButARecordOfTheSameResult) {
  const Context ctx;
  const TemporaryFolder folder;
  const auto path = folder / "image.npy.json";
  write_record(ctx, {}, path);
  const std::string record = test::read_file(path);
  RunRecord second;
  second.command_line = "second";
  write_record(ctx, second, path);
  EXPECT_NE(test::read_file(path), record);

  // Notes, no JSON at all, another program's, a study's results, the record of another result, a damaged record.
  std::string of_another = record;
  of_another.replace(of_another.find("\"image.npy\""), 11, "\"scan.h5\"");
  for (const std::string& text :
       {std::string("{\"patient\": \"A\"}"), std::string("my notes\n"), std::string(), std::string("[1, 2]"),
        std::string("{\"program\": \"other\", \"record_of\": \"image.npy\"}"),
        std::string("{\"program\": \"whorl\", \"record_of\": 3}"), of_another, record.substr(0, record.size() / 2)}) {
    write_file(path, text);
    const std::string refusal = test::error_of<ValueError>([&] { check_record_path(path); });
    EXPECT_NE(refusal.find("image.npy.json"), std::string::npos) << refusal;
    EXPECT_THROW(write_record(ctx, second, path), ValueError) << text;
    EXPECT_EQ(test::read_file(path), text);
  }
  EXPECT_EQ(folder.entries(), 1);
}

TEST(Record, IsThatOfANameWhichIsNotUtf8) {
  const Context ctx;
  const TemporaryFolder folder;
  const auto path = folder / "image \xff.npy.json";
  write_record(ctx, {}, path);
  EXPECT_NO_THROW(write_record(ctx, {}, path));
}

TEST(Record, AMissingFolderIsAnError) {
  const TemporaryFolder folder;
  EXPECT_THROW(write_record(Context(), RunRecord{}, folder / "missing/image.npy.json"), IoError);
}

// A record is read by people: 5001 rows become 64, numbered, with both ends.
TEST(WriteRecord, LongHistoriesAreThinned) {
  const Context ctx;
  const TemporaryFolder folder;
  RunRecord record;
  record.outputs = {"image.nii.gz"};
  std::vector<double> history(5001);
  std::iota(history.begin(), history.end(), 0.0);
  record.residuals = {history, {1, 0.5}};
  record.tables = {{"solver", {{"cost", history}}}};
  write_record(ctx, record, folder / "image.nii.gz.json");
  const std::string text = test::read_file(folder / "image.nii.gz.json");
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 60) << text;  // the numbers of a column share a line
  EXPECT_TRUE(text.ends_with("}\n")) << text;
  const auto json = nlohmann::json::parse(text);
  for (const auto& [kept, rows] : {std::pair{json["residuals"][0], json["residual_iterations"][0]},
                                   {json["tables"]["solver"]["cost"], json["tables"]["solver"]["row"]}}) {
    ASSERT_EQ(kept.size(), 64U);
    EXPECT_EQ(kept.front(), 0);
    EXPECT_EQ(kept.back(), 5000);
    EXPECT_EQ(kept, rows);  // each number is that of its row
  }
  EXPECT_EQ(json["residuals"][1].size(), 2U);
}

}  // namespace
}  // namespace whorl
