// zonecut serve: places gangs of pods for kube-scheduler, as its extender, and opens scheduling
// gates.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <memory>

#include "commands.hpp"
#include "fabric_assumptions.hpp"
#include "kubernetes_names.hpp"
#include "number_checks.hpp"
#include "output.hpp"
#include "serve/serve.hpp"
#include "situation.hpp"
#include "solver_options.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/threads.hpp"
#include "zonecut_version.hpp"

namespace zonecut::cli {
namespace {

using kubernetes::LeaseName;
using kubernetes::ServeOptions;

constexpr const char* kTopology = "What stands where";
constexpr const char* kAccess = "Who may call";
constexpr const char* kLevels = "--levels";

struct ServeCommand {
  std::string listen = "127.0.0.1:8090";
  std::string kubeconfig;
  std::string context;
  std::string cluster;
  std::string lease;
  std::int64_t reserve = 120;
  std::int64_t patience = 900;
  std::optional<std::size_t> ahead;
  std::vector<std::string> gpus = {"nvidia.com/gpu", "amd.com/gpu"};
  ServeOptions serve;
};

/// "127.0.0.1:8090", "[::1]:0"
void read_address(const std::string& text, kubernetes::ServerOptions& server) {
  const std::size_t colon = text.rfind(':');
  const auto refuse = [&] {
    throw InputError("--listen", fmt::format("\"{}\" is no address and port", text),
                     "such as 127.0.0.1:8090; port 0 takes any that is free");
  };
  if (colon == std::string::npos || colon == 0) refuse();
  server.host = text.substr(0, colon);
  if (server.host.size() > 2 && server.host.front() == '[' && server.host.back() == ']')
    server.host = server.host.substr(1, server.host.size() - 2);
  const std::string port = text.substr(colon + 1);
  if (port.empty() || port.size() > 5 || port.find_first_not_of("0123456789") != std::string::npos)
    refuse();
  server.port = std::stoi(port);
  if (server.port > 65535) refuse();
}

LeaseName read_lease(const std::string& text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  LeaseName lease{text.substr(0, slash), text.substr(std::min(slash + 1, text.size()))};
  if (!is_object_name(lease.name_space) || !is_object_name(lease.name)) {
    throw InputError("--lease", fmt::format("\"{}\" is no lease", text),
                     "expected NAMESPACE/NAME, such as kube-system/zonecut");
  }
  return lease;
}

/// Only extended resources are counted by the piece.
const std::string& read_gpu_resource(const std::string& name) {
  if (name.find('/') == std::string::npos || !is_qualified_name(name)) {
    throw InputError("--gpu-resource", fmt::format("\"{}\" is no extended resource", name),
                     "expected DOMAIN/NAME, such as nvidia.com/gpu; once for each");
  }
  return name;
}

std::optional<std::string> given(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

std::optional<std::string> environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

void wait_for_signal() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  int taken = 0;
  while (::sigwait(&signals, &taken) != 0) {
  }
}

/// What is for nodes alone: a cluster file says all of it itself.
void refuse_beside_cluster(const CLI::App& command) {
  std::vector<std::string> names = fabric_assumption_names();
  names.insert(names.begin(), kLevels);
  ProblemList problems;
  for (const std::string& name : names) {
    if (command.get_option(name)->count() == 0) continue;
    problems.add(name, "with --cluster it makes no difference, as the file says it",
                 "say it in the file, or leave --cluster out");
  }
  problems.throw_if_any();
}

ServeOptions options_of(const ServeCommand& command) {
  ServeOptions options = command.serve;
  read_address(command.listen, options.server);
  options.kubeconfig = given(command.kubeconfig);
  options.context = given(command.context);
  if (!command.cluster.empty()) {
    options.cluster = read_cluster(read_named(command.cluster));
    options.cluster_file = command.cluster;
  } else {
    check_levels(options.import, kLevels);
  }
  if (!command.lease.empty()) options.lease = read_lease(command.lease);
  for (const std::string& name : command.gpus) options.gpus.push_back(read_gpu_resource(name));
  options.book.reserve = command.reserve * 1000;
  options.book.patience = command.patience * 1000;
  options.book.ahead = command.ahead;
  options.version = kVersion;
  return options;
}

/// Answers come from many threads. glibc gives up to eight heaps a processor to them, each of which
/// keeps what its threads ever had at once.
void use_few_heaps() {
#ifdef M_ARENA_MAX
  constexpr int kHeaps = 2;
  (void)mallopt(M_ARENA_MAX, kHeaps);
#endif
}

ExitCode run(const ServeCommand& command) {
  use_few_heaps();
  const SignalsHeld held({SIGINT, SIGTERM, SIGHUP});
  const kubernetes::ServeHooks hooks{
      STDERR_FILENO,
      [](const std::string& address) { write_stdout(fmt::format("listening on {}\n", address)); },
      wait_for_signal, environment};
  kubernetes::serve(options_of(command), hooks);
  return ExitCode::Done;
}

void add_access(CLI::App& command, ServeCommand& options) {
  kubernetes::ServerOptions& server = options.serve.server;
  command
      .add_option("--listen", options.listen,
                  "Address and port for kube-scheduler; port 0 takes any that is free.")
      ->type_name("HOST:PORT")
      ->capture_default_str()
      ->group(kAccess);
  command.add_option("--tls-cert", server.certificate, "Certificate of this server, PEM.")
      ->type_name("FILE")
      ->group(kAccess);
  command.add_option("--tls-key", server.key, "Its private key, PEM.")
      ->type_name("FILE")
      ->group(kAccess);
  command
      .add_option("--client-ca", server.client_ca,
                  "Clients must have a certificate of this authority, PEM.")
      ->type_name("FILE")
      ->group(kAccess);
  command
      .add_option("--token-file", server.token_file,
                  "Clients must carry the bearer token in this file.")
      ->type_name("FILE")
      ->group(kAccess);
}

void add_topology(CLI::App& command, ServeCommand& options) {
  command
      .add_option("--cluster", options.cluster,
                  "A cluster file whose servers are called as the nodes are. Without it the labels "
                  "of the nodes say where they stand.")
      ->type_name("FILE")
      ->group(kTopology);
  command
      .add_option_function<std::string>(
          kLevels,
          [&options](const std::string& text) {
            options.serve.import.level_labels = label_keys(kLevels, text);
          },
          "Label keys of the levels, outermost first, commas between. Without it the first known "
          "set that the nodes carry.")
      ->type_name("KEY,...")
      ->group(kTopology);
  add_fabric_assumptions(command, options.serve.import, kTopology);
  command
      .add_option("--gpu-resource", options.gpus,
                  "An extended resource that is a GPU; once for each.")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->default_str(fmt::format("{}", fmt::join(options.gpus, " and ")))
      ->group(kTopology);
}

void add_conduct(CLI::App& command, ServeCommand& options) {
  constexpr std::uint64_t kDay = 86'400;
  constexpr std::uint64_t kMostAhead = 1'000'000;
  command.add_flag("--gates", options.serve.gates,
                   "Plan pods with the scheduling gate zonecut.dev/placement too: each gets its "
                   "node, and its gate is lifted.");
  command.add_flag("--bind", options.serve.bind, "Answer the verb bind too.");
  command
      .add_option(
          "--reserve", options.reserve,
          "Seconds that a reservation lasts of which no pod waits, or whose missing pods do "
          "not come.")
      ->type_name("SECONDS")
      ->check(WholeNumber(1, kDay))
      ->capture_default_str();
  command
      .add_option("--patience", options.patience,
                  "Seconds after which a gang gives its servers back when none of its waiting pods "
                  "began to run on them.")
      ->type_name("SECONDS")
      ->check(WholeNumber(1, kDay))
      ->capture_default_str();
  command
      .add_option("--ahead", options.ahead,
                  "Pods that do not exist yet for which servers are kept, of all gangs of a "
                  "namespace; half as many as there are servers, at least 64, unless given.")
      ->type_name("PODS")
      ->check(WholeNumber(0, kMostAhead));
  command
      .add_option("--lease", options.lease,
                  "The Lease by which replicas agree on a leader. Without it there is one replica.")
      ->type_name("NAMESPACE/NAME");
}

}  // namespace

void add_serve_command(CLI::App& app, Session& session) {
  auto options = std::make_shared<ServeCommand>();
  // kube-scheduler waits for a plan, and every other answer with it.
  options->serve.book.placement.mapping.effort = Effort::Fast;
  options->serve.book.placement.mapping.threads = 2;
  CLI::App& command = *app.add_subcommand(
      "serve",
      "Place gangs of pods for kube-scheduler, as its extender. Runs until it is stopped; logs one "
      "JSON object a line to stderr.");
  command
      .add_option("--kubeconfig", options->kubeconfig,
                  "How to reach the API server. Without it the service account of the pod that "
                  "this runs in.")
      ->type_name("FILE");
  command
      .add_option("--context", options->context,
                  "Which context of the kubeconfig; its current one unless given.")
      ->type_name("NAME");
  add_access(command, *options);
  add_topology(command, *options);
  add_conduct(command, *options);
  add_solver_options(command, options->serve.book.placement.mapping);
  command.footer("Example:\n  zonecut serve --kubeconfig ~/.kube/config --gates");
  command.callback([options, &command, &session] {
    if (!options->cluster.empty()) refuse_beside_cluster(command);
    session.run = [options](const Session&) { return run(*options); };
  });
}

}  // namespace zonecut::cli
