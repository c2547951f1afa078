// The temperature in pictures and in lines.
#pragma once

#include "studies/results.hpp"

namespace whorl::studies::heat {

/// A plane at four times: explicit steps on the torus above, implicit ones between walls below, by the library's
/// filter on the context's device.
NamedPicture temperature_picture(const Context& ctx);

/// A line at some times, by implicit steps and as the equation has it; and the errors of a table of time_orders.
NamedPicture line_picture(const Context& host, const Table& time_orders);

}  // namespace whorl::studies::heat
