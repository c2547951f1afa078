#include "whorl/serve/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "io/ismrmrd/file.hpp"
#include "serve/mrd_reader.hpp"
#include "serve/mrd_writer.hpp"
#include "serve/tcp.hpp"

namespace whorl {

template <>
const OptionTable<ReplayOptions>& option_table<ReplayOptions>() {
  using Options = ReplayOptions;
  static const OptionTable<Options> table =
      OptionTable<Options>("replay")
          .text("to", &Options::to, "HOST:PORT of the server")
          .text("config", &Options::config,
                "The name of one of the server's reconstructions, or options as JSON: '{\"iterations\": 10}'")
          .real("tr", &Options::interval_ms, OptionRange::at_least(0), "ms",
                "From one readout to the next; 0: as fast as they are taken")
          .integer("clients", &Options::clients, {1, 1000}, "", "How many send the scan at once")
          .integer("warm-up", &Options::warm_up, {0, 1'000'000}, "",
                   "First images of each client whose latencies are told apart: they wait for coil maps and lambda");
  return table;
}

namespace {

using serve::Clock;

struct Recording {
  std::string header;
  std::vector<std::vector<std::byte>> messages;  // encoded acquisitions
};

struct Target {
  std::string host;
  int port = 0;
};

Target target_of(const std::string& to) {
  const std::size_t colon = to.rfind(':');
  const std::string digits = colon == std::string::npos ? std::string() : to.substr(colon + 1);
  const bool is_port =
      !digits.empty() && digits.size() <= 5 && digits.find_first_not_of("0123456789") == std::string::npos;
  if (!is_port || colon == 0 || std::stoi(digits) > 65535) {
    throw ValueError(fmt::format("replay: to is '{}', expected HOST:PORT, such as 127.0.0.1:9002", to));
  }
  return {to.substr(0, colon), std::stoi(digits)};
}

template <std::size_t N>
void copy_to(const std::array<float, N>& from, float (&to)[N]) {
  std::copy(from.begin(), from.end(), std::begin(to));
}

ISMRMRD::ISMRMRD_AcquisitionHeader raw_head(const io::AcquisitionHead& from, Index number) {
  ISMRMRD::ISMRMRD_AcquisitionHeader head{};
  head.version = 1;
  head.flags = from.flags;
  head.scan_counter = static_cast<std::uint32_t>(number);
  head.acquisition_time_stamp = static_cast<std::uint32_t>(number);
  head.number_of_samples = from.number_of_samples;
  head.available_channels = from.active_channels;
  head.active_channels = from.active_channels;
  head.discard_pre = from.discard_pre;
  head.discard_post = from.discard_post;
  head.center_sample = from.center_sample;
  head.encoding_space_ref = from.encoding_space_ref;
  head.trajectory_dimensions = from.trajectory_dimensions;
  head.sample_time_us = from.sample_time_us;
  copy_to(from.position, head.position);
  copy_to(from.read_dir, head.read_dir);
  copy_to(from.phase_dir, head.phase_dir);
  copy_to(from.slice_dir, head.slice_dir);
  const io::AcquisitionCounters& idx = from.idx;
  head.idx.kspace_encode_step_1 = idx.kspace_encode_step_1;
  head.idx.kspace_encode_step_2 = idx.kspace_encode_step_2;
  head.idx.average = idx.average;
  head.idx.slice = idx.slice;
  head.idx.contrast = idx.contrast;
  head.idx.phase = idx.phase;
  head.idx.repetition = idx.repetition;
  head.idx.set = idx.set;
  head.idx.segment = idx.segment;
  return head;
}

Recording record(const Context& ctx, const std::filesystem::path& scan) {
  const io::IsmrmrdFile file(scan, "dataset");
  Recording made{file.read_xml(), {}};
  const std::vector<io::AcquisitionHead> heads = file.read_heads();
  made.messages.resize(heads.size());
  file.read_acquisitions(
      ctx, heads, [](Index) { return io::AcquisitionParts{}; },
      [&](Index number, std::span<const float> trajectory, std::span<const std::complex<float>> samples) {
        const auto place = static_cast<std::size_t>(number);
        made.messages[place] = serve::encode(serve::Acquisition{
            raw_head(heads[place], number), {trajectory.begin(), trajectory.end()}, {samples.begin(), samples.end()}});
      });
  return made;
}

class Client {
 public:
  Client(const Recording& recording, const ReplayOptions& options, const Target& target)
      : recording_(recording), options_(options), stream_(serve::connect_tcp(target.host, target.port, {})) {}

  void run(const Context& ctx) {
    std::thread receiver([this] { receive(); });
    std::string failure;
    try {
      send(ctx);
    } catch (const serve::StreamEnded&) {
      failure = "the server ended the connection before all was sent";
    } catch (const Cancelled& error) {
      failure = error.what();
      stream_->interrupt();
    }
    receiver.join();
    if (error_.empty()) error_ = failure;
  }

  std::size_t images() const { return latencies_ms_.size(); }
  const std::vector<double>& latencies_ms() const { return latencies_ms_; }
  const std::vector<std::string>& texts() const { return texts_; }
  const std::string& error() const { return error_; }

 private:
  void send(const Context& ctx) {
    const bool is_text = options_.config.find_first_of("{<") != std::string::npos;
    stream_->write(is_text ? serve::encode(serve::ConfigText{options_.config})
                           : serve::encode(serve::ConfigFile{options_.config}));
    stream_->write(serve::encode(serve::Header{recording_.header}));
    const Clock::time_point start = Clock::now();
    for (std::size_t i = 0; i < recording_.messages.size(); ++i) {
      if (options_.interval_ms > 0) {
        const std::chrono::duration<double, std::milli> after(options_.interval_ms * static_cast<double>(i));
        std::this_thread::sleep_until(start + std::chrono::duration_cast<Clock::duration>(after));
      }
      ctx.check_cancel("replay");
      stream_->write(recording_.messages[i]);
      const std::scoped_lock lock(guard_);
      sent_.push_back(Clock::now());
    }
    stream_->write(serve::encode(serve::Close()));
  }

  void receive() {
    try {
      serve::MrdReader reader(*stream_);
      while (const std::optional<serve::Message> message = reader.next()) {
        if (std::holds_alternative<serve::Close>(*message)) return;
        if (const auto* image = std::get_if<serve::Image>(&*message)) take(*image);
        if (const auto* text = std::get_if<serve::Text>(&*message)) take(*text);
      }
      if (error_.empty()) error_ = "the server ended the connection without a close message";
    } catch (const Error& error) {
      if (error_.empty()) error_ = error.what();
    }
  }

  void take(const serve::Image& image) {
    const Clock::time_point now = Clock::now();
    const std::scoped_lock lock(guard_);
    // An image may be here before its last readout is noted as sent.
    const std::size_t last = image.head.acquisition_time_stamp;
    const Clock::time_point then = last < sent_.size() ? sent_[last] : now;
    latencies_ms_.push_back(std::chrono::duration<double, std::milli>(now - then).count());
  }

  void take(const serve::Text& text) {
    texts_.push_back(text.text);
    if (text.text.starts_with("ERR ")) error_ = text.text.substr(4);
  }

  const Recording& recording_;
  const ReplayOptions& options_;
  std::unique_ptr<serve::TcpStream> stream_;
  std::mutex guard_;
  std::vector<Clock::time_point> sent_;
  std::vector<double> latencies_ms_;
  std::vector<std::string> texts_;
  std::string error_;
};

}  // namespace

ReplayReport replay(const Context& ctx, const std::filesystem::path& scan, const ReplayOptions& options) {
  check_options(options);
  const Target target = target_of(options.to);
  const Recording recording = record(ctx, scan);
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < options.clients; ++i) clients.push_back(std::make_unique<Client>(recording, options, target));
  std::vector<std::thread> threads;
  threads.reserve(clients.size());
  for (const auto& client : clients) threads.emplace_back([&] { client->run(ctx); });
  for (std::thread& thread : threads) thread.join();
  ctx.check_cancel("replay");
  ReplayReport report;
  report.texts = clients.front()->texts();
  for (const auto& client : clients) {
    report.images += client->images();
    const std::vector<double>& all = client->latencies_ms();
    const auto warm = all.begin() + std::min<std::ptrdiff_t>(options.warm_up, std::ssize(all));
    report.warm_up_ms.insert(report.warm_up_ms.end(), all.begin(), warm);
    report.latencies_ms.insert(report.latencies_ms.end(), warm, all.end());
    if (!client->error().empty()) report.errors.push_back(client->error());
  }
  std::sort(report.warm_up_ms.begin(), report.warm_up_ms.end());
  std::sort(report.latencies_ms.begin(), report.latencies_ms.end());
  return report;
}

std::string latency_histogram(const std::vector<double>& latencies_ms) {
  constexpr double widest = 50;
  std::map<int, std::size_t> counts;  // by the exponent of the upper bound
  for (const double latency : latencies_ms)
    ++counts[latency > 0 ? static_cast<int>(std::ceil(std::log2(latency))) : -4];
  std::size_t most = 0;
  for (const auto& [exponent, count] : counts) most = std::max(most, count);
  std::string text;
  for (const auto& [exponent, count] : counts) {
    const auto width =
        static_cast<std::size_t>(std::ceil(widest * static_cast<double>(count) / static_cast<double>(most)));
    text += fmt::format("up to {:>8g} ms {:>7} {}\n", std::exp2(exponent), count, std::string(width, '#'));
  }
  return text;
}

}  // namespace whorl
