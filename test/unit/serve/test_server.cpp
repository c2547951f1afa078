// What a client gets for a measurement.
#include <fmt/format.h>

#include "unit/serve/serve_fixture.hpp"
#include "whorl/core/error.hpp"
#include "whorl/recon/estimate_coil_maps.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/recon/usual_lambda.hpp"
#include "whorl/scan/frame_options.hpp"
#include "whorl/scan/prepare.hpp"
#include "whorl/serve/replay.hpp"

namespace whorl::serve {
namespace {

using ::testing::HasSubstr;

double difference(ArrayRef<const std::complex<float>> a, ArrayRef<const std::complex<float>> b) {
  double error = 0;
  double norm = 0;
  for (Index i = 0; i < a.size(); ++i) {
    error += static_cast<double>(std::norm(a.data()[i] - b.data()[i]));
    norm += static_cast<double>(std::norm(b.data()[i]));
  }
  return std::sqrt(error / norm);
}

// The library's parts in the place of the server: maps and noise of the first readouts, then frames of the whole scan.
Scan prepared_frames(const Context& ctx, const std::filesystem::path& file, Index calibration, Index readouts,
                     Index step) {
  const Scan scan = read_ismrmrd(ctx, file);
  Notes notes;
  const NoiseCovariance covariance = scan_noise(ctx, scan);
  Scan first = split_frames(ctx, clone(ctx, scan), calibration);
  first.frames.resize(1);
  prewhiten(ctx, first, covariance, notes);
  Scan frames = split_frames(ctx, clone(ctx, scan), readouts, step);
  prewhiten(ctx, frames, covariance, notes);
  ReconOptions options;
  options.prewhiten = false;
  options.nufft.tolerance = 1e-6;
  frames.coil_maps = estimate_coil_maps(ctx, std::move(first), options).maps;
  frames.coil_maps.reshape(frames.coil_maps.shape().tail());
  return frames;
}

TEST_F(ServerTest, ImagesAreThoseOfTheFile) {
  const Sent sent = measured(50);
  start();
  Client client(port());
  client.begin(R"({"output": "complex", "iterations": 6})", sent.header);
  for (const Acquisition& one : sent.acquisitions) client.send(one);
  client.send(Close());
  const std::vector<Image> images = client.rest();
  ASSERT_EQ(images.size(), 1U) << client.texts();
  EXPECT_TRUE(client.closed());

  ReconOptions options;
  options.cg_sense.iterations = 6;
  use_usual_lambda(options, false, false);
  const Reconstruction expected = reconstruct(ctx, read_ismrmrd(ctx, file()), options);
  const Array<std::complex<float>> values = values_of(ctx, images[0]);
  ASSERT_EQ(values.size(), expected.images.size());
  EXPECT_TRUE(std::equal(values.span().begin(), values.span().end(), expected.images.data()));
  EXPECT_EQ(images[0].head.image_index, 1);
  EXPECT_EQ(float{images[0].head.field_of_view[0]}, 256.0F);
  EXPECT_EQ(images[0].head.acquisition_time_stamp, sent.acquisitions.size() - 1);
  EXPECT_THAT(images[0].attributes, HasSubstr("WindowWidth"));
  EXPECT_THAT(images[0].attributes, HasSubstr("standard deviations of the noise"));
  EXPECT_THAT(client.texts(), HasSubstr("DBG "));
}

// The client waits for the image of each frame before it sends more: images can not be made of later readouts.
TEST_F(ServerTest, FramesComeWhileDataArrive) {
  constexpr Index readouts = 20;
  constexpr Index step = 10;
  constexpr Index calibration = 40;
  const Sent sent = measured(70);
  const std::size_t noise = sent.acquisitions.size() - 70;
  start();
  Client client(port());
  client.begin(R"({"output": "complex", "iterations": 8, "tolerance": 0, "lambda": 0.01, "nufft-tolerance": 1e-6,
                   "spokes-per-frame": 20,
                   "frame-step": 10, "calibration-readouts": 40})",
               sent.header);
  std::vector<Image> images;
  for (std::size_t i = 0; i < sent.acquisitions.size(); ++i) {
    client.send(sent.acquisitions[i]);
    const Index there = static_cast<Index>(i + 1) - static_cast<Index>(noise);
    while (there >= calibration && (std::ssize(images)) * step + readouts <= there) images.push_back(client.image());
  }
  client.send(Close());
  EXPECT_TRUE(client.rest().empty());
  ASSERT_EQ(images.size(), 6U);

  ReconOptions options;
  options.prewhiten = false;
  options.nufft.tolerance = 1e-6;
  options.coil_maps = CoilMapMethod::file;
  options.cg_sense.iterations = 8;
  options.cg_sense.tolerance = 0;
  options.cg_sense.lambda = 0.01;
  // As a series: the first frame has the unit of lambda for all. Each in its own unit, images would differ by up to 3e-4.
  const Reconstruction expected = reconstruct(ctx, prepared_frames(ctx, file(), calibration, readouts, step), options);
  ASSERT_EQ(expected.images.extent(0), std::ssize(images));
  for (std::size_t i = 0; i < images.size(); ++i) {
    // Both are right to the tolerance of the NUFFT over sqrt(lambda), and each may be on another side of it.
    EXPECT_LT(difference(values_of(ctx, images[i]), expected.images.slice(static_cast<Index>(i))), 2e-5) << i;
    EXPECT_EQ(images[i].head.repetition, i);
    EXPECT_EQ(images[i].head.acquisition_time_stamp, noise + i * step + readouts - 1);
  }
}

// Lambda is that of the first frame with the maps of the calibration, and that frame's image is made with it at once. Maps of its own
// 20 readouts would give another lambda.
TEST_F(ServerTest, LambdaIsChosenWithTheMapsOfTheCalibration) {
  constexpr Index calibration = 40;
  const Sent sent = measured(60);
  start();
  Client client(port());
  client.begin(R"({"output": "complex", "iterations": 8, "tolerance": 0, "nufft-tolerance": 1e-6,
                   "spokes-per-frame": 20, "calibration-readouts": 40})",
               sent.header);
  for (const Acquisition& one : sent.acquisitions) client.send(one);
  client.send(Close());
  const std::vector<Image> images = client.rest();
  ASSERT_EQ(images.size(), 3U) << client.texts();
  EXPECT_THAT(client.texts(), HasSubstr("Lambda "));

  ReconOptions options;
  options.nufft.tolerance = 1e-6;
  options.coil_maps = CoilMapMethod::file;
  options.cg_sense.iterations = 8;
  options.cg_sense.tolerance = 0;
  use_usual_lambda(options, false, false);
  ReconOptions alone = options;
  options.prewhiten = false;
  options.noise = 1;  // of prewhitened samples
  const Reconstruction expected = reconstruct(ctx, prepared_frames(ctx, file(), calibration, 20, 20), options);
  ASSERT_EQ(expected.images.extent(0), std::ssize(images));
  alone.coil_maps = CoilMapMethod::espirit;
  Scan first = split_frames(ctx, read_ismrmrd(ctx, file()), 20);
  first.frames.resize(1);
  EXPECT_NE(reconstruct(ctx, std::move(first), alone).lambdas.at(0).choice.lambda,
            expected.lambdas.at(0).choice.lambda);
  for (std::size_t i = 0; i < images.size(); ++i) {
    // Both are right to the tolerance of the NUFFT, as above.
    EXPECT_LT(difference(values_of(ctx, images[i]), expected.images.slice(static_cast<Index>(i))), 2e-5) << i;
  }
}

// A term over time: each image is the last of those that the library makes of the frames up to it, three at most.
TEST_F(ServerTest, TermsCoupleTheLastFrames) {
  constexpr Index calibration = 40;
  constexpr std::size_t together = 3;
  const Sent sent = measured(60);
  start();
  Client client(port());
  client.begin(R"({"output": "complex", "iterations": 8, "tolerance": 0, "regularize": "tv:1,axes=t",
                   "nufft-tolerance": 1e-6, "spokes-per-frame": 20, "frame-step": 10, "calibration-readouts": 40,
                   "frames-together": 3})",
               sent.header);
  for (const Acquisition& one : sent.acquisitions) client.send(one);
  // The last frame comes before the measurement ends.
  std::vector<Image> images;
  for (int i = 0; i < 5; ++i) images.push_back(client.image());
  client.send(Close());
  EXPECT_TRUE(client.rest().empty());

  Scan frames = prepared_frames(ctx, file(), calibration, 20, 10);
  ReconOptions options;
  options.prewhiten = false;
  options.noise = 1;  // of prewhitened samples
  options.nufft.tolerance = 1e-6;
  options.coil_maps = CoilMapMethod::file;
  options.cg_sense.iterations = 8;
  options.cg_sense.tolerance = 0;
  options.regularized.terms = {parse_regularizer("tv:1,axes=t")};
  use_usual_lambda(options, false, false);
  for (std::size_t i = 0; i < images.size(); ++i) {
    Scan last = clone(ctx, frames);
    const std::size_t end = std::max<std::size_t>(i + 1, 2);  // the first image comes with the second
    last.frames.erase(last.frames.begin() + static_cast<std::ptrdiff_t>(end), last.frames.end());
    if (i >= together)
      last.frames.erase(last.frames.begin(), last.frames.begin() + static_cast<std::ptrdiff_t>(i + 1 - together));
    const Reconstruction expected = reconstruct(ctx, std::move(last), options);
    // Both are right to the tolerance of the NUFFT, as above.
    EXPECT_LT(difference(values_of(ctx, images[i]), expected.images.slice(i == 0 ? 0 : expected.images.extent(0) - 1)),
              2e-5)
        << i;
    EXPECT_EQ(images[i].head.repetition, i);
  }
}

// The weight is that of the first two frames, in the unit of its own frames.
TEST_F(ServerTest, AWeightIsChosenOnce) {
  const Sent sent = measured(60);
  start();
  Client client(port());
  client.begin(R"({"output": "complex", "iterations": 4, "tolerance": 0, "regularize": "tv:auto,axes=t",
                   "nufft-tolerance": 1e-6, "spokes-per-frame": 20, "calibration-readouts": 40, "frames-together": 2})",
               sent.header);
  for (const Acquisition& one : sent.acquisitions) client.send(one);
  client.send(Close());
  const std::vector<Image> images = client.rest();
  ASSERT_EQ(images.size(), 3U) << client.texts();

  const Scan frames = prepared_frames(ctx, file(), 40, 20, 20);
  ReconOptions options;
  options.prewhiten = false;
  options.noise = 1;  // of prewhitened samples
  options.nufft.tolerance = 1e-6;
  options.coil_maps = CoilMapMethod::file;
  options.cg_sense.iterations = 4;
  options.cg_sense.tolerance = 0;
  options.regularized.terms = {parse_regularizer("tv:auto,axes=t")};
  use_usual_lambda(options, false, false);
  Scan two = clone(ctx, frames);
  two.frames.pop_back();
  const Reconstruction first = reconstruct(ctx, std::move(two), options);
  Regularizer& term = options.regularized.terms.front();
  term.choice.reset();
  term.unit = WeightUnit::largest;
  term.weight = first.lambdas.at(0).choice.lambda;
  Scan last = clone(ctx, frames);
  last.frames.erase(last.frames.begin());
  const Reconstruction second = reconstruct(ctx, std::move(last), options);
  // Both are right to the tolerance of the NUFFT, as above.
  EXPECT_LT(difference(values_of(ctx, images[0]), first.images.slice(0)), 2e-5);
  EXPECT_LT(difference(values_of(ctx, images[1]), first.images.slice(1)), 2e-5);
  EXPECT_LT(difference(values_of(ctx, images[2]), second.images.slice(1)), 2e-5);
}

TEST_F(ServerTest, LambdaAndCoilsAreChosenOnce) {
  const Sent sent = measured(60, 6);
  start();
  Client client(port());
  client.begin(R"({"iterations": 4, "spokes-per-frame": 20, "coils": 4})", sent.header);
  for (const Acquisition& one : sent.acquisitions) client.send(one);
  client.send(Close());
  const std::vector<Image> images = client.rest();
  EXPECT_EQ(images.size(), 3U) << client.texts();
  EXPECT_EQ(images.back().head.data_type, ISMRMRD::ISMRMRD_FLOAT);
  EXPECT_THAT(client.texts(), HasSubstr("4 virtual coils"));
}

TEST_F(ServerTest, AScanThatEndsEarlyStillHasItsFrames) {
  const Sent sent = measured(25);
  start();
  Client client(port());
  client.begin(R"({"method": "gridding", "spokes-per-frame": 10, "calibration-readouts": 1000})", sent.header);
  for (const Acquisition& one : sent.acquisitions) client.send(one);
  client.send(Close());
  EXPECT_EQ(client.rest().size(), 2U) << client.texts();
  EXPECT_THAT(client.texts(), HasSubstr("WRN 5 readouts at the end filled no frame"));
}

TEST_F(ServerTest, MethodsWithoutLambdaNeedNoNoise) {
  const Sent sent = measured(40, 3, 0);
  start();
  for (const char* method : {"gridding", "nlinv", "cg-sense"}) {
    Client client(port());
    client.begin(fmt::format(R"({{"method": "{}", "spokes-per-frame": 20}})", method), sent.header);
    for (const Acquisition& one : sent.acquisitions) client.send(one);
    client.send(Close());
    EXPECT_EQ(client.rest().size(), 2U) << client.texts();
  }
}

TEST_F(ServerTest, DoubtsAreWarningsAndComeBeforeFacts) {
  start();
  for (const char* frames : {"", R"(, "spokes-per-frame": 25)"}) {
    Sent sent = measured(50);
    // Noise of another number of channels is left out of the covariance, which is a doubt.
    sent.acquisitions.insert(sent.acquisitions.begin() + 1, measured(50, 2).acquisitions.front());
    Client client(port());
    client.begin(R"({"iterations": 4)" + std::string(frames) + "}", sent.header);
    for (const Acquisition& one : sent.acquisitions) client.send(one);
    client.send(Close());
    EXPECT_FALSE(client.rest().empty()) << client.texts();
    const std::string texts = client.texts();
    EXPECT_THAT(texts, HasSubstr("WRN 1 acquisition flagged as noise was left out"));
    EXPECT_THAT(texts, HasSubstr("DBG Lambda "));
    EXPECT_LT(texts.find("WRN "), texts.find("DBG ")) << texts;
    // Without a number of readouts all is told at once, at the end.
    if (std::string(frames).empty()) {
      EXPECT_LT(texts.rfind("WRN "), texts.find("DBG ")) << texts;
    }
  }
}

TEST_F(ServerTest, NoiseIsRememberedForTheMeasurementsThatNameIt) {
  Sent sent = measured(50);
  const auto with = [&](const std::string& information) {
    std::string header = sent.header;
    const std::size_t place = header.find("<encoding>");
    EXPECT_NE(place, std::string::npos);
    return header.insert(place, "<measurementInformation>" + information + "</measurementInformation>");
  };
  std::vector<Acquisition> noise(sent.acquisitions.begin(), sent.acquisitions.end() - 50);
  std::vector<Acquisition> image(sent.acquisitions.end() - 50, sent.acquisitions.end());
  ASSERT_FALSE(noise.empty());
  std::filesystem::create_directory(folder_ / "noise");
  const std::string dependent = with(
      "<measurementDependency><dependencyType>Noise</dependencyType><measurementID>../7</measurementID>"
      "</measurementDependency>");
  const auto image_by = [&](int at) {
    Client client(at);
    client.begin(R"({"output": "complex", "iterations": 6})", dependent);
    for (const Acquisition& one : image) client.send(one);
    client.send(Close());
    const std::vector<Image> images = client.rest();
    EXPECT_EQ(images.size(), 1U) << client.texts();
    return std::pair{images.empty() ? Image() : images[0], client.texts()};
  };
  ServerOptions options;
  options.shared.noise = (folder_ / "noise").string();
  start(options);
  EXPECT_THAT(image_by(port()).second, HasSubstr("WRN the noise of measurement '../7' is not known here"));
  Client first(port());
  first.begin("default", with("<measurementID>../7</measurementID>"));
  for (const Acquisition& one : noise) first.send(one);
  first.send(Close());
  EXPECT_TRUE(first.rest().empty());
  EXPECT_THAT(first.texts(), HasSubstr("the noise of measurement '../7' is kept"));
  const auto [made, texts] = image_by(port());

  ReconOptions recon;
  recon.cg_sense.iterations = 6;
  use_usual_lambda(recon, false, false);
  const Reconstruction expected = reconstruct(ctx, read_ismrmrd(ctx, file()), recon);
  EXPECT_EQ(difference(values_of(ctx, made), expected.images.slice(0)), 0);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_ / "noise"), {}), 1);  // a name is no path
  EXPECT_FALSE(std::filesystem::exists(folder_ / "7"));

  // Another server finds it on the disk.
  Server later(ctx,
               [&] {
                 ServerOptions again = options;
                 again.port = 0;
                 return again;
               }(),
               {});
  std::atomic<bool> stops{false};
  std::thread thread([&] { later.run([&] { return stops.load(); }); });
  EXPECT_EQ(difference(values_of(ctx, image_by(later.port()).first), expected.images.slice(0)), 0);
  stops = true;
  thread.join();
}

TEST_F(ServerTest, ParametersAsPythonServersTakeThem) {
  const Sent sent = measured(40);
  start();
  Client client(port());
  client.send(ConfigFile{"default"});
  client.send(Header{sent.header + '\0'});
  client.send(Text{R"({"parameters": {"config": "default", "method": "gridding", "sendOriginal": "true"}})"});
  for (const Acquisition& one : sent.acquisitions) client.send(one);
  client.send(Close());
  EXPECT_EQ(client.rest().size(), 1U) << client.texts();
  EXPECT_THAT(client.texts(),
              HasSubstr("WRN parameters that are no options of a reconstruction were left out: sendOriginal"));
  EXPECT_THAT(client.texts(), ::testing::Not(HasSubstr("Coil maps")));
}

TEST_F(ServerTest, EightClientsAtOnceLoseNoImage) {
  static_cast<void>(measured(60));
  start();
  ReplayOptions options;
  options.to = "127.0.0.1:" + std::to_string(port());
  options.config = R"({"method": "gridding", "spokes-per-frame": 20})";
  options.clients = 8;
  options.warm_up = 1;
  const ReplayReport report = replay(ctx, file(), options);
  EXPECT_EQ(report.images, 24U);
  EXPECT_EQ(report.warm_up_ms.size(), 8U);
  EXPECT_EQ(report.latencies_ms.size(), 16U);
  EXPECT_THAT(report.errors, ::testing::IsEmpty());
  EXPECT_THAT(latency_histogram({0.9, 1.1, 1.2, 3}), HasSubstr("up to        2 ms       2 ####"));
}

TEST_F(ServerTest, ASecondQuestionOfAScannerIsNoMeasurement) {
  start();
  Client client(port());
  client.send(ConfigFile{"default"});
  client.send(Close());
  EXPECT_TRUE(client.rest().empty());
  EXPECT_TRUE(client.closed());
  EXPECT_EQ(client.texts(), "");
}

}  // namespace
}  // namespace whorl::serve
