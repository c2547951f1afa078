// The symbols that the shared libraries export: the names in public headers, and no others.
#pragma once

/// Marks the body of a public header's namespace: `namespace WHORL_PUBLIC whorl {`. The libraries are compiled with
/// hidden symbols, so what is declared elsewhere stays inside the library that has it.
#if defined(_WIN32)
#define WHORL_PUBLIC
#else
#define WHORL_PUBLIC [[gnu::visibility("default")]]
#endif
