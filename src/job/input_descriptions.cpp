#include "job/input_descriptions.hpp"

#include <chrono>
#include <utility>

namespace whorl::job {

InputDescriptions::InputDescriptions(std::vector<std::filesystem::path> files)
    : stop_({.threads = 1}), found_(std::async(std::launch::async, [stop = stop_, files = std::move(files)] {
        std::vector<InputFile> found;
        for (const auto& file : files) found.push_back(describe_input(stop, file));
        return found;
      })) {}

std::vector<InputFile> InputDescriptions::get(const Context& ctx) {
  while (found_.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    ctx.check_cancel("hashing the input");
  }
  return found_.get();
}

}  // namespace whorl::job
