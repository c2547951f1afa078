// Clients that lie, break off, are slow or too many: each ends its own connection alone, with a text where it can be told.
#include <limits>

#include "unit/serve/serve_fixture.hpp"

namespace whorl::serve {
namespace {

using ::testing::HasSubstr;

constexpr const char* quick = R"({"method": "gridding"})";

class HostileClients : public ServerTest {
 protected:
  void SetUp() override { sent = measured(24); }

  /// The server still answers somebody else.
  void expect_served() {
    Client client(port());
    client.begin(quick, sent.header);
    for (const Acquisition& one : sent.acquisitions) client.send(one);
    client.send(Close());
    EXPECT_EQ(client.rest().size(), 1U) << client.texts();
  }
  /// What a client is told that sends these bytes after a header.
  std::string told_for(std::span<const std::byte> bytes) {
    Client client(port());
    client.begin(quick, sent.header);
    client.send_bytes(bytes);
    EXPECT_TRUE(client.rest().empty());
    EXPECT_TRUE(client.closed());
    return client.texts();
  }

  /// Has an acquisition arrived?
  bool measures() {
    const auto stream = connect_tcp("127.0.0.1", server().metrics_port(), {});
    const std::string request = "GET /metrics HTTP/1.1\r\n\r\n";
    stream->write(std::as_bytes(std::span(request)));
    return text_of(*stream).find("\nwhorl_acquisitions_total 1\n") != std::string::npos;
  }
  static std::string text_of(TcpStream& stream) {
    std::string text;
    std::array<std::byte, 1000> part{};
    while (const std::size_t count = stream.read_some(part))
      text.append(reinterpret_cast<const char*>(part.data()), count);
    return text;
  }

  Sent sent;
};

TEST_F(HostileClients, LiesAreAnsweredByWhatIsWrong) {
  start();
  Acquisition not_finite = sent.acquisitions.back();
  not_finite.samples[70] = {std::numeric_limits<float>::quiet_NaN(), 0};
  EXPECT_THAT(told_for(encode(not_finite)), HasSubstr("ERR acquisition 0: sample 6 of channel 1 is nan"));
  Acquisition beyond = sent.acquisitions.back();
  beyond.trajectory[3] = std::numeric_limits<float>::infinity();
  EXPECT_THAT(told_for(encode(beyond)), HasSubstr("trajectory column 2 of sample 1 is inf"));
  Acquisition discards = sent.acquisitions.back();
  discards.head.discard_pre = 60;
  discards.head.discard_post = 60;
  EXPECT_THAT(told_for(encode(discards)), HasSubstr("discards 60 + 60 of its 64 samples"));
  std::vector<std::byte> large = encode(sent.acquisitions.back());
  for (const std::size_t place : {2 + 34, 2 + 38})
    large[place] = large[place + 1] = std::byte{0xFF};  // samples, channels
  EXPECT_THAT(told_for(large), HasSubstr("its samples take"));
  const std::vector<std::byte> unknown(2, std::byte{0xEE});
  EXPECT_THAT(told_for(unknown), HasSubstr("61166 stands for no message"));
  Acquisition other = sent.acquisitions.back();
  other.head.active_channels = 1;
  other.samples.resize(64);
  std::vector<std::byte> mixed = encode(sent.acquisitions.back());
  for (const Message& message : {Message(other), Message(Close())}) {
    const std::vector<std::byte> more = encode(message);
    mixed.insert(mixed.end(), more.begin(), more.end());
  }
  EXPECT_THAT(told_for(mixed), HasSubstr("1 channels, those before it 3"));
  Image image;
  image.head.data_type = ISMRMRD::ISMRMRD_FLOAT;
  EXPECT_THAT(told_for(encode(image)), HasSubstr("images are not taken"));
  EXPECT_THAT(told_for(encode(Header{sent.header})), HasSubstr("a second header"));
  expect_served();
}

TEST_F(HostileClients, WhatIsSentInTheWrongOrderIsRefused) {
  start();
  const auto told = [&](const Message& message) {
    Client client(port());
    client.send(message);
    EXPECT_TRUE(client.rest().empty());
    return client.texts();
  };
  EXPECT_THAT(told(sent.acquisitions.back()), HasSubstr("ERR an acquisition came before the header"));
  EXPECT_THAT(told(Header{"<not"}), HasSubstr("ERR the header"));
  EXPECT_THAT(told(Header{"<ismrmrdHeader/>"}), HasSubstr("no encoding"));
  EXPECT_THAT(told(ConfigFile{"/etc/passwd"}), HasSubstr("no reconstruction '/etc/passwd'"));
  EXPECT_THAT(told(ConfigText{"{\"trajectory-from\": \"/etc/passwd\"}"}), HasSubstr("names a file"));
  // An answer is one line of printable letters.
  EXPECT_THAT(told(ConfigFile{"a\nb\x1b[31m"}), HasSubstr("'a\\x0ab\\x1b[31m'"));
  expect_served();
}

TEST_F(HostileClients, ThoseWhoBreakOffAreForgotten) {
  start();
  const std::vector<std::byte> one = encode(sent.acquisitions.back());
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{100}, one.size() - 1, one.size()}) {
    Client client(port());
    client.begin(quick, sent.header);
    client.send_bytes(std::span(one).first(bytes));
    client.hang_up();
  }
  expect_served();
  stop();
  EXPECT_THAT(log(), HasSubstr("failed the client ended the connection without a close message"));
  EXPECT_THAT(log(), HasSubstr("the stream ends within it"));
}

TEST_F(HostileClients, BytesBehindTheCloseDoNoHarm) {
  start();
  Client client(port());
  client.begin(quick, sent.header);
  for (const Acquisition& one : sent.acquisitions) client.send(one);
  client.send(Close());
  client.send_bytes(std::vector<std::byte>(100000, std::byte{0xEE}));
  EXPECT_EQ(client.rest().size(), 1U) << client.texts();
  EXPECT_TRUE(client.closed());
  expect_served();
}

TEST_F(HostileClients, TheSlowAreToldAndLeft) {
  ServerOptions options;
  options.idle_seconds = 0.3;
  options.message_seconds = 0.1;
  start(options);
  Client silent(port());
  Client slow(port());
  slow.send_bytes(std::vector<std::byte>(1, std::byte{5}));
  EXPECT_TRUE(slow.rest().empty());
  EXPECT_THAT(slow.texts(), HasSubstr("ERR the peer sent only a part of a message within 0.1 s"));
  EXPECT_TRUE(silent.rest().empty());
  EXPECT_THAT(silent.texts(), HasSubstr("ERR the peer sent no message within 0.3 s"));
  expect_served();
}

TEST_F(HostileClients, NoMoreConnectionsThanTheLimit) {
  ServerOptions options;
  options.most_connections = 2;
  start(options);
  Client first(port());
  Client second(port());
  first.send(ConfigFile{"default"});
  second.send(ConfigFile{"default"});
  while (log().find("connected", log().find("connected") + 1) == std::string::npos) std::this_thread::yield();
  Client third(port());
  EXPECT_TRUE(third.rest().empty());
  EXPECT_THAT(third.texts(), HasSubstr("ERR 2 connections are served"));
  EXPECT_TRUE(third.closed());
  first.send(Close());
  EXPECT_TRUE(first.rest().empty());
  first.hang_up();
  while (log().find("done") == std::string::npos) std::this_thread::yield();
  stop();
}

TEST_F(HostileClients, AFloodEndsAtTheLimitOfTheData) {
  ServerOptions options;
  options.shared.most_megabytes = 1;
  start(options);
  Client client(port());
  client.begin(quick, sent.header);
  try {
    for (int i = 0; i < 5000; ++i) client.send(sent.acquisitions.back());  // 10 MB
  } catch (const StreamEnded&) {
    SUCCEED() << "the server has closed the connection";
  }
  EXPECT_TRUE(client.rest().empty());
  EXPECT_THAT(client.texts(), HasSubstr("ERR the data of the connection take more than 1 MB"));
  expect_served();
}

TEST_F(HostileClients, LongWorkIsEnded) {
  ServerOptions options;
  options.work_seconds = 0.2;
  start(options);
  Client client(port());
  client.begin(R"({"transform": "exact", "iterations": 1000000, "tolerance": 0, "lambda": 1e-9})", sent.header);
  for (const Acquisition& one : sent.acquisitions) client.send(one);
  client.send(Close());
  EXPECT_TRUE(client.rest().empty());
  EXPECT_THAT(client.texts(), HasSubstr("ERR the work on a message took more than 0.2 s"));
}

TEST_F(HostileClients, AServerThatStopsAnswersFirst) {
  ServerOptions options;
  options.metrics_port = 0;
  start(options);
  Client idle(port());
  idle.send(ConfigFile{"default"});
  Client measuring(port());
  measuring.begin(quick, sent.header);
  measuring.send(sent.acquisitions.front());
  // Both are known, and the second has begun: its acquisition was counted.
  while (!measures()) std::this_thread::yield();
  std::thread stopping([&] { stop(); });
  EXPECT_TRUE(idle.rest().empty());
  EXPECT_THAT(idle.texts(), HasSubstr("ERR the server stops"));
  for (std::size_t i = 1; i < sent.acquisitions.size(); ++i) measuring.send(sent.acquisitions[i]);
  measuring.send(Close());
  EXPECT_EQ(measuring.rest().size(), 1U) << measuring.texts();
  measuring.hang_up();
  idle.hang_up();
  stopping.join();
  EXPECT_THAT(log(), HasSubstr("stopped"));
}

TEST_F(HostileClients, MetricsAndHealthAreToldByHttp) {
  ServerOptions options;
  options.metrics_port = 0;
  start(options);
  expect_served();
  const auto answer = [&](const std::string& request) {
    const auto stream = connect_tcp("127.0.0.1", server().metrics_port(), {});
    stream->write(std::as_bytes(std::span(request)));
    return text_of(*stream);
  };
  EXPECT_THAT(answer("GET /health HTTP/1.1\r\n\r\n"), HasSubstr("200 OK"));
  const std::string metrics = answer("GET /metrics HTTP/1.1\r\n\r\n");
  EXPECT_THAT(metrics, HasSubstr("\nwhorl_images_total 1\n"));
  EXPECT_THAT(metrics, HasSubstr("whorl_image_latency_seconds_bucket{le=\"+Inf\"} 1\n"));
  EXPECT_THAT(answer("GET /etc/passwd HTTP/1.1\r\n\r\n"), HasSubstr("404"));
  EXPECT_THAT(answer(std::string(100000, 'a')), HasSubstr("404"));
}

}  // namespace
}  // namespace whorl::serve
