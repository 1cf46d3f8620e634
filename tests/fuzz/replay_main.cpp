// Runs a fuzz target on each file of the given folders, in the order of their names.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "fuzz_target.hpp"

int main(int argument_count, char** arguments) {
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argument_count; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(arguments[i]))
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    std::printf("%s\n", file.filename().c_str());  // the last one printed is the one that failed
    std::fflush(stdout);
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream whole;
    whole << stream.rdbuf();
    const std::string text = whole.str();
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  }
  return files.empty() ? 1 : 0;
}
