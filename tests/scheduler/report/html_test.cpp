#include <array>

#include "report/scene.hpp"
#include "scheduler/report/sample.hpp"
#include "support/catch.hpp"

using namespace zonecut;

namespace {

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

}  // namespace

TEST_CASE("names on the axis of bytes leave each other room", "[report]") {
  constexpr std::int64_t kGB = 1'000'000'000;
  for (const std::int64_t most : {2 * kGB, 200'000 * kGB, 2'000'000 * kGB}) {
    const Sample sample(sketch(kFourServers), job_of(4, {{0, 1, 200 * kGB}, {1, 2, most}}),
                        "a1 a2 b1 b2");
    const std::size_t names = count(write_html(sample.report), "class=\"axis\"");
    CHECK(names >= 2);
    CHECK(names <= 4);
  }
}

TEST_CASE("the HTML report is one file that loads nothing and runs nothing", "[report]") {
  const Sample sample(sketch(kFourServers), training_of(2, 2), "a1 a2 b1 b2", "a1 b1 a2 b2");
  const std::string html = write_html(sample.report);
  CHECK(html.starts_with("<!DOCTYPE html>"));
  for (const char* loader : {"<script", "<link", "<img", "<iframe", "src=", "@import",
                             "href=", "url(http", "url(//", "onload", "javascript:"}) {
    INFO(loader);
    CHECK(html.find(loader) == std::string::npos);
  }
  // The one address is the name of the XHTML vocabulary.
  CHECK(count(html, "http") ==
        count(html, "http://www.w3.org/1999/xhtml") + count(html, "http-equiv"));
}

TEST_CASE("every picture that carries meaning has a title", "[report]") {
  const Sample sample(sketch(kFourServers), training_of(2, 2), "a1 a2 b1 b2", "a1 b1 a2 b2");
  const std::string html = write_html(sample.report);
  for (auto at = html.find("<svg"); at != std::string::npos; at = html.find("<svg", at + 1)) {
    const std::size_t end = html.find('>', at);
    const std::string_view tag = std::string_view(html).substr(at, end - at);
    INFO(tag);
    if (tag.find("aria-hidden") != std::string_view::npos) continue;
    CHECK(tag.find("role=\"img\"") != std::string_view::npos);
    CHECK(html.substr(end + 1, 7) == "<title>");
  }
}

TEST_CASE("many zones that hold nothing of the job are folded, and all there", "[report]") {
  for (const auto& [zones, folds] : {std::pair{11, false}, std::pair{13, true}}) {
    const Sample sample(sketch(many_zones(zones)), training_of(2, 2), "z1s1 z1s2 z2s1 z4s1");
    const std::string html = write_html(sample.report);
    const std::string summary =
        "<summary>10 zones without ranks of this job · free 640 GPUs</summary>";
    const std::size_t at = html.find(summary);
    CHECK((at != std::string::npos) == folds);
    CHECK((html.find("<h3>z3</h3>") > at) == folds);
    CHECK(html.find("<h3>z4 · B</h3>") < at);
    CHECK(count(html, "<h3>z13</h3>") == (folds ? 1 : 0));
  }
}

TEST_CASE("a small job shows every GPU of its racks, a stage's letter and a replica's number",
          "[report]") {
  const Sample sample(sketch(kFourServers), training_of(2, 2), "a1 a2 b1 b2");
  const std::string html = write_html(sample.report);
  const std::string_view map = std::string_view(html).substr(html.find("Where the ranks are"));
  const std::string_view squares = map.substr(0, map.find("<ul class=\"legend\""));
  CHECK(count(squares, "width=\"15\"") == 10 * 8);    // servers × GPUs
  CHECK(count(squares, "class=\"on on0\">A<") == 2);  // stage 0 on two servers
  CHECK(count(squares, "class=\"on on1\">B<") == 2);
  CHECK(count(squares, ">0</text>") == 2);  // replica 0 of either stage
  CHECK(count(squares, ">1</text>") == 2);
}

TEST_CASE("names from outside stand in the report as text, never as markup", "[report]") {
  constexpr std::string_view kEvil = "<script>alert(1)</script>&\"'\x1b[31m\xff";
  ClusterBuilder builder(std::string(kEvil), {"zone", "rack"});
  const std::string evil_level = "z<b>&\"'\x1b\xff";
  for (int i = 0; i < 4; ++i) {
    builder.add_server(std::array{evil_level + std::to_string(i / 2), evil_level},
                       std::string(kEvil.substr(0, 8)) + "&\"'\x1b\xff" + std::to_string(i), 8);
  }
  const Cluster cluster = builder.build();
  ClusterView view(cluster);
  const Fabric fabric = Fabric::build(cluster, cluster.backend(), view.health);
  const Job job = job_of(2, {{0, 1, 1000}}, std::string(kEvil));
  const PlacementProblem problem = pose(view, fabric, job, {});
  const std::array servers{ServerId{0}, ServerId{2}};
  Report report{problem, evaluate(problem, servers, std::string(kEvil)), {}, sample_provenance()};
  report.provenance.command = kEvil;
  report.placement.reasons = {std::string(kEvil)};
  report.placement.candidates = {{std::string(kEvil), {}, {}, 0, 0, std::string(kEvil)}};
  report.baselines = {{std::string(kEvil), std::string(kEvil), report.placement}};

  const std::string html = write_html(report);
  CHECK(html.find("<script") == std::string::npos);
  CHECK(html.find("<b>&") == std::string::npos);
  CHECK(html.find('\x1b') == std::string::npos);
  CHECK(html.find('\xff') == std::string::npos);
  CHECK(html.find("&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;&#39;") != std::string::npos);

  const std::string text = write_terminal(report, {120, false, true});
  CHECK(text.find('\x1b') == std::string::npos);
  const std::string json = write_json(report);
  CHECK(json.find('\x1b') == std::string::npos);
  CHECK(json.find('\xff') == std::string::npos);
}

TEST_CASE("names written from right to left are set apart from the figures beside them",
          "[report]") {
  ClusterBuilder builder("אשכול", {"zone", "rack"});
  for (int i = 0; i < 4; ++i) {
    const std::string zone = i < 2 ? "אזור צפון" : "منطقة-2";
    builder.add_server(std::array{zone, zone + ".ארון"}, "שרת-" + std::to_string(i), 8);
  }
  const Cluster cluster = builder.build();
  ClusterView view(cluster);
  const Fabric fabric = Fabric::build(cluster, cluster.backend(), view.health);
  const Job job = job_of(2, {{0, 1, 1000}}, "עבודה 7");
  const PlacementProblem problem = pose(view, fabric, job, {});
  const std::array servers{ServerId{0}, ServerId{2}};
  const std::string html =
      write_html({problem, evaluate(problem, servers, "test"), {}, sample_provenance()});
  for (const char* shown :
       {"<h3><bdi>אזור צפון</bdi> · ", "<bdi>منطقة-2</bdi>", "<bdi>שרת-0</bdi>",
        "<bdi>עבודה</bdi> 7", "title=\"\u2068שרת-0\u2069\"", "<title>\u2068שרת-2\u2069: "}) {
    INFO(shown);
    CHECK(html.find(shown) != std::string::npos);
  }
  // Nowhere does one stand bare: what is before each is what sets it apart, or another of its
  // letters.
  for (const char* name : {"אזור", "منطقة", "שרת", "עבודה", "אשכול"}) {
    for (auto at = html.find(name); at != std::string::npos; at = html.find(name, at + 1)) {
      INFO(html.substr(at - 20, 60));
      CHECK((html.substr(at - 5, 5) == "<bdi>" || html.substr(at - 3, 3) == "\u2068"));
    }
  }
}

TEST_CASE("a cluster of thousands of servers gives a small file", "[report]") {
  ClusterBuilder builder("large", {"zone", "rack"});
  for (int i = 0; i < 3072; ++i) {
    builder.add_server(
        std::array{"zone-" + std::to_string(i / 384), "rack-" + std::to_string(i / 2)},
        "gpu" + std::to_string(i), 8);
  }
  const Cluster cluster = builder.build();
  ClusterView view(cluster);
  const Fabric fabric = Fabric::build(cluster, cluster.backend(), view.health);
  const Job job = training_of(8, 256);
  const PlacementProblem problem = pose(view, fabric, job, {});
  std::vector<ServerId> scattered;  // the worst case: no two neighbours of a row are alike
  for (std::size_t i = 0; i < 2048; ++i) scattered.push_back(ServerId{(i * 1025) % 3072});
  const Report report{problem, evaluate(problem, scattered, "scattered"), {}, sample_provenance()};
  CHECK(write_html(report).size() < 1'500'000);
}
