#include "support/run_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace whorl::test {

namespace {

struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("can not make a pipe");
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  void close_end(std::size_t end) {
    if (ends[end] >= 0) ::close(ends[end]);
    ends[end] = -1;
  }
};

// In the child, between fork and exec: system calls only. 0 is the process that writes.
bool join_group(const char* processes) {
  const int file = ::open(processes, O_WRONLY | O_CLOEXEC);
  return file >= 0 && ::write(file, "0", 1) == 1;
}

// Runs in the child too, so it makes system calls only.
[[noreturn]] void become(const std::vector<char*>& arguments, const ProcessOptions& options, const char* group, int out,
                         int err) {
  if (*group != '\0' && !join_group(group)) ::_exit(127);
  if (!options.folder.empty() && ::chdir(options.folder.c_str()) != 0) ::_exit(127);
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  if (!options.standard_output.empty()) out = ::open(options.standard_output.c_str(), O_WRONLY);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  if (options.file_bytes) {
    const rlimit limit{*options.file_bytes, *options.file_bytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  // A test runner in the background has these ignored, and a program inherits that.
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ}) ::signal(number, SIG_DFL);
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

// Reads both pipes until the program closes them, and sends the signals on the way.
void listen(pid_t child, Pipe& out, Pipe& err, const ProcessOptions& options, ProcessResult& result) {
  std::array<pollfd, 2> open{{{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}}};
  const std::array<std::string*, 2> texts{&result.out, &result.err};
  std::size_t sent = 0;
  while (open[0].fd >= 0 || open[1].fd >= 0) {
    ::poll(open.data(), open.size(), -1);
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (open[i].fd < 0 || open[i].revents == 0) continue;
      std::array<char, 4096> buffer{};
      const ssize_t count = ::read(open[i].fd, buffer.data(), buffer.size());
      if (count <= 0) {
        open[i].fd = -1;
      } else {
        texts[i]->append(buffer.data(), static_cast<std::size_t>(count));
      }
    }
    while (sent < options.signals.size() &&
           (result.out + "\n" + result.err).find(options.signals[sent].after) != std::string::npos) {
      ::kill(child, options.signals[sent++].number);
    }
  }
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& command, const ProcessOptions& options) {
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const std::string group = options.group.empty() ? std::string() : (options.group / "cgroup.procs").string();
  Pipe out;
  Pipe err;
  if (options.closed_output) out.close_end(0);
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("can not fork");
  if (child == 0) become(arguments, options, group.c_str(), out.ends[1], err.ends[1]);
  out.close_end(1);
  err.close_end(1);
  ProcessResult result;
  listen(child, out, err, options, result);
  int status = 0;
  ::waitpid(child, &status, 0);
  result.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  if (result.exit_code == 127) throw std::runtime_error("can not run " + command.at(0));
  return result;
}

}  // namespace whorl::test
