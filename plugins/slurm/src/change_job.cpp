#include "change_job.hpp"

extern "C" {
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
}

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "array_tasks.hpp"
#include "job_words.hpp"
#include "slurm_calls.hpp"
#include "snapshot.hpp"
#include "whole_number.hpp"

namespace zonecut::slurm {
namespace {

struct Change {
  std::optional<std::string> was_nodes, nodes, order;
  std::optional<std::int64_t> was_begin, begin;
  bool end_lease = false;
};

std::int64_t seconds_of(std::string_view word, std::string_view value) {
  const auto seconds = whole_number<std::int64_t>(value);
  if (seconds) return *seconds;
  throw std::invalid_argument("found \"" + std::string(word) + "\", expected seconds since 1970");
}

void take(std::string_view word, Change& change) {
  const std::size_t equals = std::min(word.find('='), word.size());
  const std::string_view key = word.substr(0, equals);
  const std::string value(word.substr(std::min(word.size(), equals + 1)));
  if (key == "was-nodes") {
    change.was_nodes = value;
  } else if (key == "was-begin") {
    change.was_begin = seconds_of(word, value);
  } else if (key == "nodes") {
    change.nodes = value;
  } else if (key == "begin") {
    change.begin = seconds_of(word, value);
  } else if (key == "order") {
    change.order = value;
  } else if (key == "lease" && value.empty()) {
    change.end_lease = true;
  } else {
    throw std::invalid_argument(
        "found \"" + std::string(word) +
        "\", expected was-nodes=, was-begin=, nodes=, begin=, order= or lease=");
  }
}

bool is_task(const slurm_job_info_t& job, std::uint32_t task) {
  if (job.array_task_id == task) return true;
  if (job.array_task_str == nullptr) return false;
  constexpr std::size_t kMostTasks = 1'000'000;
  const std::vector<std::uint32_t> waiting = array_tasks(job.array_task_str, kMostTasks);
  return std::find(waiting.begin(), waiting.end(), task) != waiting.end();
}

using Records = std::unique_ptr<job_info_msg_t, decltype(&slurm_free_job_info_msg)>;

Records load_records(std::string_view job) {
  const auto id = whole_number<std::uint32_t>(job.substr(0, job.find('_')), 1);
  if (!id) throw std::invalid_argument("found \"" + std::string(job) + "\", expected a job");
  job_info_msg_t* message = nullptr;
  if (load_job(&slurm_load_job, *id, &message) == SLURM_SUCCESS)
    return {message, &slurm_free_job_info_msg};
  if (errno == ESLURM_INVALID_JOB_ID) throw Overtaken("it is gone");
  check(SLURM_ERROR, "slurm_load_job");
  return {nullptr, &slurm_free_job_info_msg};
}

const slurm_job_info_t& find_record(const job_info_msg_t& records, std::string_view job) {
  const std::size_t dash = job.find('_');
  const auto task = dash == std::string_view::npos
                        ? std::nullopt
                        : whole_number<std::uint32_t>(job.substr(dash + 1));
  for (std::uint32_t i = 0; i < records.record_count; ++i) {
    const slurm_job_info_t& record = records.job_array[i];
    if ((record.job_state & JOB_STATE_BASE) != JOB_PENDING) continue;
    if (!task || is_task(record, *task)) return record;
  }
  throw Overtaken("it waits no more");
}

void check_unchanged(const slurm_job_info_t& record, const Change& change) {
  if (change.was_nodes && text_of(record.req_nodes) != *change.was_nodes)
    throw Overtaken("its required nodes have been changed");
  if (change.was_begin && record.eligible_time != *change.was_begin)
    throw Overtaken("its begin has been changed");
}

/// The comment with what is to change of our words.
std::string edited(const std::string& comment, const Change& change, bool is_admins) {
  JobWords words = read_words(comment);
  if (change.end_lease) words.lease = std::nullopt;
  if (change.order && is_admins) words.order = change.order->empty() ? std::nullopt : change.order;
  return with_words(comment, words);
}

/// Whether slurmctld could not be talked with, rather than having answered no. A plugin of the
/// site's that refuses the change answers SLURM_ERROR, which is -1.
bool is_unreachable(int code) {
  return (code > 0 && code < 200) ||
         (code >= SLURM_UNEXPECTED_MSG_ERROR && code < SLURM_NO_CHANGE_IN_DATA) ||
         (code >= SLURM_PROTOCOL_SOCKET_IMPL_ZERO_RECV_LENGTH &&
          code <= SLURM_PROTOCOL_SOCKET_ZERO_BYTES_SENT);
}

void check_update(int code) {
  if (code == SLURM_SUCCESS) return;
  errno = code;
  if (is_unreachable(code)) check(SLURM_ERROR, "slurm_update_job2");
  throw Refused(slurm_strerror(code));
}

void update(job_desc_msg_t& description) {
  job_array_resp_msg_t* answer = nullptr;
  check_update(slurm_update_job2(&description, &answer) == SLURM_SUCCESS ? SLURM_SUCCESS : errno);
  const std::unique_ptr<job_array_resp_msg_t, decltype(&slurm_free_job_array_resp)> owner(
      answer, &slurm_free_job_array_resp);
  for (std::uint32_t i = 0; answer != nullptr && i < answer->job_array_count; ++i)
    check_update(static_cast<int>(answer->error_code[i]));
}

}  // namespace

void change_job(const std::string& job, std::span<char* const> words) {
  Change change;
  for (const char* word : words) take(word, change);
  const Records records = load_records(job);
  const slurm_job_info_t& record = find_record(*records, job);
  check_unchanged(record, change);

  // libslurm does not free what the fields point to.
  std::string name = job;
  std::string nodes = change.nodes.value_or("");
  const std::string comment_now = text_of(record.comment);
  const std::string admins_now = text_of(record.admin_comment);
  std::string comment = edited(comment_now, change, false);
  std::string admins = edited(admins_now, change, true);
  job_desc_msg_t description;
  slurm_init_job_desc_msg(&description);
  description.job_id_str = name.data();
  if (change.nodes) description.req_nodes = nodes.data();
  if (change.begin) description.begin_time = *change.begin;
  if (comment != comment_now) description.comment = comment.data();
  if (admins != admins_now) description.admin_comment = admins.data();
  update(description);
}

}  // namespace zonecut::slurm
