#pragma once
// Reads a state file into a ClusterView. Health comes first, as what is random among the jobs takes
// only what is healthy. Private to the topology model.
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "state_file/place_index.hpp"
#include "zonecut/base/document.hpp"
#include "zonecut/topology/state.hpp"

namespace zonecut {

class StateReader {
 public:
  /// `problems`: what was found wrong with the document before.
  StateReader(const Cluster& cluster, const Document& document, ProblemList& problems)
      : cluster_(cluster), document_(document), view_(cluster), problems_(problems) {}
  /// Throws InputError with all mistakes of the file.
  ClusterView read();

 private:
  /// Something that the file names, and where.
  template <class Id>
  struct Said {
    Id id;
    const Value* where;
  };

  // health
  void read_health(const Value& section);
  void read_server_health(Fields& fields, std::string_view key, ServerHealth health);
  void read_failed_gpus(const Value& mapping);
  void read_failed_switches(const Value& list);
  void read_link(const Value& value);
  void check_remaining();
  std::optional<LinkEnd> read_endpoint(const Value& value);
  std::optional<LinkFault> read_neighbours(const Value& value);

  // jobs
  void read_job(const Value& value);
  std::optional<JobId> add_job(Fields& fields);
  void read_traffic(JobId job, const Value& mapping, std::vector<Said<ServerId>> servers);
  void read_end(JobId job, const Value& value);
  void hold_server(JobId job, ServerId server, const Value& where);
  void hold_gpus(JobId job, const Value& mapping);
  void hold_domains(JobId job, const Value& value);
  void hold_random(JobId job, const Value& value);
  void hold_random_servers(JobId job, const Value& amount, std::uint64_t seed);
  void hold_random_gpus(JobId job, const Value& amount, std::uint64_t seed);
  std::optional<std::size_t> read_amount(const Value& value, std::size_t available,
                                         std::string_view of_what);

  // names
  /// A server may stand several times. More than `most` of them are a mistake.
  std::vector<Said<ServerId>> read_servers(const Value& value, std::size_t most);
  std::vector<ServerId> servers_called(const std::string& text, const std::string& where);
  std::vector<Said<int>> read_gpu_numbers(const Value& value);
  std::vector<Said<GpuId>> read_gpus(const Value& mapping);
  const PlaceIndex& places();

  void report(const Value& where, std::string what, std::string hint = {});
  void report_at(std::string where, std::string what, std::string hint = {});
  /// After the problems that are kept, reading on would be work for nobody, and a way to keep the
  /// reader busy.
  [[nodiscard]] bool has_enough_problems() const { return reported_ > ProblemList::kMaxProblems; }

  const Cluster& cluster_;
  const Document& document_;
  ClusterView view_;
  ProblemList& problems_;
  std::size_t reported_ = 0;
  std::optional<PlaceIndex> places_;  // made when the first place is asked for
  std::set<std::string, std::less<>> job_names_;
  std::size_t random_holds_ = 0;
  // Where each was said to be broken, for those that are said to be so again.
  std::map<ServerId, int> line_of_server_;
  std::map<SwitchRef, int> line_of_switch_;
  using LinkEnds = std::pair<LinkEnd, SwitchRef>;
  struct SaidOfLink {
    const Value* where;
    std::optional<BytesPerSecond> remaining;
    const Value* where_remaining;
  };
  std::map<LinkEnds, SaidOfLink> said_of_link_;
};

}  // namespace zonecut
