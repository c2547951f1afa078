// What follows from the paper by counting: accesses to memory of its loop, and the error of its listing's table.
#pragma once

#include "studies/results.hpp"

namespace whorl::studies::gridding_2d {

/// Accesses of the loop as it is written (section 2.2), 3 n m^2, and with a cache that misses nothing but what it must, n + r^2.
/// The paper's gain of m^2 supposes r^2 = n, and leaves out that 3 of 2 remain.
Table accesses_table();

/// Relative l2 error of a grid by the table that the listing fills, of samples as it makes them: the value at the lower edge of
/// a bin of half a cell, 16 cells wide; positions at multiples of half a cell and 0.001, positive values. Beside it positions
/// anywhere, and the value in the middle of the bin.
Table listing_table();

}  // namespace whorl::studies::gridding_2d
