#include "api/credentials.hpp"

#include <httplib.h>

#include <algorithm>

#include "zonecut/base/document.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes {
namespace {

constexpr std::chrono::seconds kReadAgain{5};
constexpr std::size_t kLargestToken = 1u << 20;

/// What may stand in a header: visible ASCII.
bool is_token(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char character) {
    return character > ' ' && character < '\x7f';
  });
}

std::string without_line_end(std::string text) {
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  return text;
}

std::string fixed_header(const ApiAccess& access) {
  if (!access.token.empty()) {
    if (!is_token(access.token))
      throw InputError("token", "holds characters that no token has, expected visible ASCII");
    return "Bearer " + access.token;
  }
  if (access.user_name.empty()) return {};
  return httplib::make_basic_authentication_header(access.user_name, access.password).second;
}

}  // namespace

Credentials::Credentials(const ApiAccess& access)
    : file_(access.token_file), header_(fixed_header(access)) {}

std::string Credentials::authorization() {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (!file_.empty() && (is_expired_ || now - read_at_ >= kReadAgain)) {
    read_at_ = now;
    is_expired_ = false;
    read_token_file();
  }
  return header_;
}

bool Credentials::expire() {
  const std::lock_guard lock(mutex_);
  is_expired_ = true;
  return !file_.empty();
}

void Credentials::read_token_file() {
  std::string reason = "holds no token";
  try {
    const std::string token = without_line_end(read_file(file_, kLargestToken));
    if (is_token(token)) {
      header_ = "Bearer " + token;
      return;
    }
  } catch (const InputError& error) {
    reason = error.problems().front().what;
  }
  if (header_.empty()) throw IoError(file_, reason);
}

}  // namespace zonecut::kubernetes
