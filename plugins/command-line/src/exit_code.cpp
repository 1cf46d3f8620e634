#include "exit_code.hpp"

#include <array>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>
#include <utility>

#include "zonecut/base/text_check.hpp"

namespace zonecut::cli {
namespace {

constexpr std::array<std::pair<ExitCode, std::string_view>, 5> kNames = {{
    {ExitCode::Done, "done"},
    {ExitCode::BadInput, "bad-input"},
    {ExitCode::NoPlacement, "no-placement"},
    {ExitCode::IoFailed, "io-failed"},
    {ExitCode::OurDefect, "our-defect"},
}};

Failure single(ExitCode code, std::string what, std::string hint = {}) {
  return {code, {{"", std::move(what), std::move(hint)}}};
}

}  // namespace

std::string_view code_name(ExitCode code) {
  for (const auto& [known, name] : kNames) {
    if (known == code) return name;
  }
  return "our-defect";
}

Failure current_failure() {
  try {
    throw;
  } catch (const InputError& error) {
    return {ExitCode::BadInput, error.problems()};
  } catch (const IoError& error) {
    return single(ExitCode::IoFailed, error.what());
  } catch (const std::bad_alloc&) {
    return single(ExitCode::IoFailed, "not enough memory");
  } catch (const std::exception& error) {
    return single(ExitCode::OurDefect, error.what(), "a defect of zonecut; please report it");
  }
}

std::string to_lines(const Failure& failure) {
  std::string text;
  for (const Problem& problem : failure.problems)
    text += "zonecut: " + harmless(to_text(problem)) + "\n";  // messages quote what others wrote
  return text;
}

std::string to_json(const Failure& failure) {
  nlohmann::ordered_json object;
  object["schema"] = "zonecut.error/v1";
  object["code"] = code_name(failure.code);
  object["exit"] = static_cast<int>(failure.code);
  object["problems"] = nlohmann::ordered_json::array();
  for (const Problem& problem : failure.problems) {
    object["problems"].push_back(
        {{"where", problem.where}, {"what", problem.what}, {"hint", problem.hint}});
  }
  // Texts quote the user's bytes, which need not be UTF-8.
  return object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace zonecut::cli
