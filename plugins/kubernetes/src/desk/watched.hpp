#pragma once
// A question to the book that may plan, with what became of it told to whoever observes.
#include <chrono>
#include <string>

#include "desk/desk.hpp"

namespace zonecut::kubernetes {

template <class Ask>
auto Desk::watched(const std::string& gang, const Ask& ask) {
  const Reservation* const before = book_.reservation(gang);
  const std::uint64_t number = before == nullptr ? 0 : before->number;
  const std::uint64_t attempts = book_.attempts();
  const auto begin = std::chrono::steady_clock::now();
  auto answer = ask();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const Reservation* const after = book_.reservation(gang);
  if (after == nullptr) {
    note_wait(gang, book_.attempts() == attempts ? 0 : seconds);
  } else if (after->number != number) {
    tell_planned(gang, *after, seconds);
  }
  tell_replanned();
  return answer;
}

}  // namespace zonecut::kubernetes
