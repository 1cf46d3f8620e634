#include "serve/serve.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <utility>

#include "api/lease.hpp"
#include "serve/errand_runner.hpp"
#include "serve/feeds.hpp"
#include "serve/gang_log.hpp"
#include "serve/routes.hpp"
#include "serve/shape_fetcher.hpp"
#include "server/file_stamp.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes {
namespace {

constexpr std::chrono::milliseconds kLook{200};
/// Between two looks at least, so that a burst of changes is looked at once.
constexpr std::chrono::milliseconds kBreath{5};
constexpr std::chrono::seconds kFileLook{5};

/// A clock that nobody sets: reservations neither end at once nor last for ever when one does.
std::int64_t steady_milliseconds() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

ApiAccess access_of(const ServeOptions& options, const ServeHooks& hooks) {
  if (options.kubeconfig) return read_kubeconfig(*options.kubeconfig, options.context);
  return service_account(hooks.environment);
}

DeskOptions desk_options(ServeOptions& options) {
  DeskOptions desk;
  desk.book = options.book;
  desk.gates = options.gates;
  if (options.cluster) desk.fixed_site = std::make_shared<const Site>(*std::move(options.cluster));
  desk.import = options.import;
  return desk;
}

/// A thread that ends with its scope.
class Loop {
 public:
  template <class Round>
  Loop(const std::atomic<bool>& stop, Round round)
      : thread_([&stop, round] {
          while (!stop) round();
        }) {}
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop() { thread_.join(); }

 private:
  std::thread thread_;
};

std::string identity() {
  std::random_device chance;
  return fmt::format("{}_{}_{:08x}", host_name(), ::getpid(), chance());
}

class Service {
 public:
  Service(ServeOptions options, const ServeHooks& hooks)
      : options_(std::move(options)),
        hooks_(hooks),
        log_(hooks.log),
        metrics_(options_.version),
        client_(access_of(options_, hooks)),
        shapes_(client_, options_.gpus, stop_),
        desk_(
            desk_options(options_),
            [this](const SizeSource& source, const std::string& name_space,
                   std::chrono::milliseconds time) {
              return shapes_.fetch(source, name_space, time);
            },
            gang_log(log_, metrics_, options_.gpus), steady_milliseconds,
            [this](const std::vector<WantedShape>& wanted, std::chrono::milliseconds time) {
              return shapes_.list(wanted, time);
            }),
        server_(options_.server) {
    if (options_.lease) desk_.lead(false);
    add_routes(server_, {desk_, client_, options_.gpus, log_, metrics_, options_.bind,
                         [this] { set_gauges(); }});
  }

  void run() {
    const int port = server_.listen();
    hooks_.listening(fmt::format("{}:{}", options_.server.host, port));
    {
      ErrandRunner runner(client_, identity_, log_, metrics_);
      runner.lead(!options_.lease);
      Feeds feeds(client_, desk_, options_.gpus, bell_, log_, metrics_);
      feeds_ = &feeds;
      std::thread http([this] { server_.run(); });
      std::thread leading([this, &runner] { keep_leading(runner); });
      {
        const Loop looking(stop_, [this, &runner] { look(runner); });
        hooks_.wait_for_stop();
        log_.info("stops");
        stop_ = true;
        bell_.ring();
      }
      leading.join();  // gives the lease up while the client still works
      server_.stop();
      http.join();
      feeds_ = nullptr;
      client_.shut();
    }
  }

 private:
  void look(ErrandRunner& runner) {
    bell_.wait(kLook);
    try {
      runner.add(desk_.errands());
      if (desk_.is_behind()) bell_.ring();
      look_at_cluster_file();
    } catch (const std::exception& error) {
      log_.error("a look failed", {{"why", error.what()}});
    }
    std::this_thread::sleep_for(kBreath);
  }

  /// The one who changed it may believe that this was enough.
  void look_at_cluster_file() {
    const auto now = std::chrono::steady_clock::now();
    if (options_.cluster_file.empty() || now < next_file_look_) return;
    next_file_look_ = now + kFileLook;
    const FileStamp stamp = stamp_of(options_.cluster_file);
    if (stamp == FileStamp{} || stamp == cluster_stamp_) return;
    cluster_stamp_ = stamp;
    log_.warning("the cluster file has changed, and is read at the start only: restart zonecut",
                 {{"file", options_.cluster_file}});
  }

  /// When it returns, a replica that does not lead writes nothing any more.
  void lead(ErrandRunner& runner, bool leads) {
    runner.lead(leads);
    desk_.lead(leads);
    metrics_.set_leader(leads);
    bell_.ring();
  }

  void keep_leading(ErrandRunner& runner) {
    if (!options_.lease) {
      metrics_.set_leader(true);
      return;
    }
    LeaseOptions lease;
    lease.name_space = options_.lease->name_space;
    lease.name = options_.lease->name;
    lease.identity = identity_;
    lease.failed = [this](const std::string& why) { log_.warning("lease", {{"why", why}}); };
    keep_lease(
        client_, lease,
        [this, &runner](bool leads) {
          log_.info(leads ? "leads" : "does not lead any more");
          lead(runner, leads);
        },
        stop_);
  }

  void set_gauges() {
    const GangBook::Counts counts = desk_.counts();
    metrics_.set_cut_bytes(static_cast<double>(counts.cross_zone.count));
    metrics_.set_reservations(static_cast<double>(counts.reservations),
                              static_cast<double>(counts.reserved_gpus));
    metrics_.set_plan_attempts(static_cast<double>(desk_.attempts()));
    metrics_.set_waiting_gangs(static_cast<double>(counts.waiting));
    if (Feeds* const feeds = feeds_) feeds->note_ages();
  }

  ServeOptions options_;
  const std::string identity_ = identity();
  const ServeHooks& hooks_;
  std::atomic<bool> stop_ = false;
  Log log_;
  Metrics metrics_;
  Bell bell_;
  FileStamp cluster_stamp_ = stamp_of(options_.cluster_file);
  std::chrono::steady_clock::time_point next_file_look_{};
  ApiClient client_;
  ShapeFetcher shapes_;
  Desk desk_;
  HttpServer server_;
  std::atomic<Feeds*> feeds_ = nullptr;
};

}  // namespace

void serve(ServeOptions options, const ServeHooks& hooks) {
  Service(std::move(options), hooks).run();
}

}  // namespace zonecut::kubernetes
