// Traces of three formats, and what is left out of them.
#include "zonecut/scheduler/job_trace.hpp"

#include "support/catch.hpp"
#include "zonecut/base/error.hpp"

using namespace zonecut;

namespace {

constexpr const char* kSwf =
    "; UnixStartTime: 0\n"
    "; MaxProcs: 128\n"
    "\n"
    "1 100  5 60 16 -1 -1 16 120 -1 1 3 1 -1 1 -1 -1 -1\n"
    "  2  40 0 30.5 -1 -1 -1 9 -1 -1 1 3 1 -1 1 -1 -1 -1\r\n"
    "3 120 -1 -1 -1 -1 -1 8 10 -1 5 3 1 -1 1 -1 -1 -1\n"
    "4 130 5 60 16 -1 -1 16 120 -1 2 3 1 -1 1 -1 -1 -1\n";

/// "submit duration gpus" of each job, joined.
std::string jobs_of(const JobTrace& trace) {
  std::string text;
  for (const TracedJob& job : trace.jobs) {
    text += (text.empty() ? "" : "; ") + job.name + " " + std::to_string(job.submit) + " " +
            std::to_string(job.duration) + " " + std::to_string(job.gpus);
  }
  return text;
}

std::string jobs_in(const std::string& text, const JobTraceOptions& options = {}) {
  return jobs_of(parse_trace(text, "trace", options));
}

/// All mistakes, one a line.
std::string mistakes_in(const std::string& text, const JobTraceOptions& options = {}) {
  try {
    static_cast<void>(parse_trace(text, "trace", options));
  } catch (const InputError& error) {
    std::string all;
    for (const Problem& problem : error.problems())
      all += problem.where + " " + problem.what + "\n";
    return all;
  }
  return "none";
}

}  // namespace

TEST_CASE("a standard workload is read by arrival, from its first one on", "[trace]") {
  const JobTrace trace = parse_trace(kSwf, "trace", {});
  CHECK(trace.format == ArrivalFormat::Swf);
  CHECK(jobs_of(trace) == "2 0 30500 9; 1 60000 60000 16");
  CHECK(trace.never_ran == 1);
  CHECK(trace.parts == 1);
}

TEST_CASE("processors of a standard workload become GPUs, rounded up", "[trace]") {
  CHECK(jobs_in(kSwf, {std::nullopt, 8}) == "2 0 30500 2; 1 60000 60000 2");
}

TEST_CASE("the trace of Philly counts GPUs, and its dates have no zone", "[trace]") {
  const std::string text =
      "timestamp,duration,num_gpus,gpu_time,cluster\n"
      "2017-10-09 07:01:55,66.0,1,66.0,11cb48\n"
      "2017-10-08 23:59:55,7.25,32,232,6214e9\n";
  const JobTrace trace = parse_trace(text, "trace", {});
  CHECK(trace.format == ArrivalFormat::Philly);
  CHECK(trace.dates);
  CHECK(trace.first == 1'507'507'195'000);
  CHECK(jobs_of(trace) == "2 0 7250 32; 1 25320000 66000 1");
}

TEST_CASE("a trace of our own has columns in any order, and jobs that say their work", "[trace]") {
  const JobTrace trace = parse_trace(
      "duration,submit,work,gpus,name\n"
      "60,10,\"tp=8,pp=2,dp=2\",,big\n"
      "0,11,,4,cancelled\n"
      "5,10,,4,\n",
      "trace", {});
  CHECK(trace.format == ArrivalFormat::Csv);
  CHECK(jobs_of(trace) == "big 0 60000 0; 3 0 5000 4");
  CHECK(trace.jobs.front().work == "tp=8,pp=2,dp=2");
  CHECK(trace.never_ran == 1);
}

TEST_CASE("every mistake of a trace is told with its place", "[trace]") {
  CHECK(
      mistakes_in("submit,duration,gpus\n1,x,3\n2,5\n-1,5,0x8\n") ==
      "trace:2:3 duration: found \"x\", expected seconds from 0 to 1e10, in digits such as 3600.5\n"
      "trace:3:1 found 2 fields, expected 3 as in the header\n"
      "trace:4:1 submit: found \"-1\", expected seconds from 0 to 1e10, in digits, or a date such "
      "as "
      "2017-10-09 "
      "07:01:55\n"
      "trace:4:6 gpus: found \"0x8\", expected a number of GPUs up to 4194304\n");
  CHECK(mistakes_in("submit,duration,gpu\n1,2,3\n") ==
        "trace:1:17 found column \"gpu\", expected submit,duration,gpus,name,work\n"
        "trace:1:1 found no column gpus\n");
  for (const char* header : {"submit;duration;gpus", "submit\tduration\tgpus"}) {
    CHECK(mistakes_in(std::string(header) + "\n0;1;8\n") ==
          "trace:1:1 found no commas in the header, expected submit,duration,gpus,name,work\n");
  }
  CHECK(mistakes_in("1 2 3\n") == "trace:1:1 found 3 columns, expected 18\n");
  CHECK(mistakes_in("1 100 5 nan 16 -1 -1 16 120 -1 1 3 1 -1 1 -1 -1 -1\n",
                    {ArrivalFormat::Swf, 1}) ==
        "trace:1:9 column 4: found \"nan\", expected a number from -1 to 1e10\n");
  CHECK(mistakes_in("a: b\n").find("begins no trace that is known") != std::string::npos);
  CHECK(mistakes_in("").find("found no line") != std::string::npos);
  CHECK(mistakes_in("; nothing else\n").find("found no job that ran") != std::string::npos);
  CHECK(mistakes_in("submit,duration,gpus\n1,2,\xff\n").find("UTF-8") != std::string::npos);
}

TEST_CASE("seconds and dates are not mixed in one trace", "[trace]") {
  CHECK(mistakes_in("submit,duration,gpus\n1,2,3\n2017-10-09,2,3\n") ==
        "trace:3:1 submit: found \"2017-10-09\", expected seconds, as in the rows before\n");
}

TEST_CASE("dates are days that exist", "[trace]") {
  CHECK(parse_date("1970-01-02") == 86'400'000);
  CHECK(parse_date("1970-01-01T00:00:01Z") == 1'000);
  CHECK_FALSE(parse_date("2017-02-29"));
  CHECK_FALSE(parse_date("2017-10-09 24:00:00"));
  CHECK_FALSE(parse_date("2017-10-09 07:01"));
  CHECK_FALSE(parse_date("2017-10-09 07:01:55.5"));
}

TEST_CASE("seconds are decimal and not negative", "[trace]") {
  CHECK(parse_milliseconds("1.5") == 1'500);
  CHECK(parse_milliseconds("10000000000") == 10'000'000'000'000);
  for (const char* text : {"", "-0", "-1", "1e3", "inf", "nan", "1 ", "0x1", "10000000001"})
    CHECK_FALSE(parse_milliseconds(text));
}

TEST_CASE("a window counts from the first arrival, and load presses arrivals together", "[trace]") {
  const std::string text = "submit,duration,gpus\n100,1,1\n110,2,2\n120,3,3\n130,4,4\n";
  const JobTrace trace = parse_trace(text, "trace", {});
  TraceSelection selection;
  selection.from = 10'000;
  selection.until = 30'000;
  CHECK(jobs_of(select_jobs(trace, selection)) == "2 0 2000 2; 3 10000 3000 3");
  selection.load = 4;
  selection.gpu_scale = 2.5;
  CHECK(jobs_of(select_jobs(trace, selection)) == "2 0 2000 5; 3 2500 3000 8");
  selection.jobs = 1;
  CHECK(jobs_of(select_jobs(trace, selection)) == "2 0 2000 5");
  selection.from = 1'000'000;
  selection.until.reset();
  CHECK(select_jobs(trace, selection).jobs.empty());
}

TEST_CASE("the GPUs of jobs that say their work are not scaled", "[trace]") {
  const JobTrace trace =
      parse_trace("submit,duration,gpus,work\n1,1,,\"tp=8,dp=2\"\n", "trace", {});
  TraceSelection selection;
  selection.gpu_scale = 2;
  CHECK_THROWS_AS(select_jobs(trace, selection), InputError);
}
