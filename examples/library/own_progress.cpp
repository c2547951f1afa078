// A progress bar of one's own, and Ctrl-C, which stops the reconstruction and leaves no file.
#include <csignal>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "whorl/core/error.hpp"
#include "whorl/io/image_writer.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/recon/reconstruct.hpp"

namespace {

/// A line for each stage, with how much of it is done. Stages may contain stages.
class Bar final : public whorl::ProgressSink {
 public:
  void begin(std::string_view stage, whorl::Index total) override {
    stages_.push_back({std::string(stage), total});
    draw(0);
  }
  void update(whorl::Index done, std::string_view /*detail*/) override { draw(done); }
  void end() override {
    std::cerr << '\n';
    stages_.pop_back();
  }

 private:
  struct Stage {
    std::string name;
    whorl::Index total;
  };

  void draw(whorl::Index done) const {
    const Stage& stage = stages_.back();
    std::cerr << '\r' << stage.name;
    if (stage.total > 0) std::cerr << ": " << 100 * done / stage.total << " %";
    std::cerr << std::flush;
  }

  std::vector<Stage> stages_;
};

// The handler of a signal has no arguments. The token may be used in it.
whorl::CancelToken& token() {
  static whorl::CancelToken shared;
  return shared;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: example_own_progress SCAN IMAGE\n";
    return 2;
  }
  token();
  std::signal(SIGINT, [](int) { token().request(); });
  try {
    const whorl::Context ctx({.progress = std::make_shared<Bar>(), .cancel = token()});
    const whorl::Reconstruction result = whorl::reconstruct(ctx, whorl::read_scan(ctx, argv[1]));
    whorl::write_image(ctx, argv[2], result.images, result.frames);
  } catch (const whorl::Cancelled&) {
    std::cerr << "\nstopped\n";
    return 130;
  } catch (const whorl::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
