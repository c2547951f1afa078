// The parts of Canny on a CPU, each in its versions.
#pragma once

#include "studies/image_filters/canny/canny.hpp"

namespace whorl::studies::image_filters::host {

/// Light [height, width].
Array<Byte> light(const Context& ctx, const Job& job);

/// A gray picture with a frame of its opposite edges.
Array<Byte> framed(const Context& ctx, const Array<Byte>& gray, int frame);

/// The Gaussian and the slopes with a test of edges for each neighbor.
template <class Real>
Array<Byte> smooth(const Context& ctx, const Job& job);
template <class Real>
Slopes<Real> slopes(const Context& ctx, const Array<Byte>& smoothed);

/// The Gaussian and the slopes on padded pictures, without tests, in float.
Array<Byte> smooth_padded(const Context& ctx, const Job& job);
Slopes<float> slopes_padded(const Context& ctx, const Array<Byte>& smoothed);

/// Slopes whose lengths have a frame of zeros [height + 2, width + 2], and which direction they have: the angle is not
/// needed, only in which eighth of a turn it lies, and two products tell that.
struct Sectors {
  Array<float> length;
  Array<Byte> direction;
};
Sectors sectors(const Context& ctx, const Array<Byte>& smoothed);

/// Marks [height, width] of slopes. By branches: a chain of comparisons of the angle. By table: the angle as the index
/// of a table of neighbors, lengths with a frame of zeros.
template <class Real>
Array<Byte> thin_by_branches(const Context& ctx, const Slopes<Real>& slopes);
Array<Byte> thin_by_printed_table(const Context& ctx, const Slopes<float>& slopes);
Array<Byte> thin_by_table(const Context& ctx, const Slopes<float>& slopes);
Array<Byte> thin_by_sectors(const Context& ctx, const Sectors& sectors);

/// Edges [height, width] of marks. One pass: a weak mark stays where a strong one is beside it, but what is beside that
/// one does not learn of it. By divisions: the quotients by `strong` of the eight neighbors are added, without a
/// branch; as integers they are 1 for strong marks and 0 for weak ones, as floats not.
void one_pass(const Context& ctx, const Array<Byte>& marks, Byte* edges);
template <class Number>
void one_pass_by_division(const Context& ctx, const Array<Byte>& marks, Byte* edges);
/// All connected marks, at any distance.
void connected(const Context& ctx, const Array<Byte>& marks, Byte* edges);

}  // namespace whorl::studies::image_filters::host
