// Whole files as text, and the message of an error.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace whorl::test {

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error("can not read " + path.string());
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// Puts a number in the place of another one, as no writer of whorl would.
template <class T>
void replace_number(const std::filesystem::path& path, T number, T by) {
  const auto bytes = [](T value) { return std::string(reinterpret_cast<const char*>(&value), sizeof(T)); };
  std::string content = read_file(path);
  const std::size_t at = content.find(bytes(number));
  if (at == std::string::npos) throw std::runtime_error(path.string() + " does not hold the number");
  write_file(path, content.replace(at, sizeof(T), bytes(by)));
}

/// The message of the error of type E that `call` throws; fails the test by another exception where it throws none.
template <class E, class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const E& error) {
    return error.what();
  }
  throw std::logic_error("the call threw no error");
}

}  // namespace whorl::test
