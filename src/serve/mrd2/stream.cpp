#include "whorl/serve/stream.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <span>
#include <string_view>

#include "io/bytes/printable.hpp"
#include "serve/mrd2/encoder.hpp"
#include "serve/mrd2/header_xml.hpp"
#include "serve/mrd2/items.hpp"
#include "serve/mrd2/schemas.hpp"
#include "serve/reconstructor.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

template <>
const OptionTable<StreamOptions>& option_table<StreamOptions>() {
  using Options = StreamOptions;
  static const OptionTable<Options> table =
      OptionTable<Options>("stream")
          .group("Stream")
          .text("config", &Options::config, "Reconstruction: a name, or options as JSON or XML (docs/howto/serve.md)")
          .choice("schema", &Options::schema,
                  {{"as-read", MrdSchema::as_read}, {"2.1.1", MrdSchema::v2_1_1}, {"2.2.1", MrdSchema::v2_2_1}},
                  "Schema of the output: that of the input, or that of a version of MRD")
          .part(&Options::shared);
  return table;
}

namespace serve::mrd2 {

namespace {

using Level = ServerEvent::Level;

// Pipes and files.
class DescriptorStream final : public ByteStream {
 public:
  DescriptorStream(const Context& ctx, int from, int to) : ctx_(ctx), from_(from), to_(to) {}

  void await(Awaited /*what*/) override {}
  std::size_t read_some(std::span<std::byte> to) override {
    wait(from_, POLLIN);
    const ssize_t count = ::read(from_, to.data(), to.size());
    if (count < 0) throw StreamEnded(fmt::format("the stream can not be read: {}", std::strerror(errno)));
    return static_cast<std::size_t>(count);
  }
  void write(std::span<const std::byte> bytes) override {
    while (!bytes.empty()) {
      wait(to_, POLLOUT);
      const ssize_t count = ::write(to_, bytes.data(), bytes.size());
      if (count < 0) throw StreamEnded(fmt::format("the images can not be written: {}", std::strerror(errno)));
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
  }
  void interrupt() override {}

 private:
  // Waits in steps, so that Ctrl-C ends it.
  void wait(int descriptor, short events) const {
    constexpr int look_ms = 100;
    pollfd one{descriptor, events, 0};
    int ready = 0;
    do {
      ctx_.check_cancel("the stream");
      ready = ::poll(&one, 1, look_ms);
    } while (ready == 0 || (ready < 0 && errno == EINTR));
  }

  const Context& ctx_;
  int from_;
  int to_;
};

// The steps of the protocol Mrd.
struct Steps {
  const Type* header;  ///< optional
  const Type* item;
};

Steps steps_of(const Schema& schema) {
  const auto& steps = schema.steps();
  if (schema.protocol() == "Mrd" && steps.size() == 2 && steps[0].name == "header" && steps[0].type->is_optional() &&
      steps[1].type->kind == Kind::stream && steps[1].type->item->kind == Kind::choice) {
    return {steps[0].type, steps[1].type->item};
  }
  throw IoError(fmt::format("the stream is of the protocol '{}', expected 'Mrd' with a header and data",
                            io::printable(schema.protocol())));
}

Schema output_schema(const Schema& read, MrdSchema asked) {
  if (asked == MrdSchema::as_read) return read;
  return Schema(asked == MrdSchema::v2_1_1 ? schema_2_1_1 : schema_2_2_1);
}

class Filter {
 public:
  Filter(const Context& ctx, ByteStream& stream, Ground& ground, const StreamOptions& options, const Server::Log& log)
      : stream_(stream),
        decoder_(stream, ground.most_bytes),
        options_(options),
        work_(ctx, ground, "the stream",
              {[&log](Level level, const std::string& text) {
                 if (log) log({.level = level, .what = "told", .text = text});
               },
               [this](const OutgoingImage& image, ImageOutput output) { write_item(image_item(image, output)); }}) {}

  StreamReport run() {
    work_.take_config(options_.config);
    const Schema schema = decoder_.read_schema();
    const Steps from = steps_of(schema);
    const Schema written = output_schema(schema, options_.schema);
    to_ = steps_of(written);
    const Json header = decoder_.read(*from.header, "header");
    if (header.is_null()) throw IoError("the stream has no header; send one, with the encoding");
    work_.take_header(header_xml(*from.header, header));
    encoder_.write_schema(written);
    encoder_.write(*to_.header, header);
    flush();
    while (const std::uint64_t count = decoder_.read_count("data")) {
      for (std::uint64_t i = 0; i < count; ++i) take(decoder_.read(*from.item, "data"));
    }
    work_.finish();
    encoder_.write_count(0);
    flush();
    return {work_.acquisitions(), work_.images()};
  }

 private:
  void take(const Json& item) {
    const auto& tag = item.at("tag").get_ref<const std::string&>();
    if (tag == "acquisition") return work_.add(acquisition_of(item.at("value")), Clock::now());
    const bool is_image = tag.starts_with("image");
    if (is_image || tag == "acquisitionBucket" || tag == "reconData") {
      throw Unsupported(fmt::format("the stream has an item '{}', only acquisitions are taken; send the measurement",
                                    io::printable(tag)));
    }
  }

  void write_item(const Json& item) {
    encoder_.write_count(1);
    encoder_.write(*to_.item, item);
    flush();
  }

  void flush() { stream_.write(encoder_.take()); }

  ByteStream& stream_;
  Decoder decoder_;
  Encoder encoder_;
  const StreamOptions& options_;
  Steps to_{};
  Reconstructor work_;
};

}  // namespace

}  // namespace serve::mrd2

StreamReport reconstruct_stream(const Context& ctx, int from, int to, const StreamOptions& options,
                                const Server::Log& log) {
  check_options(options);
  serve::Ground ground(options.shared);
  serve::mrd2::DescriptorStream stream(ctx, from, to);
  try {
    return serve::mrd2::Filter(ctx, stream, ground, options, log).run();
  } catch (const serve::mrd2::Json::exception&) {
    throw IoError("the stream: its schema has other members than those of MRD 2.1.1 and 2.2.1 have in common");
  }
}

}  // namespace whorl
