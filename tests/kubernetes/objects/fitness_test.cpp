#include "objects/fitness.hpp"

#include "objects_support.hpp"
#include "support/catch.hpp"

using namespace zonecut::kubernetes;
using Operator = Requirement::Operator;

namespace {

Node node() {
  Node node;
  node.name = "n1";
  node.labels = {{"zone", "a"}, {"racks", "12"}, {"word", "twelve"}};
  return node;
}

Node tainted(const Taint& taint) {
  Node result = node();
  result.taints = {taint};
  return result;
}

Pod tolerating(const Toleration& toleration) {
  Pod pod = labelled({});
  pod.tolerations = {toleration};
  return pod;
}

Pod wanting(std::vector<NodeTerm> terms) {
  Pod pod = labelled({});
  pod.has_required_terms = true;
  pod.required_terms = std::move(terms);
  return pod;
}

bool label_holds(const std::string& key, Operator op, std::vector<std::string> values = {}) {
  return may_take(node(), wanting({{{{key, op, std::move(values)}}, {}}}));
}

bool field_holds(const std::string& key, Operator op, std::vector<std::string> values) {
  return may_take(node(), wanting({{{}, {{key, op, std::move(values)}}}}));
}

}  // namespace

TEST_CASE("a node without conditions takes any pod, one not ready or being deleted takes none") {
  CHECK(may_take(node(), labelled({})));
  Node lost = node();
  lost.ready = false;
  CHECK_FALSE(may_take(lost, tolerating({"", true, "", ""})));
  Node going = node();
  going.deleting = true;
  CHECK_FALSE(may_take(going, tolerating({"", true, "", ""})));
}

TEST_CASE("a cordoned node takes only pods that tolerate the cordon") {
  Node cordoned = node();
  cordoned.unschedulable = true;
  const char* const key = "node.kubernetes.io/unschedulable";
  CHECK_FALSE(may_take(cordoned, labelled({})));
  CHECK(may_take(cordoned, tolerating({key, true, "", "NoSchedule"})));
  CHECK(may_take(cordoned, tolerating({key, false, "", ""})));
  CHECK(may_take(cordoned, tolerating({"", true, "", ""})));
  CHECK_FALSE(may_take(cordoned, tolerating({key, true, "", "NoExecute"})));
  CHECK_FALSE(may_take(cordoned, tolerating({key, false, "yes", ""})));
}

TEST_CASE("taints keep out what does not tolerate them, unless they only express a preference") {
  CHECK_FALSE(may_take(tainted({"k", "v", "NoSchedule"}), labelled({})));
  CHECK_FALSE(may_take(tainted({"k", "v", "NoExecute"}), labelled({})));
  CHECK(may_take(tainted({"k", "v", "PreferNoSchedule"}), labelled({})));
}

TEST_CASE("a toleration fits by key, value and effect, each of which may be left open") {
  const Node one = tainted({"k", "v", "NoSchedule"});
  CHECK(may_take(one, tolerating({"k", false, "v", "NoSchedule"})));
  CHECK(may_take(one, tolerating({"k", false, "v", ""})));
  CHECK(may_take(one, tolerating({"k", true, "", "NoSchedule"})));
  CHECK(may_take(one, tolerating({"", true, "", ""})));
  CHECK(may_take(one, tolerating({"", true, "", "NoSchedule"})));
  CHECK_FALSE(may_take(one, tolerating({"", true, "", "NoExecute"})));
  CHECK_FALSE(may_take(one, tolerating({"k", false, "w", "NoSchedule"})));
  CHECK_FALSE(may_take(one, tolerating({"k", false, "", "NoSchedule"})));
  CHECK_FALSE(may_take(one, tolerating({"l", true, "", ""})));
}

TEST_CASE("every taint needs a toleration") {
  Node both = tainted({"k", "", "NoSchedule"});
  both.taints.push_back({"l", "", "NoExecute"});
  Pod pod = tolerating({"k", true, "", ""});
  CHECK_FALSE(may_take(both, pod));
  pod.tolerations.push_back({"l", true, "", ""});
  CHECK(may_take(both, pod));
}

TEST_CASE("tolerations Lt and Gt compare the taint's value as a number") {
  const Node nine = tainted({"k", "9", "NoSchedule"});
  const auto with = [](const char* value, Toleration::Order order) {
    return tolerating({"k", false, value, "", order});
  };
  CHECK(may_take(nine, with("10", Toleration::Order::Lt)));
  CHECK_FALSE(may_take(nine, with("9", Toleration::Order::Lt)));
  CHECK(may_take(nine, with("8", Toleration::Order::Gt)));
  CHECK_FALSE(may_take(nine, with("10", Toleration::Order::Gt)));
  CHECK_FALSE(may_take(nine, with("010", Toleration::Order::Lt)));
  CHECK_FALSE(may_take(nine, with("ten", Toleration::Order::Lt)));
  CHECK_FALSE(may_take(tainted({"k", "x", "NoSchedule"}), with("10", Toleration::Order::Lt)));
}

TEST_CASE("a node selector wants each of its labels") {
  Pod pod = labelled({});
  pod.node_selector = {{"zone", "a"}};
  CHECK(may_take(node(), pod));
  pod.node_selector = {{"zone", "a"}, {"word", "ten"}};
  CHECK_FALSE(may_take(node(), pod));
  pod.node_selector = {{"absent", ""}};
  CHECK_FALSE(may_take(node(), pod));
}

TEST_CASE("In and NotIn look for the label's value; NotIn holds without the label") {
  CHECK(label_holds("zone", Operator::In, {"b", "a"}));
  CHECK_FALSE(label_holds("zone", Operator::In, {"b"}));
  CHECK_FALSE(label_holds("absent", Operator::In, {""}));
  CHECK_FALSE(label_holds("zone", Operator::NotIn, {"b", "a"}));
  CHECK(label_holds("zone", Operator::NotIn, {"b"}));
  CHECK(label_holds("absent", Operator::NotIn, {"b"}));
}

TEST_CASE("Exists and DoesNotExist look for the label itself") {
  CHECK(label_holds("zone", Operator::Exists));
  CHECK_FALSE(label_holds("absent", Operator::Exists));
  CHECK(label_holds("absent", Operator::DoesNotExist));
  CHECK_FALSE(label_holds("zone", Operator::DoesNotExist));
}

TEST_CASE("Gt and Lt compare numbers, and hold for nothing else") {
  CHECK(label_holds("racks", Operator::Gt, {"9"}));
  CHECK_FALSE(label_holds("racks", Operator::Gt, {"12"}));
  CHECK(label_holds("racks", Operator::Lt, {"+100"}));
  CHECK_FALSE(label_holds("racks", Operator::Lt, {"-100"}));
  CHECK_FALSE(label_holds("word", Operator::Gt, {"1"}));
  CHECK_FALSE(label_holds("absent", Operator::Lt, {"1"}));
  CHECK_FALSE(label_holds("racks", Operator::Gt, {"9", "9"}));
  CHECK_FALSE(label_holds("racks", Operator::Gt, {"nine"}));
  CHECK_FALSE(label_holds("racks", Operator::Gt, {"99999999999999999999"}));
}

TEST_CASE("a requirement that apimachinery refuses makes its term match nothing") {
  CHECK_FALSE(label_holds("absent", Operator::NotIn, {}));
  CHECK_FALSE(label_holds("zone", Operator::Exists, {"a"}));
  CHECK_FALSE(label_holds("absent", Operator::DoesNotExist, {"a"}));
}

TEST_CASE("fields know the node's name, with In and NotIn and one value") {
  CHECK(field_holds("metadata.name", Operator::In, {"n1"}));
  CHECK_FALSE(field_holds("metadata.name", Operator::In, {"n2"}));
  CHECK(field_holds("metadata.name", Operator::NotIn, {"n2"}));
  CHECK_FALSE(field_holds("metadata.name", Operator::NotIn, {"n1"}));
  CHECK_FALSE(field_holds("metadata.name", Operator::In, {"n1", "n2"}));
  CHECK_FALSE(field_holds("metadata.name", Operator::NotIn, {}));
  CHECK_FALSE(field_holds("metadata.name", Operator::Exists, {}));
  CHECK_FALSE(field_holds("metadata.uid", Operator::In, {"n1"}));
}

TEST_CASE("one term is enough, all of a term must hold, an empty term matches nothing") {
  const Requirement yes{"zone", Operator::In, {"a"}};
  const Requirement no{"zone", Operator::In, {"b"}};
  const Requirement here{"metadata.name", Operator::In, {"n1"}};
  const Requirement elsewhere{"metadata.name", Operator::In, {"n2"}};
  CHECK(may_take(node(), wanting({{{no}, {}}, {{yes}, {}}})));
  CHECK_FALSE(may_take(node(), wanting({{{yes, no}, {}}})));
  CHECK(may_take(node(), wanting({{{yes}, {here}}})));
  CHECK_FALSE(may_take(node(), wanting({{{yes}, {elsewhere}}})));
  CHECK_FALSE(may_take(node(), wanting({{}})));
  CHECK_FALSE(may_take(node(), wanting({})));
  CHECK(may_take(node(), wanting({{}, {{yes}, {}}})));
}

TEST_CASE("a node selector and an affinity must both hold") {
  Pod pod = wanting({{{{"zone", Operator::In, {"a"}}}, {}}});
  pod.node_selector = {{"word", "twelve"}};
  CHECK(may_take(node(), pod));
  pod.node_selector = {{"word", "ten"}};
  CHECK_FALSE(may_take(node(), pod));
}

TEST_CASE("pods have the same wishes exactly if nothing differs that a node is judged by") {
  Pod pod = labelled({{"batch.kubernetes.io/job-completion-index", "1"}});
  Pod other = labelled({{"batch.kubernetes.io/job-completion-index", "2"}});
  other.name = "q";
  CHECK(wishes_of(pod) == wishes_of(other));

  std::vector<Pod> different(11, pod);
  different[1].node_selector = {{"a", "b"}};
  different[2].node_selector = {{"ab", ""}};
  different[3].has_required_terms = true;
  different[4] = wanting({{}});
  different[5] = wanting({{{{"a", Operator::In, {"b", "c"}}}, {}}});
  different[6] = wanting({{{{"a", Operator::In, {"bc"}}}, {}}});
  different[7] = wanting({{{}, {{"a", Operator::In, {"b", "c"}}}}});
  different[8] = tolerating({"a", true, "", ""});
  different[9] = tolerating({"a", false, "", ""});
  different[10] = tolerating({"a", false, "", "", Toleration::Order::Gt});
  for (std::size_t i = 0; i < different.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      INFO(i << " and " << j);
      CHECK(wishes_of(different[i]) != wishes_of(different[j]));
    }
  }
}
