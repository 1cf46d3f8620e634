#include "program.hpp"

int main(int argc, char** argv) {
  return static_cast<int>(zonecut::cli::run_program({argv + (argc > 0 ? 1 : 0), argv + argc}));
}
