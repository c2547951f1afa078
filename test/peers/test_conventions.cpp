// The table "Other programs" of docs/explain/conventions.md: each row is read from there and held against the program where it
// can be run (BART), or against its documented definition, summed term by term.
//
// The definitions: FINUFFT, "Mathematical definitions of transforms" (type 1 and 2) and the option modeord; SigPy,
// docstring of nufft (coordinates in -n/2 .. n/2, one for each axis of the array in its order; unitary scale); MIRT,
// docstring of dtft (radians, pixels 0 .. N-1 less n_shift); Gadgetron, NFFT.h (trajectory in -1/2 .. 1/2).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <numbers>
#include <sstream>

#include "peers/bart.hpp"
#include "support/compare.hpp"
#include "support/random_trajectory.hpp"
#include "support/run_process.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/op/dft.hpp"

namespace whorl {
namespace {

using ComplexDouble = std::complex<double>;
using Image = Array<ComplexDouble>;

struct Row {
  std::string call, positions, columns, image, gives;

  bool adjoint() const { return gives.find("A^H y") != std::string::npos; }
  bool is(const std::string& program) const { return call.starts_with(program); }
};

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream text(line.substr(1));
  for (std::string cell; std::getline(text, cell, '|');) {
    const auto first = cell.find_first_not_of(' ');
    cells.push_back(first == std::string::npos ? "" : cell.substr(first, cell.find_last_not_of(' ') + 1 - first));
  }
  return cells;
}

std::vector<Row> read_table() {
  std::ifstream file(WHORL_SOURCE_DIR "/docs/explain/conventions.md");
  std::vector<Row> rows;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| call |")) {
      inside = true;
      std::getline(file, line);  // the rule below the head
      continue;
    }
    if (inside && !line.starts_with("|")) break;
    if (!inside) continue;
    const auto cells = cells_of(line);
    if (cells.size() != 5) throw std::runtime_error("docs/explain/conventions.md: expected 5 cells: " + line);
    rows.push_back({cells[0], cells[1], cells[2], cells[3], cells[4]});
  }
  return rows;
}

// One problem: positions, image and samples, with extents that differ and are odd and even.
struct Problem {
  const Context ctx{{.threads = 2}};
  Shape shape;
  Array<double> points;
  Image x;
  Image y;

  explicit Problem(const Shape& image) : shape(image) {
    points = test::random_points(ctx, 23, shape.rank());
    x = test::random_array<double>(ctx, shape.with_front(1), 5);
    y = test::random_array<double>(ctx, {1, 23}, 6);
  }
  int dim() const { return shape.rank(); }
  Index extent(int column) const { return shape[-1 - column]; }
};

// The positions as a row of the table asks for them: unit and order of columns.
Array<double> positions_for(const Row& row, const Problem& problem) {
  Array<double> positions(problem.ctx, problem.points.shape());
  const auto from = problem.points.view<2>();
  const auto to = positions.view<2>();
  for (Index j = 0; j < from.extent(0); ++j) {
    for (int axis = 0; axis < problem.dim(); ++axis) {
      double unit = 0;
      if (row.positions == "k") unit = 1;
      if (row.positions == "N k") unit = static_cast<double>(problem.extent(axis));
      if (row.positions == "2 pi k") unit = 2 * std::numbers::pi;
      const int column = row.columns == "x, y, z" ? axis : problem.dim() - 1 - axis;
      to(j, column) = unit * from(j, axis);
    }
  }
  return positions;
}

// Where the pixel at `index` of an axis goes to or comes from: its index in the image that the row speaks of.
Index shifted(const Row& row, Index index, Index extent) {
  return row.image == "ifftshift" ? (index + extent - extent / 2) % extent : index;
}

// What a definition needs to be told: phase(j, i) of sample j and the pixel with index i[axis] (x first) in the order
// of the program, in radians, and a scale.
struct Definition {
  double sign;
  double scale;
  std::function<double(Index, const std::vector<Index>&)> phase;
};

// sum over pixels (or samples) of value * scale * exp(i sign phase), in whorl's order of pixels.
Image direct_sum(const Row& row, const Problem& problem, const Definition& definition) {
  const Index samples = problem.points.extent(0);
  Image result = zeros<ComplexDouble>(problem.ctx, row.adjoint() ? problem.x.shape() : problem.y.shape());
  for (Index pixel = 0; pixel < problem.shape.size(); ++pixel) {
    std::vector<Index> index;
    Index rest = pixel;
    for (int axis = 0; axis < problem.dim(); ++axis) {
      index.push_back(shifted(row, rest % problem.extent(axis), problem.extent(axis)));
      rest /= problem.extent(axis);
    }
    for (Index j = 0; j < samples; ++j) {
      const ComplexDouble factor = std::polar(definition.scale, definition.sign * definition.phase(j, index));
      if (row.adjoint()) {
        result.data()[pixel] += factor * problem.y.data()[j];
      } else {
        result.data()[j] += factor * problem.x.data()[pixel];
      }
    }
  }
  return result;
}

// FINUFFT's set of modes, in the order that modeord asks for: increasing from -N/2 (rounded to zero), or from 0 up and
// then the negative ones.
Index finufft_mode(Index index, Index extent, int modeord) {
  const Index lowest = extent % 2 == 0 ? -extent / 2 : -(extent - 1) / 2;
  if (modeord == 0) return lowest + index;
  return index < extent + lowest ? index : index - extent;
}

Definition definition_of(const Row& row, const Problem& problem, const Array<double>& positions) {
  const auto k = positions.view<2>();
  const int dim = problem.dim();
  const double voxels = static_cast<double>(problem.shape.size());
  const double sign = row.adjoint() ? 1 : -1;
  const auto sum = [k, dim](const std::function<double(int, Index)>& position, const std::vector<Index>& index, Index j,
                            bool reversed) {
    double phase = 0;
    for (int axis = 0; axis < dim; ++axis) {
      phase += k(j, reversed ? dim - 1 - axis : axis) * position(axis, index[static_cast<std::size_t>(axis)]);
    }
    return phase;
  };
  if (row.is("FINUFFT")) {
    const int modeord = row.call.ends_with("modeord = 1") ? 1 : 0;
    const double isign = row.call.find("isign = +1") != std::string::npos ? 1 : -1;
    return {isign, 1, [&problem, sum, modeord](Index j, const std::vector<Index>& index) {
              return sum([&](int axis,
                             Index i) { return static_cast<double>(finufft_mode(i, problem.extent(axis), modeord)); },
                         index, j, false);
            }};
  }
  if (row.is("SigPy")) {
    return {sign, 1 / std::sqrt(voxels), [&problem, sum](Index j, const std::vector<Index>& index) {
              return sum(
                  [&](int axis, Index i) {
                    const Index n = problem.extent(axis);
                    return 2 * std::numbers::pi * static_cast<double>(i - n / 2) / static_cast<double>(n);
                  },
                  index, j, true);
            }};
  }
  if (row.is("MIRT")) {
    return {sign, 1, [&problem, sum](Index j, const std::vector<Index>& index) {
              const auto n_shift = [&](int axis) { return problem.extent(axis) / 2; };
              return sum([&](int axis, Index i) { return static_cast<double>(i - n_shift(axis)); }, index, j, false);
            }};
  }
  if (row.is("Gadgetron")) {
    return {sign, 0.7, [&problem, sum](Index j, const std::vector<Index>& index) {  // 0.7: a constant not stated
              return sum(
                  [&](int axis, Index i) {
                    return 2 * std::numbers::pi * static_cast<double>(i - problem.extent(axis) / 2);
                  },
                  index, j, false);
            }};
  }
  throw std::runtime_error("no definition for the row of " + row.call);
}

// BART's answer, by its commands on its own files.
Image bart_answer(const Row& row, const Problem& problem, const Array<double>& positions) {
  const test::TemporaryFolder folder;
  const Context& ctx = problem.ctx;
  const Index samples = problem.points.extent(0);
  Array<std::complex<float>> trajectory = zeros<std::complex<float>>(ctx, {samples, 3});
  for (Index j = 0; j < samples; ++j) {
    for (Index axis = 0; axis < problem.dim(); ++axis) {
      trajectory.view<2>()(j, axis) = static_cast<float>(positions.view<2>()(j, axis));
    }
  }
  write_array(ctx, folder / "t.cfl", {.name = "t", .values = std::move(trajectory)});
  const Image& input = row.adjoint() ? problem.y : problem.x;
  Array<std::complex<float>> values(ctx, row.adjoint() ? Shape{samples, 1} : problem.shape);
  for (Index i = 0; i < input.size(); ++i) values.data()[i] = std::complex<float>(input.data()[i]);
  write_array(ctx, folder / "in.cfl", {.name = "in", .values = std::move(values)});
  std::vector<std::string> command{"/usr/bin/env"};
  std::istringstream words(row.call);
  for (std::string word; words >> word;) command.push_back(word == "BART" ? "bart" : word);
  if (row.adjoint()) {
    command.insert(command.end(), {"-d", fmt::format("{}:{}:{}", problem.extent(0), problem.extent(1),
                                                     problem.dim() == 3 ? problem.extent(2) : 1)});
  }
  command.insert(command.end(), {"t", "in", "out"});
  const auto result = test::run_process(command, {.folder = folder.path()});
  if (result.exit_code != 0) throw std::runtime_error("bart nufft: " + result.err);
  const NamedArray out = read_array(ctx, (folder / "out.cfl").string());
  auto answer = converted<ComplexDouble>(ctx, out.values, "out");
  answer.reshape(row.adjoint() ? problem.x.shape() : problem.y.shape());
  return answer;
}

// What the row says that the call gives.
Image promised(const Row& row, const Problem& problem) {
  const Dft<double> dft(problem.ctx, problem.points, problem.shape, 1);
  Image result(problem.ctx, row.adjoint() ? problem.x.shape() : problem.y.shape());
  if (row.adjoint()) {
    dft.adjoint(problem.ctx, problem.y, result);
  } else {
    dft.forward(problem.ctx, problem.x, result);
  }
  const double scale = row.gives.starts_with("sqrt(V) ") ? std::sqrt(static_cast<double>(problem.shape.size())) : 1;
  for (ComplexDouble& value : result.span()) value *= scale;
  return result;
}

// The factor c for which c * b is nearest to a.
ComplexDouble best_factor(const Image& a, const Image& b) {
  ComplexDouble overlap = 0;
  double energy = 0;
  for (Index i = 0; i < a.size(); ++i) {
    overlap += std::conj(b.data()[i]) * a.data()[i];
    energy += std::norm(b.data()[i]);
  }
  return overlap / energy;
}

void PrintTo(const Row& row, std::ostream* out) { *out << row.call; }

class Conventions : public ::testing::TestWithParam<Row> {};

TEST_P(Conventions, TheRowHolds) {
  const Row& row = GetParam();
  if (row.is("BART")) {
    if (!test::bart_is_there()) {
      GTEST_SKIP() << "bart is not on the path (Debian: package bart): nothing to compare with";
    }
    for (const Shape& shape : {Shape{48, 32}, Shape{6, 4, 8}}) {
      const Problem problem(shape);
      const Image answer = bart_answer(row, problem, positions_for(row, problem));
      // -s sums in float: up to 1536 terms of rounding 6e-8, at random. BART's gridding with its default window errs by
      // 0.1 to 0.2 %, which is what this test found, nearly all of it in the scale.
      const bool exact = row.call.find("-s") != std::string::npos;
      EXPECT_LT(test::relative_error(answer, promised(row, problem)), exact ? 1e-5 : 4e-3);
    }
    return;
  }
  const bool even_only = row.is("Gadgetron");
  for (const Shape& shape : {even_only ? Shape{6, 10} : Shape{7, 10}, even_only ? Shape{6, 4, 8} : Shape{6, 5, 8}}) {
    const Problem problem(shape);
    const auto positions = positions_for(row, problem);
    Image expected = promised(row, problem);
    const Image answer = direct_sum(row, problem, definition_of(row, problem, positions));
    if (row.gives.starts_with("c ")) {
      const ComplexDouble factor = best_factor(answer, expected);
      for (ComplexDouble& value : expected.span()) value *= factor;
    }
    // Sums of up to 240 terms in double: rounding of about 1e-15 each.
    EXPECT_LT(test::relative_error(answer, expected), 1e-12);
  }
}

// What the table's remarks say of BART.
TEST(ConventionsOfBart, OddExtentsAndTheEdge) {
  if (!test::bart_is_there()) {
    GTEST_SKIP() << "bart is not on the path (Debian: package bart): nothing to compare with";
  }
  const auto rows = read_table();
  const auto row_of = [&](const std::string& call) {
    return *std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.call == call; });
  };
  const Row exact = row_of("BART nufft -s");
  const Problem odd(Shape{9, 8});
  Image answer = bart_answer(exact, odd, positions_for(exact, odd));
  EXPECT_GT(test::relative_error(answer, promised(exact, odd)), 0.1);
  for (Index j = 0; j < odd.points.extent(0); ++j) {
    answer.data()[j] *= std::polar(1.0, -std::numbers::pi * odd.points.view<2>()(j, 1));
  }
  EXPECT_LT(test::relative_error(answer, promised(exact, odd)), 1e-5);  // as for even extents

  // Adjoint: the same factor's conjugate, before.
  const Row exact_adjoint = row_of("BART nufft -s -a");
  for (const Shape& shape : {Shape{9, 8}, Shape{7, 5, 9}}) {
    Problem problem(shape);
    const auto positions = positions_for(exact_adjoint, problem);
    const Image expected = promised(exact_adjoint, problem);
    EXPECT_GT(test::relative_error(bart_answer(exact_adjoint, problem, positions), expected), 0.1);
    const auto points = problem.points.view<2>();
    for (Index j = 0; j < points.extent(0); ++j) {
      double along_odd = 0;
      for (int axis = 0; axis < problem.dim(); ++axis) {
        if (problem.extent(axis) % 2 == 1) along_odd += points(j, axis);
      }
      problem.y.data()[j] *= std::polar(1.0, std::numbers::pi * along_odd);
    }
    EXPECT_LT(test::relative_error(bart_answer(exact_adjoint, problem, positions), expected), 1e-5);
  }

  Row gridding = row_of("BART nufft -P");
  EXPECT_GT(test::relative_error(bart_answer(gridding, odd, positions_for(gridding, odd)), promised(gridding, odd)),
            0.1);
  gridding.call = "BART nufft";  // without -P; the first two samples lie in the corners, at |k| = 1/2
  const Problem even(Shape{48, 32});
  EXPECT_GT(test::relative_error(bart_answer(gridding, even, positions_for(gridding, even)), promised(gridding, even)),
            0.1);
}

INSTANTIATE_TEST_SUITE_P(Table, Conventions, ::testing::ValuesIn(read_table()), [](const auto& row) {
  std::string name;
  for (const char letter : row.param.call) name += std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
  return name;
});

TEST(ConventionsTable, HasTheRowsOfAllPrograms) {
  const auto rows = read_table();
  for (const std::string program : {"FINUFFT", "BART", "SigPy", "MIRT", "Gadgetron"}) {
    int forward = 0;
    int adjoint = 0;
    for (const Row& row : rows) {
      if (row.is(program)) ++(row.adjoint() ? adjoint : forward);
    }
    EXPECT_GE(forward, 1) << program;
    EXPECT_GE(adjoint, 1) << program;
  }
}

}  // namespace
}  // namespace whorl
