// MRD v1 as bytes. Layouts are written out by hand, from ISMRMRD's documentation: members one after another without gaps, but
// for waveforms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "serve/mrd_reader.hpp"
#include "serve/mrd_writer.hpp"
#include "support/memory_stream.hpp"
#include "whorl/core/error.hpp"

namespace whorl::serve {
namespace {

using ::testing::HasSubstr;

// Bytes put together word by word, in little endian.
class ByHand {
 public:
  ByHand& word(std::uint64_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) made_.push_back(static_cast<std::byte>(value >> (8 * i) & 0xFFU));
    return *this;
  }
  ByHand& number(float value) { return word(std::bit_cast<std::uint32_t>(value), 4); }
  ByHand& zeros(std::size_t bytes) { return word(0, 0).fill(bytes); }
  ByHand& text(std::string_view letters) {
    for (const char letter : letters) made_.push_back(static_cast<std::byte>(letter));
    return *this;
  }
  std::vector<std::byte> take() const { return made_; }

 private:
  ByHand& fill(std::size_t bytes) {
    made_.resize(made_.size() + bytes);
    return *this;
  }
  std::vector<std::byte> made_;
};

ByHand acquisition_head(std::uint16_t samples, std::uint16_t channels, std::uint16_t dimensions) {
  ByHand bytes;
  bytes.word(1008, 2).word(1, 2).word(std::uint64_t{1} << 18U, 8);  // version, flags: noise
  bytes.word(77, 4).word(5, 4).word(123456, 4).zeros(12);           // measurement, scan counter, time stamps
  bytes.word(samples, 2).word(9, 2).word(channels, 2).zeros(128);   // samples, available and active channels, mask
  bytes.word(1, 2).word(2, 2).word(3, 2).word(4, 2).word(dimensions, 2).number(2.5F);
  for (int i = 0; i < 15; ++i) bytes.number(static_cast<float>(i));  // position, three directions, table
  for (std::uint16_t i = 0; i < 17; ++i) bytes.word(10U + i, 2);     // counters, and eight of users
  return bytes.zeros(64);                                            // numbers of users
}

template <class T>
T read_one(std::vector<std::byte> bytes, std::size_t at_once = 1000, MessageLimits limits = {}) {
  test::MemoryStream stream(std::move(bytes), at_once);
  std::optional<Message> message = MrdReader(stream, limits).next();
  return std::get<T>(message.value());
}

template <class Expected>
std::string refusal_of(const std::vector<std::byte>& bytes, MessageLimits limits = {}) {
  test::MemoryStream stream(bytes);
  MrdReader reader(stream, limits);
  try {
    static_cast<void>(reader.next());
  } catch (const Expected& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

TEST(MrdCodec, TextsLoseTheZerosAtTheirEnd) {
  EXPECT_EQ(read_one<Text>(ByHand().word(5, 2).word(3, 4).text("ab").word(0, 1).take()).text, "ab");
  EXPECT_EQ(read_one<ConfigFile>(ByHand().word(1, 2).text("live").zeros(1020).take()).name, "live");
  EXPECT_EQ(read_one<ConfigText>(ByHand().word(2, 2).word(2, 4).text("{}").take()).text, "{}");
  EXPECT_EQ(read_one<Header>(ByHand().word(3, 2).word(4, 4).text("<a/>").take()).xml, "<a/>");
  static_cast<void>(read_one<Close>(ByHand().word(4, 2).take()));
}

TEST(MrdCodec, AnAcquisitionHasTheMembersOfItsLayout) {
  ByHand bytes = acquisition_head(2, 3, 1);
  bytes.number(0.25F).number(-0.5F);
  for (int i = 0; i < 12; ++i) bytes.number(static_cast<float>(i));
  for (const std::size_t at_once : {1, 7, 1000}) {
    const auto read = read_one<Acquisition>(bytes.take(), at_once);
    EXPECT_EQ(read.head.flags, std::uint64_t{1} << 18U);
    EXPECT_EQ(read.head.measurement_uid, 77U);
    EXPECT_EQ(read.head.acquisition_time_stamp, 123456U);
    EXPECT_EQ(read.head.active_channels, 3);
    EXPECT_EQ(read.head.discard_pre, 1);
    EXPECT_EQ(read.head.center_sample, 3);
    EXPECT_EQ(read.head.trajectory_dimensions, 1);
    EXPECT_EQ(float{read.head.sample_time_us}, 2.5F);
    EXPECT_EQ(float{read.head.slice_dir[2]}, 11.0F);
    EXPECT_EQ(read.head.idx.slice, 13);
    EXPECT_EQ(read.head.idx.segment, 18);
    EXPECT_EQ(read.trajectory, (std::vector<float>{0.25F, -0.5F}));
    ASSERT_EQ(read.samples.size(), 6U);
    EXPECT_EQ(read.samples[5], std::complex<float>(10, 11));
    EXPECT_EQ(encode(read), bytes.take());
  }
}

TEST(MrdCodec, ImagesWaveformsAndArraysComeBackAsTheyWent) {
  Image image;
  image.head.data_type = ISMRMRD::ISMRMRD_SHORT;
  image.head.channels = 2;
  const std::array<std::uint16_t, 3> matrix{3, 5, 1};
  std::copy(matrix.begin(), matrix.end(), std::begin(image.head.matrix_size));
  image.attributes = "<ismrmrdMeta/>";
  image.pixels.resize(60, std::byte{7});
  const auto image_back = read_one<Image>(encode(image), 11);
  EXPECT_EQ(image_back.attributes, image.attributes);
  EXPECT_EQ(image_back.pixels, image.pixels);
  EXPECT_EQ(encode(image).size(), 2U + 198 + 8 + 14 + 60);

  Waveform waveform;
  waveform.head.channels = 2;
  waveform.head.number_of_samples = 3;
  waveform.head.waveform_id = 9;
  waveform.values = {1, 2, 3, 4, 5, 6};
  const std::vector<std::byte> bytes = encode(waveform);
  EXPECT_EQ(bytes.size(), 2U + 40 + 24);
  EXPECT_EQ(bytes[2 + 28], std::byte{3});  // gaps as a C compiler leaves them
  EXPECT_EQ(bytes[2 + 36], std::byte{9});
  EXPECT_EQ(read_one<Waveform>(bytes).values, waveform.values);

  const NdArray array{ISMRMRD::ISMRMRD_FLOAT, {2, 3}, std::vector<std::byte>(24, std::byte{1})};
  ByHand by_hand;
  by_hand.word(1030, 2).word(5, 2).word(0, 2).word(2, 2).word(2, 8).word(3, 8);
  std::vector<std::byte> expected = by_hand.take();
  expected.resize(expected.size() + 24, std::byte{1});
  EXPECT_EQ(encode(array), expected);
  EXPECT_EQ(read_one<NdArray>(expected).extents, array.extents);
}

TEST(MrdCodec, SizesBeyondTheLimitsAreRefusedBeforeMemoryIsTaken) {
  EXPECT_THAT(refusal_of<IoError>(ByHand().word(5, 2).word(0xFFFFFFFF, 4).take()),
              HasSubstr("(text): its characters take 4.29497e+09 bytes"));
  EXPECT_THAT(refusal_of<IoError>(acquisition_head(65535, 65535, 3).take()), HasSubstr("its samples take 3.43"));
  ByHand array;
  array.word(1030, 2).word(8, 2).word(0, 2).word(7, 2);
  for (int i = 0; i < 7; ++i) array.word(~std::uint64_t{0}, 8);
  EXPECT_THAT(refusal_of<IoError>(array.take()), HasSubstr("its elements take"));
  EXPECT_THAT(refusal_of<IoError>(ByHand().word(1030, 2).word(5, 2).word(0, 2).word(60000, 2).take()),
              HasSubstr("60000 axes, at most 7"));
  EXPECT_THAT(refusal_of<IoError>(ByHand().word(1030, 2).word(99, 2).word(0, 2).word(1, 2).take()),
              HasSubstr("data type 99"));
}

// Were memory taken for what the head promises, 34 GB would be asked for.
TEST(MrdCodec, MemoryGrowsWithWhatArrives) {
  EXPECT_THAT(refusal_of<StreamEnded>(acquisition_head(65535, 65535, 0).take(), {.data = std::size_t{1} << 40}),
              HasSubstr("the stream ends within it"));
  EXPECT_THAT(
      refusal_of<StreamEnded>(ByHand().word(5, 2).word(0xFFFFFFFF, 4).text("a").take(), {.text = std::size_t{1} << 40}),
      HasSubstr("the stream ends within it"));
}

TEST(MrdCodec, AnEndBetweenMessagesIsNoneAndUnknownNumbersAreRefused) {
  test::MemoryStream stream(ByHand().word(4, 2).take());
  MrdReader reader(stream);
  EXPECT_TRUE(reader.next().has_value());
  EXPECT_FALSE(reader.next().has_value());
  EXPECT_THAT(refusal_of<StreamEnded>(ByHand().word(4, 1).take()), HasSubstr("1 bytes or more are missing"));
  EXPECT_THAT(refusal_of<IoError>(ByHand().word(4711, 2).take()), HasSubstr("4711 stands for no message"));
}

TEST(MrdCodec, HeadsMustCountWhatIsThere) {
  Acquisition acquisition;
  acquisition.head.number_of_samples = 4;
  acquisition.head.active_channels = 1;
  EXPECT_THROW(static_cast<void>(encode(acquisition)), IoError);
  EXPECT_THROW(static_cast<void>(encode(ConfigFile{std::string(1024, 'a')})), IoError);
}

}  // namespace
}  // namespace whorl::serve
