// Acquisitions that belong to no image: a client and the metrics hear of them, also while frames are live.
#include "unit/serve/serve_fixture.hpp"

namespace whorl::serve {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* live = R"({"method": "gridding", "spokes-per-frame": 20})";
constexpr const char* at_the_close = R"({"method": "gridding"})";

class LeftOut : public ServerTest {
 protected:
  static constexpr std::uint64_t flag_of(ISMRMRD::ISMRMRD_AcquisitionFlags flag) {
    return std::uint64_t{1} << static_cast<unsigned>(flag - 1);
  }
  static void mark(Acquisition& one, ISMRMRD::ISMRMRD_AcquisitionFlags flag) { one.head.flags = flag_of(flag); }

  struct Answer {
    std::vector<Image> images;
    std::string texts;
  };
  Answer answer(const std::string& config, const Sent& sent) {
    Client client(port());
    client.begin(config, sent.header);
    for (const Acquisition& one : sent.acquisitions) client.send(one);
    client.send(Close());
    std::vector<Image> images = client.rest();
    EXPECT_TRUE(client.closed());
    return {std::move(images), client.texts()};
  }
  std::string metrics() {
    const auto stream = connect_tcp("127.0.0.1", server().metrics_port(), {});
    const std::string request = "GET /metrics HTTP/1.1\r\n\r\n";
    stream->write(std::as_bytes(std::span(request)));
    std::string text;
    std::array<std::byte, 1000> part{};
    while (const std::size_t count = stream->read_some(part))
      text.append(reinterpret_cast<const char*>(part.data()), count);
    return text;
  }
  void start_with_metrics() {
    ServerOptions options;
    options.metrics_port = 0;
    start(options);
  }
};

TEST_F(LeftOut, LiveFramesSayWhatTheyLeaveOut) {
  start_with_metrics();
  Sent sent = measured(43);
  const std::size_t first = sent.acquisitions.size() - 43;
  mark(sent.acquisitions[first + 5], ISMRMRD::ISMRMRD_ACQ_IS_NAVIGATION_DATA);
  mark(sent.acquisitions[first + 9], ISMRMRD::ISMRMRD_ACQ_IS_NAVIGATION_DATA);
  sent.acquisitions[first + 7].head.encoding_space_ref = 1;
  const auto [images, texts] = answer(live, sent);
  EXPECT_EQ(images.size(), 2U) << texts;
  const std::string number = std::to_string(first + 5);
  // At once, and only once; then how many there were.
  EXPECT_THAT(texts, HasSubstr("WRN Acquisition " + number +
                               " is left out, and so are others like it: flagged as navigator; keep"));
  EXPECT_THAT(texts, Not(HasSubstr("Acquisition " + std::to_string(first + 9))));
  EXPECT_THAT(texts, HasSubstr("WRN 2 acquisitions flagged as navigator were left out."));
  EXPECT_THAT(texts, HasSubstr("WRN 1 acquisition of encoding 1 was left out."));
  EXPECT_THAT(log(), HasSubstr("told 2 acquisitions flagged as"));
  EXPECT_THAT(metrics(), HasSubstr("\nwhorl_acquisitions_left_out_total 3\n"));
  // A measurement that is reconstructed at its end tells them once, and they are counted too.
  const std::string later = answer(at_the_close, sent).texts;
  EXPECT_THAT(later, HasSubstr("WRN 2 acquisitions flagged as navigator were left out."));
  EXPECT_EQ(later.find("navigator"), later.rfind("navigator"));
  EXPECT_THAT(metrics(), HasSubstr("\nwhorl_acquisitions_left_out_total 6\n"));
}

TEST_F(LeftOut, NoiseThatComesTooLateIsTold) {
  start();
  Sent sent = measured(40);
  sent.acquisitions.push_back(sent.acquisitions.front());
  EXPECT_THAT(answer(live, sent).texts,
              HasSubstr("WRN 1 acquisition flagged as noise, after the noise was estimated was left out."));
  EXPECT_THAT(answer(live, sent).texts,
              AllOf(HasSubstr("send the noise before the readouts of the image"), Not(HasSubstr("keep-flags"))));
  // A client that needs no noise is not told of it.
  const std::string without = R"({"method": "gridding", "spokes-per-frame": 20, "prewhitening": false})";
  EXPECT_THAT(answer(without, sent).texts, Not(HasSubstr("left out")));
}

// One large value is a tenth of the energy and more, which noise has not.
TEST_F(LeftOut, WrongNoiseIsTakenAsItIsOnRequest) {
  start();
  Sent sent = measured(40);
  ASSERT_NE(sent.acquisitions.front().head.flags & flag_of(ISMRMRD::ISMRMRD_ACQ_IS_NOISE_MEASUREMENT), 0U);
  sent.acquisitions.front().samples[7] *= 1e4F;
  EXPECT_THAT(answer(live, sent).texts, HasSubstr("The noise scan is left out"));
  const std::string unjudged = R"({"method": "gridding", "spokes-per-frame": 20, "noise-check": false})";
  const auto [images, texts] = answer(unjudged, sent);
  EXPECT_EQ(images.size(), 2U) << texts;
  EXPECT_THAT(texts, Not(HasSubstr("noise scan is left out")));
}

// Three quarters of the limit, held once although there may yet turn out to be nothing else.
TEST_F(LeftOut, NoiseBeforeTheImageIsCountedOnce) {
  ServerOptions options;
  options.shared.most_megabytes = 1;
  start(options);
  Sent sent = measured(40);
  const Acquisition noise = sent.acquisitions.front();
  const std::size_t copies = (std::size_t{3} << 18) / (noise.samples.size() * sizeof(std::complex<float>));
  sent.acquisitions.insert(sent.acquisitions.begin(), copies, noise);
  const auto [images, texts] = answer(live, sent);
  EXPECT_EQ(images.size(), 2U) << texts;
}

TEST_F(LeftOut, AMeasurementWithoutAnImageIsRefused) {
  start();
  for (const char* config : {live, at_the_close}) {
    Sent sent = measured(20);
    sent.acquisitions.erase(sent.acquisitions.begin(), sent.acquisitions.end() - 20);
    for (Acquisition& one : sent.acquisitions) mark(one, ISMRMRD::ISMRMRD_ACQ_IS_DUMMYSCAN_DATA);
    const auto [images, texts] = answer(config, sent);
    EXPECT_THAT(images, IsEmpty());
    EXPECT_THAT(texts, HasSubstr("no acquisition in it belongs to an image: 20 flagged as dummy"));
  }
}

// As in a file, readouts with this flag are images where nothing else is there. A live scan does not know what is to come.
TEST_F(LeftOut, SurfaceCoilCorrectionAloneIsTheImage) {
  start_with_metrics();
  Sent sent = measured(40);
  for (std::size_t i = sent.acquisitions.size() - 40; i < sent.acquisitions.size(); ++i)
    mark(sent.acquisitions[i], ISMRMRD::ISMRMRD_ACQ_IS_SURFACECOILCORRECTIONSCAN_DATA);
  EXPECT_EQ(answer(at_the_close, sent).images.size(), 1U);
  EXPECT_THAT(metrics(), HasSubstr("\nwhorl_acquisitions_left_out_total 0\n"));
  const Answer told = answer(live, sent);
  EXPECT_THAT(told.images, IsEmpty());
  EXPECT_THAT(told.texts, HasSubstr("keep-flags takes readouts in spite of a flag"));
  EXPECT_THAT(told.texts, HasSubstr("ERR "));
  const std::string kept = R"({"method": "gridding", "spokes-per-frame": 20, "keep-flags": "surface-coil-correction"})";
  const Answer made = answer(kept, sent);
  EXPECT_EQ(made.images.size(), 2U) << made.texts;
}

// A client decides how many encodings it names.
TEST_F(LeftOut, ReasonsAreFew) {
  start();
  Sent sent = measured(40);
  const Acquisition one = sent.acquisitions.back();
  for (std::uint16_t i = 1; i <= 100; ++i) {
    sent.acquisitions.push_back(one);
    sent.acquisitions.back().head.encoding_space_ref = i;
  }
  const auto [images, texts] = answer(live, sent);
  EXPECT_EQ(images.size(), 2U);
  EXPECT_LT(std::count(texts.begin(), texts.end(), '\n'), 60);
  EXPECT_THAT(texts, HasSubstr("WRN 84 acquisitions of further kinds were left out."));
}

}  // namespace
}  // namespace whorl::serve
