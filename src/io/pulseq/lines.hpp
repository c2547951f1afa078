// The lines of a Pulseq file, and the numbers in them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/pulseq/sequence.hpp"

namespace whorl::io::pulseq {

/// Lines without comments and blanks at their ends. Empty ones are skipped.
class Lines {
 public:
  Lines(const Context& ctx, std::string_view text, const std::string& source)
      : ctx_(&ctx), rest_(text), source_(source) {}

  /// The next line; false at the end.
  bool next(std::string_view& line);
  /// The line that next gave is given again.
  void put_back() { again_ = true; }

  /// Throws IoError that names the file and the line.
  [[noreturn]] void fail(const std::string& reason) const;

  /// The words of the current line: numbers of any kind. Throws IoError unless there are `least` to `most`.
  std::vector<double> numbers(std::size_t least, std::size_t most) const;
  /// The words of the current line.
  std::vector<std::string_view> words() const;
  /// A word as a finite number.
  double number(std::string_view word) const;
  /// A number as that of an event, from `least` on.
  Id id(double number, Id least = 0) const;
  /// A number that counts something, up to `most`.
  Index count(double number, Index most) const;

 private:
  const Context* ctx_;
  std::string_view rest_;
  const std::string& source_;
  std::string_view line_;
  Index number_ = 0;
  bool again_ = false;
};

}  // namespace whorl::io::pulseq
