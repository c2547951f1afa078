// A server in a thread of the test, and a client that says what the test wants.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <thread>

#include "io/ismrmrd/file.hpp"
#include "serve/mrd_reader.hpp"
#include "serve/mrd_writer.hpp"
#include "serve/received_acquisitions.hpp"
#include "serve/tcp.hpp"
#include "support/phantom_scan.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/io/ismrmrd.hpp"
#include "whorl/serve/server.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl::serve {

/// A measurement as a scanner sends it.
struct Sent {
  std::string header;
  std::vector<Acquisition> acquisitions;  ///< noise first
};

/// The acquisitions of an ISMRMRD file; each one's time stamp is its number.
inline Sent sent_by(const Context& ctx, const std::filesystem::path& path) {
  const io::IsmrmrdFile file(path, "dataset");
  const auto heads = file.read_heads();
  Sent sent{file.read_xml(), std::vector<Acquisition>(heads.size())};
  file.read_acquisitions(
      ctx, heads, [](Index) { return io::AcquisitionParts{}; },
      [&](Index number, auto trajectory, auto samples) {
        const io::AcquisitionHead& from = heads[static_cast<std::size_t>(number)];
        Acquisition& made = sent.acquisitions[static_cast<std::size_t>(number)];
        made.head.flags = from.flags;
        made.head.acquisition_time_stamp = static_cast<std::uint32_t>(number);
        made.head.number_of_samples = from.number_of_samples;
        made.head.active_channels = from.active_channels;
        made.head.center_sample = from.center_sample;
        made.head.trajectory_dimensions = from.trajectory_dimensions;
        made.head.sample_time_us = from.sample_time_us;
        std::copy(from.read_dir.begin(), from.read_dir.end(), std::begin(made.head.read_dir));
        std::copy(from.phase_dir.begin(), from.phase_dir.end(), std::begin(made.head.phase_dir));
        std::copy(from.slice_dir.begin(), from.slice_dir.end(), std::begin(made.head.slice_dir));
        made.head.idx.slice = from.idx.slice;
        made.trajectory.assign(trajectory.begin(), trajectory.end());
        made.samples.assign(samples.begin(), samples.end());
      });
  return sent;
}

class Client {
 public:
  explicit Client(int port) : stream_(connect_tcp("127.0.0.1", port, {})), reader_(*stream_) {}

  void send(const Message& message) { send_bytes(encode(message)); }
  void send_bytes(std::span<const std::byte> bytes) { stream_->write(bytes); }
  void begin(const std::string& config, const std::string& header) {
    send(ConfigText{config});
    send(Header{header});
  }
  /// The next image; fails the test where the connection ends before.
  Image image() {
    while (const std::optional<Message> message = reader_.next()) {
      if (const auto* image = std::get_if<Image>(&*message)) return *image;
      if (const auto* text = std::get_if<Text>(&*message)) texts_ += text->text + "\n";
      if (std::holds_alternative<Close>(*message)) break;
    }
    ADD_FAILURE() << "no image: " << texts_;
    return {};
  }
  /// All images up to the server's close.
  std::vector<Image> rest() {
    std::vector<Image> images;
    while (const std::optional<Message> message = reader_.next()) {
      if (const auto* image = std::get_if<Image>(&*message)) images.push_back(*image);
      if (const auto* text = std::get_if<Text>(&*message)) texts_ += text->text + "\n";
      if (!std::holds_alternative<Close>(*message)) continue;
      closed_ = true;
      return images;
    }
    return images;
  }
  const std::string& texts() const { return texts_; }
  /// Did the server say that it closes?
  bool closed() const { return closed_; }
  void hang_up() { stream_.reset(); }

 private:
  std::unique_ptr<TcpStream> stream_;
  MrdReader reader_;
  std::string texts_;
  bool closed_ = false;
};

class ServerTest : public ::testing::Test {
 protected:
  void start(ServerOptions options = {}) {
    options.port = 0;
    server_.emplace(ctx, options, [this](const ServerEvent& event) {
      const std::scoped_lock lock(guard_);
      log_ += event.what + " " + event.text + "\n";
    });
    thread_ = std::thread([this] { server_->run([this] { return stops_.load(); }); });
  }
  void stop() {
    stops_ = true;
    if (thread_.joinable()) thread_.join();
  }
  void TearDown() override { stop(); }

  // NOLINTBEGIN(bugprone-unchecked-optional-access): SetUp makes it
  int port() const { return server_->port(); }
  Server& server() { return *server_; }
  // NOLINTEND(bugprone-unchecked-optional-access)
  std::string log() {
    const std::scoped_lock lock(guard_);
    return log_;
  }

  /// Golden-angle spokes of the head, with a noise scan unless there is no noise, as a file and as it is sent.
  Sent measured(Index spokes, Index coils = 3, double noise = 0.02) {
    const auto trajectory =
        std::make_shared<const Trajectory>(radial_trajectory(ctx, spokes, 64, SpokeOrder::golden_angle));
    PhantomScanOptions options;
    options.coils = coils;
    options.noise_standard_deviation = noise;
    options.noise_samples = noise > 0 ? 512 : 0;
    Scan scan = test::make_phantom_scan(ctx, trajectory, {32, 32, 1}, options);
    for (ScanFrame& frame : scan.frames) frame.geometry.field_of_view_mm = {256, 256, 5};
    write_ismrmrd(ctx, scan, file());
    return sent_by(ctx, file());
  }
  std::filesystem::path file() const { return folder_ / "scan.h5"; }

  static Array<std::complex<float>> values_of(const Context& ctx, const Image& image) {
    Array<std::complex<float>> values(ctx, {Index{image.head.matrix_size[1]}, Index{image.head.matrix_size[0]}});
    EXPECT_EQ(image.pixels.size(), static_cast<std::size_t>(values.size()) * sizeof(std::complex<float>));
    std::memcpy(values.data(), image.pixels.data(),
                std::min(image.pixels.size(), static_cast<std::size_t>(values.size()) * 8));
    return values;
  }

  Context ctx{Context::Options{.threads = 2}};
  test::TemporaryFolder folder_;

 private:
  std::mutex guard_;
  std::string log_;
  std::optional<Server> server_;
  std::atomic<bool> stops_{false};
  std::thread thread_;
};

}  // namespace whorl::serve
