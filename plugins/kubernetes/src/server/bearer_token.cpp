#include "server/bearer_token.hpp"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iterator>
#include <utility>

#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes {
namespace {

constexpr std::string_view kScheme = "bearer ";

using Digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

Digest digest_of(std::string_view text) {
  Digest digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return digest;
}

/// Empty where there is none.
std::string read_token(const std::string& path) {
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto is_space = [](unsigned char c) { return std::isspace(c) != 0; };
  text.erase(std::find_if_not(text.rbegin(), text.rend(), is_space).base(), text.end());
  return text;
}

bool has_scheme(std::string_view authorization) {
  return authorization.size() > kScheme.size() &&
         std::equal(kScheme.begin(), kScheme.end(), authorization.begin(),
                    [](char expected, unsigned char c) { return expected == std::tolower(c); });
}

}  // namespace

BearerToken::BearerToken(std::string path)
    : path_(std::move(path)), stamp_(stamp_of(path_)), token_(read_token(path_)) {
  if (token_.empty()) throw InputError(path_, "found no token", "expected a file with one line");
}

bool BearerToken::is_in(std::string_view authorization) {
  if (const FileStamp now = stamp_of(path_); now != stamp_) {
    if (std::string token = read_token(path_); !token.empty()) {
      token_ = std::move(token);
      stamp_ = now;
    }
  }
  if (!has_scheme(authorization)) return false;
  const Digest given = digest_of(authorization.substr(kScheme.size()));
  return CRYPTO_memcmp(given.data(), digest_of(token_).data(), given.size()) == 0;
}

}  // namespace zonecut::kubernetes
