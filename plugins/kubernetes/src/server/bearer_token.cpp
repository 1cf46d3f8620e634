#include "server/bearer_token.hpp"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "zonecut/base/document.hpp"
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

constexpr std::size_t kFileLimit = 64u << 10;

std::string read_token(const std::string& path) {
  std::string text = read_file(path, kFileLimit);
  const auto is_space = [](unsigned char c) { return std::isspace(c) != 0; };
  text.erase(std::find_if_not(text.rbegin(), text.rend(), is_space).base(), text.end());
  if (text.empty()) throw InputError(path, "found no token", "expected a file with one line");
  return text;
}

bool has_scheme(std::string_view authorization) {
  return authorization.size() > kScheme.size() &&
         std::equal(kScheme.begin(), kScheme.end(), authorization.begin(),
                    [](char expected, unsigned char c) { return expected == std::tolower(c); });
}

}  // namespace

BearerToken::BearerToken(std::string path)
    : path_(std::move(path)), stamp_(stamp_of(path_)), token_(read_token(path_)) {}

void BearerToken::read_again() {
  const FileStamp now = stamp_of(path_);
  if (now == stamp_) return;
  try {
    token_ = read_token(path_);
    stamp_ = now;
  } catch (const InputError&) {  // gone or empty while it is changed
  }
}

bool BearerToken::is_in(std::string_view authorization) {
  read_again();
  if (!has_scheme(authorization)) return false;
  const Digest given = digest_of(authorization.substr(kScheme.size()));
  return CRYPTO_memcmp(given.data(), digest_of(token_).data(), given.size()) == 0;
}

}  // namespace zonecut::kubernetes
