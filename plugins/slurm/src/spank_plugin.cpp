// The SPANK plugin: options for srun, sbatch and salloc, and the order of ranks in srun. Everything
// that thinks is elsewhere; nothing that goes wrong here may keep a job from running.
extern "C" {
#include <slurm/slurm_errno.h>
#include <slurm/spank.h>
}

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdlib>
#include <exception>
#include <string>

#include "busy_servers.hpp"
#include "command_line.hpp"
#include "job_words.hpp"
#include "order_step.hpp"
#include "place_job.hpp"
#include "settings.hpp"
#include "step.hpp"

namespace {

using namespace zonecut::slurm;

/// Slurm calls plain functions and hands them nothing of ours: what they share stands here. A
/// process loads the plugin once and calls it from one thread.
struct Plugin {
  Settings settings;
  bool host_file = false;
  bool options_unread = false;  ///< its own, which a host file comes too early for
  bool job_is_users = false;    ///< not the site's default
  std::string lines;            ///< to be said once it is known whether the user wants to hear it
};

Plugin& plugin() {
  static Plugin state;
  return state;
}

/// Stops every exception: a job never fails for our sake.
template <class Work>
void guarded(const Work& work) noexcept {
  try {
    work();
  } catch (const std::exception& error) {
    slurm_verbose("zonecut: %s", error.what());
  } catch (...) {
    slurm_verbose("zonecut: failed");
  }
}

void say(const std::string& line) {
  if (!line.empty()) plugin().lines += "zonecut: " + line + "\n";
}

/// Says at -v what has been gathered. While options are checked Slurm's log does not know of -v
/// yet.
void speak(bool log_is_set_up) {
  std::string& lines = plugin().lines;
  const auto options = SrunOptions::find();
  const bool verbose = options && options->count("verbose").value_or(0) > 0;
  if (!verbose && !log_is_set_up) return;
  for (std::size_t begin = 0, end = 0; begin < lines.size(); begin = end + 1) {
    end = lines.find('\n', begin);
    const std::string line = lines.substr(begin, end - begin);
    if (verbose) {
      slurm_info("%s", line.c_str());
    } else {
      slurm_verbose("%s", line.c_str());
    }
  }
  lines.clear();
}

enum Option { kMode = 1, kJob = 2 };

std::string take_option(int option, const char* value) {
  const std::string text = value == nullptr ? "" : value;
  if (option == kMode) {
    const auto wrong = take_mode(text, plugin().settings);
    return wrong ? "--zonecut: " + *wrong : "";
  }
  if (text.empty()) return "--zonecut-job: found nothing, expected sizes, a file or a preset";
  plugin().settings.job = text;
  plugin().job_is_users = true;
  return {};
}

/// Called for an option of the command line, and for one that a job has inherited; in a remote
/// process it may be called twice, and means nothing there.
int on_option(int option, const char* value, int remote) noexcept {
  if (remote != 0) return ESPANK_SUCCESS;
  int result = ESPANK_SUCCESS;
  guarded([&] {
    const std::string wrong = take_option(option, value);
    if (wrong.empty()) return;
    slurm_error("%s", wrong.c_str());
    result = ESPANK_BAD_ARG;
  });
  return result;
}

void register_options(spank_t spank) {
  static std::array<std::string, 6> words = {
      "zonecut",
      "on|off|order|place",
      "Put the ranks of steps in the order that sends least between zones; place: choose servers.",
      "zonecut-job",
      "tp=N,pp=N,...|FILE|PRESET",
      "What the job sends, for --zonecut: its parallelism and model."};
  static spank_option mode{words[0].data(), words[1].data(), words[2].data(), 2, kMode, on_option};
  static spank_option job{words[3].data(), words[4].data(), words[5].data(), 1, kJob, on_option};
  spank_option_register(spank, &mode);
  spank_option_register(spank, &job);
}

/// Of the same installation: PREFIX/bin/zonecut for PREFIX/libexec/zonecut/spank_zonecut.so. Empty
/// where this file's own path is unknown.
std::string installed_program() {
  Dl_info own{};
  if (::dladdr(reinterpret_cast<const void*>(&installed_program), &own) == 0) return {};
  std::string path = own.dli_fname == nullptr ? "" : own.dli_fname;
  for (int level = 0; level < 3; ++level) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return {};
    path.resize(slash);
  }
  return path + "/bin/zonecut";
}

/// Whether this srun was started by what another asks for the order of its ranks.
bool is_within_question() { return !variable(kAskingVariable).empty(); }

void read_site_settings(int count, char** words) {
  Settings& settings = plugin().settings;
  settings.program = installed_program();
  for (int i = 0; i < count; ++i) {
    if (const auto wrong = take_word(words[i], settings)) say("plugstack.conf: " + *wrong);
  }
  if (settings.cluster.empty() && settings.topology.empty())
    settings.topology = own_topology_file().value_or("");
}

void read_environment() {
  Settings& settings = plugin().settings;
  if (const std::string mode = variable("SLURM_ZONECUT"); !mode.empty()) {
    if (const auto wrong = take_mode(mode, settings)) say("SLURM_ZONECUT: " + *wrong);
  }
  if (std::string job = variable("SLURM_ZONECUT_JOB"); !job.empty()) {
    settings.job = std::move(job);
    plugin().job_is_users = true;
  }
}

/// What Slurm will hand to on_option() later: needed before that where a host file is the way.
void read_inherited_options() {
  const std::string prefix = "SLURM_SPANK__SLURM_SPANK_OPTION_zonecut_";
  Settings& settings = plugin().settings;
  if (const std::string mode = variable((prefix + "zonecut").c_str()); !mode.empty())
    static_cast<void>(take_mode(mode, settings));
  if (std::string job = variable((prefix + "zonecut_job").c_str()); !job.empty())
    settings.job = std::move(job);
}

/// The job file as sbatch or salloc found it: a script may go to another folder.
constexpr const char* kFileVariable = "SLURM_ZONECUT_FILE";

bool is_relative_path(const std::string& job) {
  return is_job_path(job) && job != "-" && !job.starts_with('/');
}

/// In sbatch and salloc: tells the sruns of the job.
void tell_file() {
  const std::string& job = plugin().settings.job;
  if (!plugin().job_is_users || !is_relative_path(job)) return;
  std::array<char, PATH_MAX> folder{};
  if (::access(job.c_str(), F_OK) == 0 && ::getcwd(folder.data(), folder.size()) != nullptr) {
    ::setenv(kFileVariable, (folder.data() + ("/" + job)).c_str(), 1);
  } else {
    ::unsetenv(kFileVariable);
  }
}

/// In srun: the file of the path that it was not given itself.
void find_file() {
  std::string& job = plugin().settings.job;
  const std::string file = variable(kFileVariable);
  if (!is_relative_path(job) || !file.ends_with("/" + job)) return;
  for (const std::string& word : command_line()) {
    if (word.starts_with("--zonecut-j")) return;
  }
  job = file;
}

void prepare_srun() {
  ::unsetenv(kOrderedVariable);  // an outer step's
  Plugin& own = plugin();
  own.host_file = own.settings.method == Method::HostFile ||
                  (own.settings.method == Method::Auto && !SrunOptions::find());
  own.options_unread = own.host_file && may_give(command_line(), "zonecut");
  if (!own.host_file || own.options_unread) return;
  read_inherited_options();
  find_file();
  if (own.settings.order) say(order_by_host_file(own.settings));
}

/// srun has read the host file, if there is one.
void end_host_file() {
  remove_host_file();
  if (plugin().options_unread && plugin().settings.order) {
    say("the order of ranks is left as it is: its command line gives --zonecut, which a host file "
        "comes too early for; give it to sbatch or salloc");
  }
}

/// Launchers such as torchrun take SLURM_NODEID for their place among the servers, which Slurm
/// keeps in the servers' own order.
void follow_rank(spank_t spank) {
  std::array<char, 16> rank{};
  if (spank_getenv(spank, "SLURM_PROCID", rank.data(), rank.size()) == ESPANK_SUCCESS)
    spank_setenv(spank, "SLURM_NODEID", rank.data(), 1);
}

/// What srun tells tasks of the order would be an option of a srun that they start, or a job that
/// they submit, and would lack its list of servers. The user has not set it: then the order is his.
void forget_order(spank_t spank) {
  for (const char* name : {kOrderedVariable, "SLURM_DISTRIBUTION", "SLURM_HOSTFILE"})
    spank_unsetenv(spank, name);
}

void adjust_task(spank_t spank) {
  std::array<char, 16> tasks_per_node{};
  if (spank_getenv(spank, kOrderedVariable, tasks_per_node.data(), tasks_per_node.size()) !=
      ESPANK_SUCCESS) {
    return;
  }
  if (std::string(tasks_per_node.data()) == "1") follow_rank(spank);
  forget_order(spank);
}

}  // namespace

extern "C" {
#pragma GCC visibility push(default)

// Constants have internal linkage in C++ unless declared first.
extern const char plugin_name[];
extern const char plugin_type[];
extern const unsigned int plugin_version;
extern const unsigned int spank_plugin_version;
SPANK_PLUGIN(zonecut, 1)

int slurm_spank_init(spank_t spank, int count, char** words) {
  guarded([&] {
    register_options(spank);
    const spank_context_t context = spank_context();
    if (context != S_CTX_LOCAL && context != S_CTX_ALLOCATOR) return;
    if (is_within_question()) return;
    read_site_settings(count, words);
    read_environment();
    if (context == S_CTX_LOCAL) prepare_srun();
  });
  return ESPANK_SUCCESS;
}

int slurm_spank_init_post_opt(spank_t, int, char**) {
  guarded([] {
    const spank_context_t context = spank_context();
    if (context != S_CTX_LOCAL && context != S_CTX_ALLOCATOR) return;
    if (is_within_question()) return;
    if (context == S_CTX_LOCAL && plugin().host_file) {
      end_host_file();
    } else if (context == S_CTX_LOCAL && plugin().settings.order) {
      find_file();
      say(order_by_options(plugin().settings));
    } else if (context == S_CTX_ALLOCATOR) {
      tell_file();
      say(mark_job(plugin().settings, plugin().job_is_users));
    }
    speak(false);
  });
  return ESPANK_SUCCESS;
}

/// The step exists, with its servers: the next one may choose.
int slurm_spank_local_user_init(spank_t, int, char**) {
  guarded([] {
    release_step_turn();
    speak(true);
  });
  return ESPANK_SUCCESS;
}

int slurm_spank_task_init(spank_t spank, int, char**) {
  guarded([&] { adjust_task(spank); });
  return ESPANK_SUCCESS;
}

#pragma GCC visibility pop
}
