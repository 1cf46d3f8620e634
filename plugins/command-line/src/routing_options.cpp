#include "routing_options.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "choice.hpp"
#include "number_checks.hpp"
#include "zonecut/base/units.hpp"

namespace zonecut::cli {
namespace {

const std::vector<std::string>& scheme_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const RoutingScheme scheme : kRoutingSchemes) all.emplace_back(routing_name(scheme));
    return all;
  }();
  return names;
}

Bytes window_of(const std::string& text) {
  const std::optional<Bytes> window = parse_bytes(text);
  if (window && window->count > 0) return *window;
  throw InputError("--admission-window", fmt::format("\"{}\" is no size above 0", text),
                   "a number of bytes with its unit, such as 4MiB or 512KiB");
}

}  // namespace

void add_routing_options(CLI::App& command, Routing& routing) {
  command
      .add_option_function<std::string>(
          "--routing",
          [&routing](const std::string& word) {
            routing.scheme = kRoutingSchemes[chosen("--routing", word, scheme_names())];
          },
          "How the fabric spreads flows over its links: ideal (evenly), ecmp, e-ecmp (queue pairs "
          "are hashed apart), pinned (by the destination's port) or te (a controller that knows "
          "the placement).")
      ->type_name("SCHEME")
      ->default_str("ideal");
  command
      .add_option(
          "--queue-pairs", routing.queue_pairs,
          "Queue pairs from one NIC to another, for --routing e-ecmp and for what te has no "
          "rules for.")
      ->type_name("N")
      ->check(WholeNumber(1, kMostQueuePairs))
      ->capture_default_str();
  command
      .add_option("--hash-seed", routing.hash_seed,
                  "Follow one launch flow by flow, with this seed of the switches' hash functions. "
                  "Without it hashed loads are expected values.")
      ->type_name("N")
      ->check(WholeNumber(0, std::uint64_t{1} << 62));
  command
      .add_option_function<std::string>(
          "--admission-window",
          [&routing](const std::string& text) { routing.admission_window = window_of(text); },
          "Receiver-driven admission: a sender has at most so many bytes of one connection under "
          "way, and waits for the receiver to clear more (4MiB is NCCL's buffer). Without it "
          "senders send what they have.")
      ->type_name("SIZE");
}

std::optional<InputError> unused_option(const Routing& routing) {
  if (routing.hash_seed && routing.scheme == RoutingScheme::Ideal) {
    return InputError("--hash-seed", "with ideal balancing nothing is hashed",
                      "use --routing ecmp or e-ecmp");
  }
  if (routing.queue_pairs == 1 || hashes_queue_pairs(routing.scheme)) return std::nullopt;
  return InputError(
      "--queue-pairs",
      fmt::format("with --routing {} they make no difference", routing_name(routing.scheme)),
      "use --routing e-ecmp or te");
}

void refuse_unused(const Routing& routing) {
  if (const auto unused = unused_option(routing)) throw InputError(*unused);
}

}  // namespace zonecut::cli
