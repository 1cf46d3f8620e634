#include "serve/shape_fetcher.hpp"

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>

#include "kubernetes/api/fake_api_server.hpp"
#include "support/catch.hpp"

using namespace zonecut::kubernetes;
using namespace zonecut::kubernetes::test;
using nlohmann::json;
using std::chrono::milliseconds;

namespace {

constexpr std::uint32_t kPods = 4;

json job(const std::string& name_space, const std::string& name) {
  const json gpus{{"limits", {{"nvidia.com/gpu", "8"}}}};
  const json pod{{"containers", json::array({{{"resources", gpus}}})}};
  return {
      {"metadata", {{"namespace", name_space}, {"name", name}}},
      {"spec", {{"parallelism", kPods}, {"completions", kPods}, {"template", {{"spec", pod}}}}}};
}

/// An API server with Jobs, of which a list brings some at a time, and what it was asked.
struct Jobs {
  explicit Jobs(std::vector<json> has, int status_of_lists = 200, std::size_t page = 10)
      : jobs(std::move(has)),
        server([this, status_of_lists, page](const httplib::Request& request,
                                             httplib::Response& response) {
          {
            const std::lock_guard lock(mutex);
            asked.push_back(request.path);
          }
          if (status_of_lists != 200)
            return say(response, status_of_lists, R"({"message": "not so"})");
          const std::string from = request.get_param_value("continue");
          const std::size_t begin = from.empty() ? 0 : std::stoul(from);
          const std::size_t end = std::min(begin + page, jobs.size());
          json items = json::array();
          for (std::size_t i = begin; i < end; ++i) items.push_back(jobs[i]);
          const std::string next = end < jobs.size() ? std::to_string(end) : "";
          say(response, 200,
              json{{"metadata", {{"resourceVersion", "7"}, {"continue", next}}}, {"items", items}}
                  .dump());
        }),
        client(server.access()) {}
  ~Jobs() { client.shut(); }

  ShapeFetcher::FetchedShapes list(const std::vector<WantedShape>& wanted) {
    return ShapeFetcher(client, gpus, stop).list(wanted, milliseconds(5000));
  }

  std::vector<json> jobs;
  std::mutex mutex;
  std::vector<std::string> asked;
  const GpuResources gpus{"nvidia.com/gpu"};
  std::atomic<bool> stop = false;
  FakeApiServer server;
  ApiClient client;
};

WantedShape wanted(const std::string& name_space, const std::string& name) {
  return {{"batch/v1", "Job", name}, name_space};
}

std::vector<WantedShape> many(const std::string& name_space, std::size_t count) {
  std::vector<WantedShape> some;
  for (std::size_t i = 0; i < count; ++i)
    some.push_back(wanted(name_space, "j" + std::to_string(i)));
  return some;
}

std::size_t found(const ShapeFetcher::FetchedShapes& fetched) {
  return static_cast<std::size_t>(
      std::count_if(fetched.begin(), fetched.end(), [](const auto& one) {
        return one && one->fault.empty() && one->shape && one->shape->pods() == kPods;
      }));
}

}  // namespace

TEST_CASE("many gangs' sizes come by a list of all namespaces, page by page",
          "[kubernetes][serve]") {
  std::vector<json> has;
  for (int i = 0; i < 12; ++i) has.push_back(job("red", "j" + std::to_string(i)));
  for (int i = 0; i < 8; ++i) has.push_back(job("blue", "j" + std::to_string(i)));
  Jobs jobs(has);
  std::vector<WantedShape> some = many("red", 12);
  some.push_back(wanted("blue", "j7"));
  some.push_back(wanted("blue", "gone"));
  some.push_back({{"apps/v1", "StatefulSet", "s"}, "red"});
  const auto fetched = jobs.list(some);
  REQUIRE(fetched.size() == some.size());
  CHECK(found(fetched) == 13);
  CHECK_FALSE(fetched[13]);  // whoever asks for it alone is told why
  CHECK_FALSE(fetched[14]);
  CHECK(jobs.asked == std::vector<std::string>(2, "/apis/batch/v1/jobs"));
}

TEST_CASE("where all are of one namespace that alone is listed, until all are found",
          "[kubernetes][serve]") {
  std::vector<json> has;
  for (int i = 0; i < 40; ++i) has.push_back(job("red", "j" + std::to_string(i)));
  Jobs jobs(has);
  CHECK(found(jobs.list(many("red", 20))) == 20);
  CHECK(jobs.asked == std::vector<std::string>(2, "/apis/batch/v1/namespaces/red/jobs"));
}

TEST_CASE("few objects are not looked for in lists, nor among very many others",
          "[kubernetes][serve]") {
  std::vector<json> has;
  for (int i = 0; i < 400; ++i) has.push_back(job("red", "other" + std::to_string(i)));
  for (int i = 0; i < 16; ++i) has.push_back(job("red", "j" + std::to_string(i)));
  Jobs jobs(has);
  CHECK(found(jobs.list(many("red", 3))) == 0);
  CHECK(jobs.asked.empty());
  CHECK(found(jobs.list(many("red", 16))) == 0);
  CHECK(jobs.asked.size() == 3);
}

TEST_CASE("an object that cannot be read says why, and others beside it can",
          "[kubernetes][serve]") {
  std::vector<json> has;
  for (int i = 0; i < 9; ++i) has.push_back(job("red", "j" + std::to_string(i)));
  has[3]["spec"]["parallelism"] = "many";
  Jobs jobs(has);
  const auto fetched = jobs.list(many("red", 9));
  CHECK(found(fetched) == 8);
  REQUIRE(fetched[3]);
  CHECK(fetched[3]->fault.find("/spec/parallelism") != std::string::npos);
}

TEST_CASE("where lists are not granted nothing is known, and it is asked for once",
          "[kubernetes][serve]") {
  Jobs jobs({}, 403);
  CHECK(found(jobs.list(many("red", 20))) == 0);
  CHECK(jobs.asked.size() == 1);
}

TEST_CASE("where a version of a kind is not served the next is listed", "[kubernetes][serve]") {
  Jobs jobs({}, 404);
  std::vector<WantedShape> some;
  for (int i = 0; i < 9; ++i)
    some.push_back({{"scheduling.k8s.io/v1alpha2", "PodGroup", "g" + std::to_string(i)}, "red"});
  CHECK(found(jobs.list(some)) == 0);
  CHECK(jobs.asked ==
        std::vector<std::string>{"/apis/scheduling.k8s.io/v1alpha2/namespaces/red/podgroups",
                                 "/apis/scheduling.k8s.io/v1beta1/namespaces/red/podgroups",
                                 "/apis/scheduling.k8s.io/v1alpha3/namespaces/red/podgroups"});
}
