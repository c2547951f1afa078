// The program, with static libraries.
#include "cli/program.hpp"

int main(int argc, char** argv) { return whorl_program(argc, argv); }
