#pragma once
// The errors of zonecut. An expected outcome (no placement exists) is a value, never one of these.
// Exceptions stop in three places only: main, the HTTP handler and each extern "C" hook, which turn
// the class into an exit code, status or return code.
#include <stdexcept>
#include <string>
#include <vector>

namespace zonecut {

/// One mistake in what somebody gave us. `where` is "file:line:column", a JSON pointer or an
/// option's name.
struct Problem {
  std::string where;
  std::string what;  ///< what was found and what was expected
  std::string hint;  ///< how to mend it; may be empty
  friend bool operator==(const Problem&, const Problem&) = default;
};

/// "where: what (hint)"
[[nodiscard]] std::string to_text(const Problem& problem);

/// Bad file, flag or request: exit code 2. Carries every mistake that was found, at least one, in
/// the order of the input.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Problem> problems);
  InputError(std::string where, std::string what, std::string hint = {});
  [[nodiscard]] const std::vector<Problem>& problems() const noexcept { return problems_; }

 private:
  std::vector<Problem> problems_;
};

/// A peer or disk failed: exit code 4.
class IoError : public std::runtime_error {
 public:
  IoError(const std::string& peer, const std::string& what);
};

/// Our own contract is broken: exit code 70.
class InternalError : public std::logic_error {
  using std::logic_error::logic_error;
};

/// Gathers the mistakes of one input so that a user sees all of them at once. Beyond kMaxProblems
/// they are only counted; so are those beyond kMaxEqual with the same text, since every line of a
/// file of the wrong kind has the same mistake.
class ProblemList {
 public:
  static constexpr std::size_t kMaxProblems = 50;
  static constexpr std::size_t kMaxEqual = 5;
  void add(std::string where, std::string what, std::string hint = {});
  [[nodiscard]] bool empty() const noexcept { return problems_.empty(); }
  /// Throws InputError with everything gathered; does nothing when there is nothing.
  void throw_if_any() const;

 private:
  /// The same mistake in other places than those that are listed.
  struct Repeated {
    std::string what;
    std::string hint;
    std::size_t places = 0;
  };

  std::vector<Problem> problems_;
  std::vector<Repeated> repeated_;
  std::size_t omitted_ = 0;
};

[[noreturn]] void contract_broken(const char* condition, const char* file, int line);

}  // namespace zonecut

/// A contract that holds in every build; throws InternalError.
#define ZONECUT_ENSURES(condition) \
  ((condition) ? static_cast<void>(0) : ::zonecut::contract_broken(#condition, __FILE__, __LINE__))

/// A costly check, in debug and CI builds only.
#ifdef ZONECUT_AUDITS
#define ZONECUT_AUDIT(condition) ZONECUT_ENSURES(condition)
#else
#define ZONECUT_AUDIT(condition) static_cast<void>(0)
#endif
