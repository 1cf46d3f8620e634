#include "routing_options.hpp"

#include <string>
#include <vector>

#include "choice.hpp"

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
      .add_option("--queue-pairs", routing.queue_pairs,
                  "Queue pairs from one NIC to another, for --routing e-ecmp.")
      ->type_name("N")
      ->check(CLI::Range(1, kMostQueuePairs).description(""))
      ->capture_default_str();
  command
      .add_option("--hash-seed", routing.hash_seed,
                  "Follow one launch flow by flow, with this seed of the switches' hash functions. "
                  "Without it hashed loads are expected values.")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 62).description(""));
}

}  // namespace zonecut::cli
