// MRD v2: the format by hand, both schemas, lies, and a measurement through the filter.
#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "serve/mrd2/encoder.hpp"
#include "serve/mrd2/header_xml.hpp"
#include "serve/mrd2/items.hpp"
#include "serve/mrd2/schemas.hpp"
#include "support/memory_stream.hpp"
#include "unit/serve/serve_fixture.hpp"
#include "whorl/core/error.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/recon/usual_lambda.hpp"
#include "whorl/serve/stream.hpp"

namespace whorl::serve::mrd2 {
namespace {

using ::testing::HasSubstr;

std::vector<std::byte> bytes_from(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

// A protocol of one step.
Schema schema_of(const std::string& type, const std::string& types = "") {
  return Schema(R"({"protocol":{"name":"P","sequence":[{"name":"s","type":)" + type + R"(}]},"types":[)" + types +
                "]}");
}

Json read_one(const std::string& type, const std::vector<std::byte>& bytes, const std::string& types = "",
              std::size_t most = 1 << 20) {
  const Schema schema = schema_of(type, types);
  test::MemoryStream stream(bytes, 3);
  Json value = Decoder(stream, most).read(*schema.steps()[0].type, "s");
  Encoder encoder;
  encoder.write(*schema.steps()[0].type, value);
  EXPECT_EQ(encoder.take(), bytes) << type;
  return value;
}

// The bytes are those that yardl's description of its format gives.
TEST(Mrd2Format, ValuesAsYardlDescribesThem) {
  EXPECT_EQ(read_one(R"("uint32")", bytes_from({0xAC, 0x02})), 300);
  EXPECT_EQ(read_one(R"("int16")", bytes_from({0x03})), -2);
  EXPECT_EQ(read_one(R"("int64")", bytes_from({0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01})),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(read_one(R"("uint64")", bytes_from({0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01})),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(read_one(R"("int8")", bytes_from({0xFE})), -2);
  EXPECT_EQ(read_one(R"("float32")", bytes_from({0, 0, 0x20, 0xC0})), -2.5);
  EXPECT_EQ(read_one(R"("string")", bytes_from({2, 'h', 'i'})), "hi");
  EXPECT_EQ(read_one(R"([null,"uint8"])", bytes_from({0})), nullptr);
  EXPECT_EQ(read_one(R"([null,"uint8"])", bytes_from({1, 7})), 7);
  EXPECT_EQ(read_one(R"([null,{"tag":"A","type":"uint8"},{"tag":"B","type":"string"}])", bytes_from({2, 1, 'x'})),
            (Json{{"tag", "b"}, {"value", "x"}}));
  EXPECT_EQ(read_one(R"({"vector":{"items":"uint16"}})", bytes_from({3, 1, 0x80, 0x01, 2})), (Json{1, 128, 2}));
  EXPECT_EQ(read_one(R"({"vector":{"items":"uint8","length":2}})", bytes_from({5, 6})), (Json{5, 6}));
  EXPECT_EQ(read_one(R"({"map":{"keys":"string","values":"uint8"}})", bytes_from({1, 1, 'k', 9})),
            Json::array({Json::array({"k", 9})}));
  const Json any = read_one(R"({"array":{"items":"uint8"}})", bytes_from({2, 2, 3, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(any["shape"], (Json{2, 3}));
  EXPECT_EQ(any["data"].get_binary().size(), 6U);
  const Json coded =
      read_one(R"({"array":{"items":"uint16","dimensions":[{"name":"a"}]}})", bytes_from({2, 0x80, 0x01, 4}));
  EXPECT_EQ(coded["data"], (Json{128, 4}));
  EXPECT_EQ(read_one(R"({"array":{"items":"uint8","dimensions":[{"length":2},{"length":1}]}})", bytes_from({8, 9})),
            (Json{8, 9}));
  EXPECT_EQ(
      read_one(
          R"("N.R")", bytes_from({4, 1, 'q', 2}),
          R"({"name":"R","fields":[{"name":"n","type":"N.E"},{"name":"g","type":{"name":"N.G","typeArguments":["string"]}},
                         {"name":"h","type":"uint8"}]},
                        {"name":"E","values":[{"symbol":"two","value":2}]},
                        {"name":"G","typeParameters":["T"],"type":"T"})"),
      (Json{{"n", 2}, {"g", "q"}, {"h", 2}}));
}

template <class Expected>
std::string why_not(const std::string& type, const std::vector<std::byte>& bytes, const std::string& types = "") {
  try {
    static_cast<void>(read_one(type, bytes, types));
  } catch (const Expected& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error: " << type;
  return {};
}

TEST(Mrd2Format, LiesAreRefusedBeforeMemoryIsTaken) {
  const std::vector<std::byte> huge = bytes_from({0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F});
  EXPECT_THAT(why_not<IoError>(R"("string")", huge), HasSubstr("a text has"));
  EXPECT_THAT(why_not<IoError>(R"({"array":{"items":"float32","dimensions":1}})", huge),
              HasSubstr("takes more memory"));
  EXPECT_THAT(why_not<IoError>(R"({"array":{"items":"uint8"}})", huge), HasSubstr("axes, at most 32"));
  EXPECT_THAT(why_not<StreamEnded>(R"({"vector":{"items":"uint8"}})", huge), HasSubstr("the stream ends within it"));
  // Records of nothing take no bytes of the stream, so the memory has to end them.
  EXPECT_THAT(why_not<IoError>(R"({"vector":{"items":"Z"}})", huge, R"({"name":"Z","fields":[]})"),
              HasSubstr("takes more memory"));
  EXPECT_THAT(why_not<IoError>(R"([null,"uint8"])", bytes_from({2})), HasSubstr("alternative 2 of a type that has 2"));
  EXPECT_THAT(why_not<IoError>(R"("uint16")", bytes_from({0x80, 0x80, 0x04})), HasSubstr("beyond 16 bits"));
  EXPECT_THAT(why_not<IoError>(R"("uint64")", bytes_from({255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1})),
              HasSubstr("more than 64 bits"));
  EXPECT_THAT(why_not<IoError>(R"("A")", {}, R"({"name":"A","type":"B"},{"name":"B","type":"A"})"),
              HasSubstr("contains itself"));
  EXPECT_THAT(
      why_not<IoError>(R"("G")", {}, R"({"name":"G","fields":[{"name":"a","type":"G"},{"name":"b","type":"G"}]})"),
      HasSubstr("contains itself"));
  EXPECT_THAT(why_not<IoError>(R"("nobody")", {}), HasSubstr("no type 'nobody'"));
  EXPECT_THAT(why_not<IoError>("7", {}), HasSubstr("neither a name"));
  EXPECT_THROW(Schema("{}"), IoError);
  EXPECT_THROW(Schema("["), IoError);
}

TEST(Mrd2Format, SchemasAreThoseOfTheVersions) {
  for (const auto& [text, size] : {std::pair{schema_2_1_1, 21336U}, std::pair{schema_2_2_1, 25152U}}) {
    const Schema schema(text);
    EXPECT_EQ(schema.text().size(), size);
    EXPECT_EQ(schema.protocol(), "Mrd");
    EXPECT_EQ(schema.steps()[1].type->item->members[0].name, "acquisition");
  }
}

// The corpus of the fuzzer has streams that the package mrd-python wrote, behind a number for their schema.
TEST(Mrd2Format, StreamsOfMrdPythonHaveTheirBytesAgain) {
  for (const auto& [name, text] : {std::pair{"2_1_1", schema_2_1_1}, std::pair{"2_2_1", schema_2_2_1}}) {
    std::ifstream file(std::filesystem::path(WHORL_FUZZ_CORPUS) / "mrd2" / name, std::ios::binary);
    const std::string all(std::istreambuf_iterator<char>(file), {});
    ASSERT_GT(all.size(), 300U) << name;
    std::vector<std::byte> bytes(all.size() - 1);
    std::memcpy(bytes.data(), all.data() + 1, bytes.size());
    const Schema schema(text);
    test::MemoryStream stream(bytes, 7);
    Decoder decoder(stream);
    Encoder encoder;
    const Json header = decoder.read(*schema.steps()[0].type, "header");
    EXPECT_EQ(header["encoding"][0]["encodedSpace"]["matrixSize"]["x"], 4);
    encoder.write(*schema.steps()[0].type, header);
    std::string tags;
    const Type& item = *schema.steps()[1].type->item;
    while (const std::uint64_t count = decoder.read_count("data")) {
      encoder.write_count(count);
      for (std::uint64_t i = 0; i < count; ++i) {
        const Json value = decoder.read(item, "data");
        tags += value["tag"].get<std::string>() + " ";
        encoder.write(item, value);
      }
    }
    encoder.write_count(0);
    EXPECT_EQ(tags, "acquisition waveformUint32 imageFloat arrayComplexFloat ");
    EXPECT_EQ(encoder.take(), bytes) << name;
  }
}

Json vector_of(const float (&from)[3]) { return Json::array({from[0], from[1], from[2]}); }

template <class T>
Json array_of(const std::vector<T>& values, const std::vector<std::uint64_t>& shape) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return {{"shape", shape}, {"data", Json::binary(std::move(bytes))}};
}

// An acquisition of v1 as one of v2, with the times of both of its versions.
Json item_of(const Acquisition& one) {
  const std::uint64_t samples = one.head.number_of_samples;
  const std::uint64_t dimensions = one.head.trajectory_dimensions;
  std::vector<float> positions(one.trajectory.size());
  for (std::uint64_t i = 0; i < samples; ++i) {
    for (std::uint64_t d = 0; d < dimensions; ++d) positions[d * samples + i] = one.trajectory[i * dimensions + d];
  }
  const std::uint32_t stamp = one.head.acquisition_time_stamp;
  Json head{{"flags", std::uint64_t{one.head.flags}},
            {"idx", {{"slice", one.head.idx.slice}}},
            {"acquisitionTimeStamp", stamp},
            {"acquisitionTimeStampNs", stamp * std::uint64_t{1000000}},
            {"centerSample", one.head.center_sample},
            {"sampleTimeUs", float{one.head.sample_time_us}},
            {"sampleTimeNs", static_cast<std::uint64_t>(1000 * float{one.head.sample_time_us})},
            {"readDir", vector_of(one.head.read_dir)},
            {"phaseDir", vector_of(one.head.phase_dir)},
            {"sliceDir", vector_of(one.head.slice_dir)}};
  return {{"tag", "acquisition"},
          {"value",
           {{"head", std::move(head)},
            {"data", array_of(one.samples, {one.head.active_channels, samples})},
            {"trajectory", array_of(positions, {dimensions, samples})}}}};
}

constexpr std::int64_t golden_angle = 3;  // of the schema's Trajectory

Json header_of() {
  const Json space{{"matrixSize", {{"x", 32}, {"y", 32}, {"z", 1}}},
                   {"fieldOfViewMm", {{"x", 256.0}, {"y", 256.0}, {"z", 5.0}}}};
  const Json encoding{{"encodedSpace", space}, {"reconSpace", space}, {"trajectory", golden_angle}};
  const Json unit{{"name", "trajectory_unit"}, {"value", std::string(to_string(TrajectoryUnit::cycles_per_pixel))}};
  return {{"experimentalConditions", {{"h1resonanceFrequencyHz", 127740000}}},
          {"subjectInformation", {{"patientID", "<7>"}}},
          {"encoding", Json::array({encoding})},
          {"sequenceParameters", {{"tR", Json::array({3.5})}}},
          {"userParameters", {{"userParameterString", Json::array({unit})}}}};
}

TEST(Mrd2Items, AHeaderIsThatOfVersionOne) {
  const Schema schema(schema_2_2_1);
  Encoder encoder;
  encoder.write(*schema.steps()[0].type, header_of());
  test::MemoryStream stream(encoder.take());
  const std::string xml = header_xml(*schema.steps()[0].type, Decoder(stream).read(*schema.steps()[0].type, "header"));
  EXPECT_THAT(xml, HasSubstr("<H1resonanceFrequency_Hz>127740000</H1resonanceFrequency_Hz>"));
  EXPECT_THAT(xml, HasSubstr("<fieldOfView_mm><x>256</x>"));
  EXPECT_THAT(xml, HasSubstr("<trajectory>goldenangle</trajectory>"));
  EXPECT_THAT(xml, HasSubstr("<TR>3.5</TR>"));
  EXPECT_THAT(xml, HasSubstr("<patientID>&lt;7&gt;</patientID>"));
}

struct Filtered {
  std::vector<std::byte> bytes;
  std::string error;
};

class Mrd2Stream : public ServerTest {
 protected:
  std::vector<std::byte> stream_of(const char* schema_text, const Sent& sent, const Json& extra = {}) {
    const Schema schema(schema_text);
    const Type& item = *schema.steps()[1].type->item;
    Encoder encoder;
    encoder.write_schema(schema);
    encoder.write(*schema.steps()[0].type, header_of());
    if (!extra.is_null()) {
      encoder.write_count(1);
      encoder.write(item, extra);
    }
    encoder.write_count(sent.acquisitions.size());
    for (const Acquisition& one : sent.acquisitions) encoder.write(item, item_of(one));
    encoder.write_count(0);
    return encoder.take();
  }

  Filtered filtered(const std::vector<std::byte>& bytes, const StreamOptions& options) {
    const std::string in = (folder_ / "in").string();
    const std::string out = (folder_ / "out").string();
    std::ofstream(in, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
    const Descriptor from(::open(in.c_str(), O_RDONLY));
    const Descriptor to(::open(out.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600));
    Filtered made;
    try {
      static_cast<void>(reconstruct_stream(ctx, from.get(), to.get(), options, {}));
    } catch (const Error& error) {
      made.error = error.what();
    }
    std::ifstream file(out, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    made.bytes.resize(text.size());
    std::memcpy(made.bytes.data(), text.data(), text.size());
    return made;
  }
};

// The image has the bits of the reconstruction of the file, by either schema and from one to the other.
TEST_F(Mrd2Stream, ImagesAreThoseOfTheFile) {
  const Sent sent = measured(50);
  ReconOptions recon;
  recon.cg_sense.iterations = 6;
  use_usual_lambda(recon, false, false);
  const Reconstruction expected = reconstruct(ctx, read_ismrmrd(ctx, file()), recon);
  const std::uint64_t last = sent.acquisitions.size() - 1;
  for (const auto& [schema, asked, written] : {std::tuple{schema_2_1_1, MrdSchema::as_read, schema_2_1_1},
                                               std::tuple{schema_2_2_1, MrdSchema::as_read, schema_2_2_1},
                                               std::tuple{schema_2_1_1, MrdSchema::v2_2_1, schema_2_2_1},
                                               std::tuple{schema_2_2_1, MrdSchema::v2_1_1, schema_2_1_1}}) {
    StreamOptions options;
    options.config = R"({"output": "complex", "iterations": 6})";
    options.schema = asked;
    const Json waveform{{"tag", "waveformUint32"}, {"value", {{"waveformId", 3}}}};  // passed over
    const Filtered made = filtered(stream_of(schema, sent, waveform), options);
    ASSERT_EQ(made.error, "");
    test::MemoryStream stream(made.bytes);
    Decoder decoder(stream);
    const Schema read = decoder.read_schema();
    EXPECT_EQ(read.text(), written);
    const Json header = decoder.read(*read.steps()[0].type, "header");
    EXPECT_EQ(header["subjectInformation"]["patientID"], "<7>");
    ASSERT_EQ(decoder.read_count("data"), 1U);
    const Json item = decoder.read(*read.steps()[1].type->item, "data");
    EXPECT_EQ(item["tag"], "imageComplexFloat");
    const Json& image = item["value"];
    EXPECT_EQ(image["data"]["shape"], (Json{1, 1, 32, 32}));
    const auto& pixels = image["data"]["data"].get_binary();
    ASSERT_EQ(pixels.size(), expected.images.span().size_bytes());
    EXPECT_EQ(std::memcmp(pixels.data(), expected.images.data(), pixels.size()), 0);
    EXPECT_EQ(image["head"]["fieldOfView"], (Json{256.0, 256.0, 5.0}));
    EXPECT_EQ(image["head"]["imageIndex"], 1);
    const bool is_ns = written == schema_2_2_1;
    EXPECT_EQ(image["head"][is_ns ? "acquisitionTimeStampNs" : "acquisitionTimeStamp"], is_ns ? last * 1000000 : last);
    EXPECT_EQ(decoder.read_count("data"), 0U);
  }
}

TEST_F(Mrd2Stream, FramesHaveTheirCounters) {
  StreamOptions options;
  options.config = R"({"method": "gridding", "spokes-per-frame": 20, "prewhitening": false})";
  const Filtered made = filtered(stream_of(schema_2_1_1, measured(50)), options);
  ASSERT_EQ(made.error, "");
  test::MemoryStream stream(made.bytes);
  Decoder decoder(stream);
  const Schema read = decoder.read_schema();
  static_cast<void>(decoder.read(*read.steps()[0].type, "header"));
  for (int number = 0; number < 2; ++number) {
    ASSERT_EQ(decoder.read_count("data"), 1U);
    const Json item = decoder.read(*read.steps()[1].type->item, "data");
    EXPECT_EQ(item["tag"], "imageFloat");
    EXPECT_EQ(item["value"]["head"]["repetition"], number);
    EXPECT_EQ(item["value"]["head"]["imageType"], 1);
    EXPECT_EQ(item["value"]["meta"][3][0], "WindowWidth");
    EXPECT_GT(item["value"]["meta"][3][1][0]["value"].get<double>(), 0);
  }
  EXPECT_EQ(decoder.read_count("data"), 0U);
}

TEST_F(Mrd2Stream, WhatCanNotBeTakenIsSaid) {
  const Sent sent = measured(24);
  StreamOptions options;
  options.config = R"({"method": "gridding"})";
  std::vector<std::byte> bytes = stream_of(schema_2_2_1, sent);
  const std::vector<std::byte> half(bytes.begin(), bytes.begin() + std::ssize(bytes) / 2);
  EXPECT_THAT(filtered(half, options).error, HasSubstr("the stream ends within it"));
  EXPECT_THAT(filtered({}, options).error, HasSubstr("the stream ends within it"));
  EXPECT_THAT(filtered(std::vector<std::byte>(100), options).error, HasSubstr("does not begin as a stream of yardl"));
  const Json image{{"tag", "imageFloat"}, {"value", Json::object()}};
  EXPECT_THAT(filtered(stream_of(schema_2_1_1, sent, image), options).error, HasSubstr("item 'imageFloat'"));
  Json turned = item_of(sent.acquisitions[0]);
  turned["value"]["phase"] = array_of(std::vector<float>{1, 2}, {2});
  EXPECT_THAT(filtered(stream_of(schema_2_2_1, sent, turned), options).error, HasSubstr("phases"));
  Sent other = sent;
  other.acquisitions.back().samples[3] = {std::numeric_limits<float>::quiet_NaN(), 0};
  EXPECT_THAT(filtered(stream_of(schema_2_1_1, other), options).error, HasSubstr("sample 3 of channel 0 is nan"));
  options.config = "unknown";
  EXPECT_THAT(filtered(bytes, options).error, HasSubstr("no reconstruction 'unknown'"));
}

}  // namespace
}  // namespace whorl::serve::mrd2
