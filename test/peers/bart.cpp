#include "peers/bart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "support/run_process.hpp"

namespace whorl::test {

namespace {

using Complex = std::complex<float>;

// `bart` on the path, or nothing.
std::string bart_program() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const auto program = std::filesystem::path(folder) / "bart";
    if (std::filesystem::exists(program)) return program.string();
  }
  return {};
}

// BART's format: extents in a text file, complex floats in another, the first axis fastest.
void write_cfl(const std::filesystem::path& name, const std::vector<Index>& extents, const std::vector<Complex>& data) {
  std::ofstream header(name.string() + ".hdr");
  header << "# Dimensions\n";
  for (const Index extent : extents) header << extent << ' ';
  header << '\n';
  std::ofstream(name.string() + ".cfl", std::ios::binary)
      .write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size() * sizeof(Complex)));
}

}  // namespace

bool bart_is_there() { return !bart_program().empty(); }

void run_bart(const std::filesystem::path& folder, const std::string& arguments) {
  std::vector<std::string> command{bart_program()};
  std::istringstream words(arguments);
  for (std::string word; words >> word;) command.push_back(word);
  const ProcessResult result = run_process(command, {.folder = folder});
  if (result.exit_code != 0) throw std::runtime_error("bart " + arguments + ": " + result.err);
}

Bart::Bart(const Scan& scan, const ScanFrame& frame, ArrayRef<const float> weights)
    : matrix_(scan.matrix), coils_(scan.coils) {
  const Index samples = frame.trajectory->samples();
  const auto k = frame.trajectory->points.view<2>();
  std::vector<Complex> trajectory;
  for (Index j = 0; j < samples; ++j) {
    for (Index axis = 0; axis < 3; ++axis) {
      const double n = static_cast<double>(matrix_[static_cast<std::size_t>(axis)]);
      trajectory.emplace_back(axis < k.extent(1) ? static_cast<float>(k(j, axis) * n) : 0.0F);
    }
  }
  write_cfl(folder_ / "t", {3, samples, 1}, trajectory);
  const auto d = frame.data.span();
  write_cfl(folder_ / "d", {1, samples, 1, coils_}, {d.begin(), d.end()});
  std::vector<Complex> weighted(d.begin(), d.end());
  for (std::size_t i = 0; i < weighted.size(); ++i)
    weighted[i] *= weights.span()[i % static_cast<std::size_t>(samples)];
  write_cfl(folder_ / "dw", {1, samples, 1, coils_}, weighted);
}

std::vector<Complex> Bart::read(const std::string& name) const {
  std::ifstream header(folder_ / (name + ".hdr"));
  std::string line;
  std::getline(header, line);
  std::size_t count = 1;
  for (std::size_t extent = 0; header >> extent;) count *= extent;
  std::vector<Complex> data(count);
  std::ifstream file(folder_ / (name + ".cfl"), std::ios::binary);
  file.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(count * sizeof(Complex)));
  if (!file) throw std::runtime_error("bart: '" + name + "' is shorter than its header says");
  return data;
}

std::vector<float> Bart::magnitude(const std::string& name) const {
  const auto data = read(name);
  std::vector<float> result(data.size());
  std::transform(data.begin(), data.end(), result.begin(), [](Complex z) { return std::abs(z); });
  return result;
}

std::string Bart::size(Index limit) const {
  return fmt::format("{}:{}:{}", std::min(limit, matrix_[0]), std::min(limit, matrix_[1]), std::min(limit, matrix_[2]));
}

std::vector<float> Bart::adjoint() const {
  run(fmt::format("nufft -a -P -d {} t dw coils", size(1 << 20)));
  run("rss 8 coils image");
  return magnitude("image");
}

std::vector<float> Bart::pics(int iterations, double lambda) const {
  if (coils_ == 1) {
    run(fmt::format("ones 3 {} {} {} maps", matrix_[0], matrix_[1], matrix_[2]));
  } else {
    run(fmt::format("nufft -i -P -d {} t d low", size(32)));
    run("fft -u 7 low center");
    run(fmt::format("resize -c 0 {} 1 {} 2 {} center full", matrix_[0], matrix_[1], matrix_[2]));
    run(fmt::format("ecalib -m 1 -r 24 -c 0.8 full maps"));
  }
  run(fmt::format("pics -S -l2 -r {} -i {} -t t d maps image", lambda, iterations));
  return magnitude("image");
}

std::vector<Complex> Bart::pics_with(const std::string& options, ArrayRef<const Complex> maps) const {
  const auto values = maps.span();
  write_cfl(folder_ / "given", {matrix_[0], matrix_[1], matrix_[2], coils_}, {values.begin(), values.end()});
  run("pics -w 1 " + options + " -t t d given image");
  return read("image");
}

double Bart::sum_of_wavelets(const std::vector<Complex>& image) const {
  write_cfl(folder_ / "turned", {matrix_[0], matrix_[1]}, image);
  run("wavelet -D 3 turned coefficients");
  const auto sizes = magnitude("coefficients");
  return std::accumulate(sizes.begin(), sizes.end(), 0.0);
}

}  // namespace whorl::test
