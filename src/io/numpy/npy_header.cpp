#include "io/numpy/npy_header.hpp"

#include <fmt/format.h>

#include <charconv>
#include <vector>

#include "io/bytes/printable.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

constexpr std::size_t most_axes = 64;  // NumPy's limit

class Parser {
 public:
  Parser(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  NpyHeader parse() {
    NpyHeader header;
    bool has_type = false;
    bool has_order = false;
    bool has_shape = false;
    expect("{");
    while (!accept("}")) {
      const std::string key = text();
      expect(":");
      if (key == "descr" && !has_type) {
        header.type = accept("[") ? fields() : text();
        has_type = true;
      } else if (key == "fortran_order" && !has_order) {
        header.fortran_order = truth();
        has_order = true;
      } else if (key == "shape" && !has_shape) {
        header.shape = shape();
        has_shape = true;
      } else {
        fail(fmt::format("the key '{}' is not known, or comes twice", printable(key)));
      }
      if (!accept(",")) {
        expect("}");
        break;
      }
    }
    skip_space();
    if (!rest_.empty()) fail("there is text after the dictionary");
    if (!has_type || !has_order || !has_shape) fail("'descr', 'fortran_order' or 'shape' is missing");
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw IoError(fmt::format("'{}' is not a valid .npy file: header: {}; write it anew with numpy.save", file_, what));
  }

  void skip_space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n"), rest_.size())); }

  bool accept(std::string_view token) {
    skip_space();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  void expect(std::string_view token) {
    if (!accept(token)) fail(fmt::format("expected '{}' at '{}'", token, printable(rest_, 20)));
  }

  std::string text() {
    const std::string_view quote = accept("'") ? "'" : "\"";
    if (quote == "\"") expect(quote);
    const std::size_t end = rest_.find(quote);
    if (end == std::string_view::npos) fail("a text has no end");
    std::string value(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return value;
  }

  /// The fields of a structured type to their closing bracket, "[('a', '<f4'), ...]".
  std::string fields() {
    const std::string_view start = rest_;
    for (int depth = 1; depth > 0;) {
      const std::size_t next = rest_.find_first_of("[]'\"");
      if (next == std::string_view::npos) fail("a structured type has no end");
      const char found = rest_[next];
      rest_.remove_prefix(next);
      if (found == '\'' || found == '"') {
        text();
      } else {
        depth += found == '[' ? 1 : -1;
        rest_.remove_prefix(1);
      }
    }
    return "[" + std::string(start.substr(0, start.size() - rest_.size()));
  }

  bool truth() {
    if (accept("True")) return true;
    expect("False");
    return false;
  }

  Shape shape() {
    std::vector<Index> extents;
    expect("(");
    while (!accept(")")) {
      skip_space();
      Index extent = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
      if (error != std::errc{} || extent < 0) fail(fmt::format("expected an extent at '{}'", printable(rest_, 20)));
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      if (extents.size() == most_axes) fail(fmt::format("more than {} axes", most_axes));
      extents.push_back(extent);
      if (!accept(",")) {
        expect(")");
        break;
      }
    }
    try {
      return Shape(std::move(extents));
    } catch (const ShapeError& error) {
      fail(error.what());
    }
  }

  std::string_view rest_;
  const std::string& file_;
};

}  // namespace

std::string format_npy_header(const NpyHeader& header) {
  std::string extents;
  for (const Index extent : header.shape) extents += fmt::format("{}, ", extent);
  // One extent keeps its comma, which makes it a tuple; more lose the last one, as NumPy writes them.
  if (header.shape.rank() == 1) extents.pop_back();
  if (header.shape.rank() > 1) extents.resize(extents.size() - 2);
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}), }}", header.type,
                     header.fortran_order ? "True" : "False", extents);
}

NpyHeader parse_npy_header(std::string_view text, const std::string& file) { return Parser(text, file).parse(); }

}  // namespace whorl::io
