// The files that go into a result, read and hashed while the work goes on.
#pragma once

#include <filesystem>
#include <future>
#include <vector>

#include "whorl/io/record.hpp"

namespace whorl::job {

class InputDescriptions {
 public:
  /// Begins in a thread of its own.
  explicit InputDescriptions(std::vector<std::filesystem::path> files);
  /// Ends the thread: work that failed does not wait for it.
  ~InputDescriptions() { stop_.request_cancel(); }
  InputDescriptions(const InputDescriptions&) = delete;
  InputDescriptions& operator=(const InputDescriptions&) = delete;

  /// Waits for the descriptions, in the order of the files; once. Throws IoError naming the file, Cancelled.
  std::vector<InputFile> get(const Context& ctx);

 private:
  Context stop_;  // another than the work's, whose flag is not ours to set
  std::future<std::vector<InputFile>> found_;
};

}  // namespace whorl::job
