#define CATCH_CONFIG_RUNNER
#include "support/catch.hpp"

#include <csignal>

int main(int count, char** words) {
  std::signal(SIGPIPE, SIG_IGN);  // as the program does
  return Catch::Session().run(count, words);
}
