#include "sha256.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

#include "zonecut/base/error.hpp"

namespace zonecut::cli {

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  const int done =
      EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr);
  ZONECUT_ENSURES(done == 1);
  std::string text;
  for (unsigned int i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

}  // namespace zonecut::cli
