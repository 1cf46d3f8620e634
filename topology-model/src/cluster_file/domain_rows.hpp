#pragma once
// Reads the section `domains` of a cluster file: rows that name domains and say which servers stand
// in them. Private to the topology model.
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cluster_file/domain_product.hpp"
#include "cluster_file/server_names.hpp"
#include "zonecut/base/document.hpp"
#include "zonecut/topology/cluster.hpp"

namespace zonecut {

/// What a row says for itself and the rows inside it.
struct RowDefaults {
  int gpus = 8;
  std::size_t scale_up_servers = 0;  ///< consecutive servers of a domain; 0: the server alone
  ServerNames server_names;
};

/// Reads `gpus`, `scale_up` and `server_name`, which stand at the top of the file and in rows.
[[nodiscard]] RowDefaults read_row_defaults(Fields& fields, std::span<const std::string> levels,
                                            RowDefaults inherited);

/// What YAML, or a person, takes for a number, though not written as we read one: 1e3, 1_000, 0x10,
/// 1:30, .nan. A server may be called so, in quotes.
[[nodiscard]] bool looks_like_number(const Value& value);

class DomainRows {
 public:
  /// `levels` without "cluster". Borrows everything it is given.
  DomainRows(const Document& document, std::span<const std::string> levels, ClusterBuilder& builder,
             ProblemList& problems)
      : document_(document), levels_(levels), builder_(builder), problems_(problems) {}

  void read(const Value& rows, const RowDefaults& defaults) { read_rows(rows, {}, defaults); }

 private:
  struct ServerEntry {
    std::string name;
    int gpus;
    std::optional<std::string> scale_up;  // the label of a group
  };
  struct ServerList {
    std::vector<ServerEntry> servers;
    bool labelled = false;  // some entry names its scale-up group
    bool complete = true;   // none of it was a mistake
  };

  void read_rows(const Value& rows, const DomainProduct& parents, const RowDefaults& inherited);
  void read_row(const Value& row, const DomainProduct& parents, const RowDefaults& inherited);
  std::optional<DomainProduct> read_domains(Fields& fields, const DomainProduct& parents);
  std::vector<std::string> read_names(const Value& value);
  std::vector<std::string> read_literal_name(const Value& value);
  bool may_stand_servers(const DomainProduct& domains, const Value& servers);

  void add_empty(const DomainProduct& domains, const Value& where);
  void add_counted(const DomainProduct& domains, const Value& count, const RowDefaults& defaults);
  void add_listed(const DomainProduct& domains, const Value& list, const RowDefaults& defaults);
  ServerList read_servers(const Value& value, const RowDefaults& defaults);
  void read_server_names(const Value& value, int gpus, const std::optional<std::string>& scale_up,
                         ServerList& list);
  void read_literal_server(const Value& where, std::string name, int gpus,
                           std::optional<std::string> scale_up, ServerList& list);
  void read_server_mapping(const Value& value, const RowDefaults& defaults, ServerList& list);

  bool begin_domain(std::span<const std::string> path, const Value& where);
  bool add_server(std::span<const std::string> path, std::string name, int gpus,
                  std::optional<std::uint32_t> scale_up, const Value& where);
  std::uint32_t group_of(const std::string& label);
  void report(const Value& where, std::string what, std::string hint = {});

  const Document& document_;
  std::span<const std::string> levels_;
  ClusterBuilder& builder_;
  ProblemList& problems_;
  std::size_t servers_ = 0;  // asked for so far, also where a row was wrong
  std::size_t domains_ = 0;
  std::set<std::string> with_servers_;  // paths of innermost domains that were given theirs
  std::map<std::string, std::uint32_t> group_by_label_;
  std::uint32_t groups_ = 0;
};

}  // namespace zonecut
