// Bytes of a client as a whole measurement: what the server answers, whatever they are.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "serve/mrd2/encoder.hpp"
#include "serve/mrd2/schemas.hpp"
#include "serve/mrd_reader.hpp"
#include "serve/session.hpp"
#include "support/memory_stream.hpp"
#include "whorl/serve/stream.hpp"

namespace whorl::fuzz {

/// A context that has memory for small measurements alone.
inline Context small_context() {
  return Context(Context::Options{.threads = 1, .max_memory = std::size_t{64} << 20}).with(CancelToken());
}

/// Ends work that goes on for long, as a server does.
class Patience {
 public:
  explicit Patience(std::function<void()> end)
      : thread_([this, end = std::move(end)] {
          std::unique_lock lock(guard_);
          if (!changed_.wait_for(lock, std::chrono::seconds(2), [this] { return done_; })) end();
        }) {}
  ~Patience() {
    {
      const std::scoped_lock lock(guard_);
      done_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

 private:
  std::mutex guard_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;
};

/// What a client says, and a place for what it is answered.
class Conversation final : public serve::ByteStream {
 public:
  explicit Conversation(std::vector<std::byte> says) : says_(std::move(says)) {}

  void await(serve::Awaited /*what*/) override {}
  std::size_t read_some(std::span<std::byte> to) override { return interrupted_ ? 0 : says_.read_some(to); }
  void write(std::span<const std::byte> bytes) override { answers_.insert(answers_.end(), bytes.begin(), bytes.end()); }
  void interrupt() override { interrupted_ = true; }

  const std::vector<std::byte>& answers() const { return answers_; }

 private:
  test::MemoryStream says_;
  std::vector<std::byte> answers_;
  std::atomic<bool> interrupted_{false};
};

[[noreturn]] inline void find(const char* what, const std::string& text = {}) {
  std::fprintf(stderr, "%s: %s\n", what, text.c_str());
  std::abort();
}

/// MRD v1: texts, images and one close at the end, whatever came.
inline void answer_session(std::span<const std::byte> bytes) {
  static serve::Ground ground([] {
    SharedServing shared;
    shared.most_megabytes = 4;
    return shared;
  }());
  Conversation talk({bytes.begin(), bytes.end()});
  serve::Session session(talk, small_context(), ground,
                         [](ServerEvent::Level, const std::string&, const std::string&) {});
  {
    const Patience patience([&] { session.stop("it takes long"); });
    session.run();
  }
  test::MemoryStream answers(talk.answers());
  serve::MrdReader reader(answers);
  bool closed = false;
  while (const std::optional<serve::Message> message = reader.next()) {
    if (closed) find("a message behind the close");
    closed = std::holds_alternative<serve::Close>(*message);
    const auto* text = std::get_if<serve::Text>(&*message);
    if (text == nullptr && !closed && !std::holds_alternative<serve::Image>(*message))
      find("a message of another kind");
    if (text == nullptr) continue;
    const auto is_control = [](unsigned char letter) { return letter < 0x20 || letter == 0x7F; };
    if (text->text.size() > 3000 || std::any_of(text->text.begin(), text->text.end(), is_control)) {
      find("no short line of text", text->text);
    }
  }
  if (!closed) find("no close at the end");
}

/// MRD v2: a stream, or an error of whorl's. The first byte says which schema comes before the others: that of a version, or none, so
/// that the bytes bring their own; its highest bit, whether frames are made while data arrive.
inline void filter_stream(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  const auto first = std::to_integer<unsigned>(bytes[0]);
  const int from = ::memfd_create("in", MFD_CLOEXEC);
  const int to = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (from < 0 || to < 0) std::abort();
  const auto put = [&](std::span<const std::byte> some) {
    if (::write(from, some.data(), some.size()) != static_cast<ssize_t>(some.size())) std::abort();
  };
  constexpr unsigned number = 0x7F;
  if ((first & number) < 2) {
    serve::mrd2::Encoder encoder;
    encoder.write_schema(
        serve::mrd2::Schema((first & number) == 0 ? serve::mrd2::schema_2_1_1 : serve::mrd2::schema_2_2_1));
    put(encoder.take());
  }
  put(bytes.subspan(1));
  ::lseek(from, 0, SEEK_SET);
  StreamOptions options;
  options.shared.most_megabytes = 4;
  options.config = first > number ? R"({"spokes-per-frame": 4, "iterations": 2})" : R"({"iterations": 2})";
  const Context ctx = small_context();
  try {
    const Patience patience([&] { ctx.request_cancel(); });
    static_cast<void>(reconstruct_stream(ctx, from, to, options, {}));
  } catch (const Error& error) {
    if (std::string(error.what()).size() > 3000) find("no short line", error.what());
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): the program says so
  }
  ::close(from);
  ::close(to);
}

}  // namespace whorl::fuzz
