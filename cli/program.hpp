// The program as a function: main.cpp calls it, or launch.cpp finds it in a library.
#pragma once

#include "whorl/core/export.hpp"

/// Runs the command that the words name and gives the exit code.
extern "C" WHORL_PUBLIC int whorl_program(int argc, char** argv);
