// The page of a run: whorl report, and whorl recon --report.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/report/recorded_scan.hpp"
#include "support/file_content.hpp"
#include "whorl/io/npy.hpp"

namespace whorl {
namespace {

class ReportCommand : public test::RecordedScan {
 protected:
  std::string page() const { return test::read_file(folder / "image.nii.gz.html"); }

  // Changes a member of the record.
  void change_record(const std::string& name, const nlohmann::json& value) const {
    auto record = nlohmann::json::parse(test::read_file(folder / "image.nii.gz.json"));
    record[name] = value;
    test::write_file(folder / "image.nii.gz.json", record.dump());
  }
};

void expect_holds(const std::string& page, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) EXPECT_NE(page.find(text), std::string::npos) << text;
}

TEST_F(ReportCommand, HasAllOfARun) {
  reconstruct({"--save-maps", folder / "maps.npy", "--report", folder / "page.html"});
  const std::string page = test::read_file(folder / "page.html");
  EXPECT_LT(page.size(), 5'000'000U);
  expect_holds(page, {"<html lang=\"en\">", "<h2 id=\"image\">", "<h2 id=\"sampling\">", "<h2 id=\"convergence\">",
                      "<h2 id=\"cost\">", "<h2 id=\"findings\">", "<h2 id=\"facts\">", "Coil maps</figcaption>",
                      "\"along\":\"coil\"", "Point spread of gridding", "conjugate gradient",
                      "g-factor: not kept; run with --gfactor FILE.", "SHA-256", "--save-maps"});
  // The page loads nothing.
  for (const char* text : {"src=", "http:", "https:", "@import", "url("}) {
    EXPECT_EQ(page.find(text), std::string::npos) << text;
  }
  // A record gives one page.
  test::expect_success({"report", folder / "image.nii.gz.json", "-o", folder / "again.html"});
  EXPECT_EQ(test::read_file(folder / "again.html"), page);
}

TEST_F(ReportCommand, WhatIsMissingIsSaid) {
  reconstruct();
  std::filesystem::remove(folder / "scan.h5");
  std::filesystem::remove(folder / "image.nii.gz");
  test::expect_success({"report", folder / "image.nii.gz.json"});
  expect_holds(page(), {"image.nii.gz: not shown (", "The scan is not shown: ", "Coil maps: not kept"});
}

TEST_F(ReportCommand, TextsFromFilesAreNoMarkup) {
  reconstruct();
  const std::string hostile = "</script><script>alert(1)</script>\"'&";
  change_record("notes", {hostile});
  change_record("version", hostile);
  change_record("parameters", {{hostile, hostile}});
  change_record("stage_seconds", {{hostile, 1}});
  change_record("tables", {{"lambda_of_slice_" + hostile, {{"chosen", {1}}}}});
  change_record("inputs", {{{"path", hostile}, {"bytes", hostile}, {"sha256", hostile}}, 3, {hostile}});
  change_record("command_line", "whorl recon " + hostile);
  change_record("residuals", {{1, nullptr, hostile}, 3});
  test::expect_success({"report", folder / "image.nii.gz.json"});
  EXPECT_EQ(page().find("<script>alert"), std::string::npos);
  expect_holds(page(), {"&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;"});
}

TEST_F(ReportCommand, FailuresSayWhatIsWrong) {
  reconstruct();
  test::write_file(folder / "other.json", "{}");
  const auto entries = folder.entries();
  test::expect_failure({"report", folder / "none.json"}, 1, "none.json");
  test::expect_failure({"report", folder / "other.json"}, 1, "is no record of whorl");
  test::expect_failure({"report", folder / "image.nii.gz.json", "-o", folder / "page.txt"}, 2, ".html");
  test::expect_failure({"report", folder / "image.nii.gz.json", "-o", folder / "no" / "page.html"}, 1, "page.html");
  EXPECT_EQ(folder.entries(), entries);
}

// Headless Chromium, where there is one: the script runs without a message on the console, keys move window, level and
// frame, and the page is no wider than a phone.
TEST_F(ReportCommand, ActsInABrowser) {
  const char* names[] = {"/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"};
  const auto* const browser =
      std::find_if(std::begin(names), std::end(names), [](const char* name) { return std::filesystem::exists(name); });
  if (browser == std::end(names)) GTEST_SKIP() << "no Chromium on this machine";
  // Six repetitions of one slice: a movie.
  Array<float> frames(ctx, {6, 1, 16, 20});
  for (Index i = 0; i < frames.size(); ++i) frames.data()[i] = static_cast<float>(i % 37);
  test::expect_success({"recon", folder / "scan.h5", "-o", folder / "image.npy", "--method", "gridding", "-q"});
  write_npy<float>(ctx, folder / "image.npy", frames);
  test::expect_success({"report", folder / "image.npy.json"});
  std::string page = test::read_file(folder / "image.npy.html");
  page += R"(<script>
const canvas = document.querySelector("figure[data-view] canvas"), before = {...canvas.dataset};
const press = (key) => canvas.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
press("ArrowUp"); press("ArrowRight"); press("PageDown");
const moved = +canvas.dataset.low + +canvas.dataset.high > +before.low + +before.high;
const wider = canvas.dataset.high - canvas.dataset.low > before.high - before.low;
const frame = canvas.dataset.frame;
press("Home");
document.title = ["result", moved, wider, frame, canvas.dataset.high === before.high,
                  document.documentElement.scrollWidth <= innerWidth].join(" ");
</script>)";
  test::write_file(folder / "acts.html", page);
  const auto result =
      test::run_process({*browser, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                         "--window-size=500,900", "--user-data-dir=" + (folder / "profile").string(),
                         "--virtual-time-budget=2000", "--dump-dom", "file://" + (folder / "acts.html").string()});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("<title>result true true 1 true true</title>"), std::string::npos)
      << result.out.substr(0, 600);
  EXPECT_EQ(result.err.find("CONSOLE"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace whorl
