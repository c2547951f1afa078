// What clients may ask for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "serve/request.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/core/error.hpp"

namespace whorl::serve {
namespace {

using ::testing::HasSubstr;

Request made_of(const std::string& text) {
  RequestMaker maker;
  for (const auto& [name, value] : parse_request(text, "the configuration").options) maker.set(name, value);
  return maker.finish();
}

template <class Expected>
std::string why_refused(const std::string& text) {
  try {
    static_cast<void>(made_of(text));
  } catch (const Expected& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error: " << text;
  return {};
}

TEST(ServeRequest, OptionsAreThoseOfTheCommandLine) {
  const Request request = made_of(R"({"method": "cg-sense", "iterations": 7, "tolerance": 0.01, "prewhitening": false,
                                      "lambda": 0.5, "spokes-per-frame": 34, "frames-by": ["contrast", "set"],
                                      "trajectory-unit": "rad/pixel", "output": "complex", "coils": 4})");
  EXPECT_EQ(request.job.recon.cg_sense.iterations, 7);
  EXPECT_EQ(request.job.recon.cg_sense.tolerance, 0.01);
  EXPECT_FALSE(request.job.recon.prewhiten);
  EXPECT_EQ(request.job.recon.cg_sense.lambda, 0.5);
  EXPECT_FALSE(request.job.recon.cg_sense.lambda_search);
  EXPECT_EQ(request.job.frames.frames.readouts, 34);
  EXPECT_EQ(request.job.frames.frames.by, (std::vector<std::string>{"contrast", "set"}));
  EXPECT_EQ(request.job.read.trajectory_unit, TrajectoryUnit::radians_per_pixel);
  EXPECT_EQ(request.send.output, ImageOutput::complex);
  EXPECT_EQ(request.job.recon.virtual_coils, 4);
  // As `whorl recon` does for frames that are made anew.
  EXPECT_EQ(request.job.recon.maps_from, CoilMapData::all_frames);
}

TEST(ServeRequest, XmlSaysTheSame) {
  const RequestText text = parse_request(
      "<?xml version=\"1.0\"?>\n<whorl "
      "config='live'>\n<iterations>7</iterations><regularize>tv:weak</regularize></whorl>",
      "x");
  EXPECT_EQ(text.base, "live");
  ASSERT_EQ(text.options.size(), 2U);
  EXPECT_EQ(text.options[0].first, "iterations");
  EXPECT_EQ(made_of("<whorl><regularize>tv:weak</regularize></whorl>").job.recon.regularized.terms.size(), 1U);
}

TEST(ServeRequest, TheUsualOneIsThatOfTheProgram) {
  const auto search = made_of("{}").job.recon.cg_sense.lambda_search;
  ASSERT_TRUE(search.has_value());
  EXPECT_EQ(search.value_or(decltype(search)::value_type{}).method, LambdaMethod::spectrum);
  EXPECT_EQ(made_of(R"({"regularize": "tv:medium"})").job.recon.cg_sense.lambda, 0);
}

// Options that no table of the reconstruction alone has.
TEST(ServeRequest, AJobIsTakenWithAllItsParts) {
  const Request request = made_of(R"({"delays": [0.5, -0.25], "subspace-from": "frames", "subspace-rank": 3,
                                      "k-shift": "auto", "shift-fov": "header", "spokes-per-frame": 10})");
  EXPECT_EQ(request.job.corrections.delays, (std::vector<double>{0.5, -0.25}));
  EXPECT_TRUE(request.job.corrections.find_k_shift);
  EXPECT_TRUE(request.job.corrections.fov_to_header);
  EXPECT_EQ(request.job.subspace.rank, 3);
  EXPECT_FALSE(request.job.recon.cg_sense.lambda_search);  // that of a subspace, as settle says
  EXPECT_THAT(why_refused<ValueError>(R"({"subspace-rank": 3})"), HasSubstr("it is for a subspace"));
}

TEST(ServeRequest, WrongOnesAreRefused) {
  EXPECT_THAT(why_refused<ValueError>(R"({"iteratons": 7})"), HasSubstr("did you mean iterations?"));
  EXPECT_THAT(why_refused<ValueError>(R"({"iterations": -1})"), HasSubstr("iterations is -1, expected"));
  EXPECT_THAT(why_refused<ValueError>(R"({"method": "gridding", "iterations": 3})"),
              HasSubstr("'iterations' has no effect here, it is for cg-sense"));
  EXPECT_THAT(why_refused<ValueError>(R"({"complex": true})"), HasSubstr("'complex' has no effect here"));
  EXPECT_THAT(why_refused<ValueError>(R"({"lambda": "gcv", "regularize": "tv:weak"})"), HasSubstr("expected a number"));
  EXPECT_THAT(why_refused<IoError>(R"({"iterations": {"a": 1}})"), HasSubstr("neither a number"));
  EXPECT_THAT(why_refused<IoError>("[1]"), HasSubstr("is no object"));
  EXPECT_THAT(why_refused<IoError>("{"), HasSubstr("no JSON that can be read"));
  EXPECT_THAT(why_refused<IoError>("<gadgetronStreamConfiguration/>"), HasSubstr("no configuration of whorl"));
  EXPECT_THAT(why_refused<IoError>("<whorl>"), HasSubstr("neither JSON nor XML"));
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "[";
  EXPECT_THAT(why_refused<IoError>("{\"a\": " + deep), HasSubstr("levels"));
}

TEST(ServeRequest, NothingThatAClientNamesIsOpened) {
  for (const char* name : {"trajectory-from", "noise-from", "group", "field-map", "save-maps", "temp-dir", "stddev",
                           "checkpoint", "motion", "maps-file", "png", "normal"}) {
    EXPECT_THAT(why_refused<ValueError>(std::string("{\"") + name + R"(": "/etc/passwd"})"),
                HasSubstr("names a file or a folder, which a client may not"));
  }
  for (const char* name : {"output-dir", "keep-normals", "prior"}) {
    EXPECT_THAT(why_refused<ValueError>(std::string("{\"") + name + R"(": "yes"})"), HasSubstr("is no option"));
  }
}

TEST(ServeRequest, ConfigurationsAreTheFilesOfAFolder) {
  const test::TemporaryFolder folder;
  const auto write = [&](const char* name, const char* text) { std::ofstream(folder.path() / name) << text; };
  write("base.json", R"({"iterations": 5, "lambda": 0.1})");
  write("live.json", R"({"config": "base", "iterations": 9})");
  write("notes.txt", "not one");
  const Configurations all(folder.path().string());
  for (const char* name : {"live", "live.json", "live.xml"}) {
    RequestMaker maker;
    all.apply(name, maker);
    EXPECT_EQ(maker.finish().job.recon.cg_sense.iterations, 9);
    EXPECT_EQ(maker.finish().job.recon.cg_sense.lambda, 0.1);
  }
  RequestMaker maker;
  for (const char* name : {"../live", "/etc/passwd", "notes", ""})
    EXPECT_THROW(all.apply(name, maker), ValueError) << name;
  write("wrong.json", R"({"iterations": 0})");
  EXPECT_THROW(Configurations(folder.path().string()), ValueError);
  EXPECT_THROW(Configurations("/nowhere"), IoError);
}

}  // namespace
}  // namespace whorl::serve
