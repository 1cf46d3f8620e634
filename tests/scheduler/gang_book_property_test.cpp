// What holds of the book whatever happens: members come, run and are lost, servers fill, close and
// vanish, and some members never arrive where they were sent.
#include <array>
#include <memory>

#include "gang_yard.hpp"
#include "support/catch.hpp"
#include "zonecut/base/random.hpp"

using namespace zonecut;

namespace {

constexpr std::array<const char*, 3> kDrawings = {
    "a: r1[s1 s2 s3 s4] \n b: r2[s5 s6 s7 s8]",
    "a: r1[s1 s2 s4] \n b: r2[s5 s6 s7 s8]",
    "b: r2[s8 s5 s7 s6] \n a: r1[s4 s3 s2]",
};

/// A book, the clusters it is moved between, and what runs: all drawn.
class Life {
 public:
  /// Of gangs whose members are all there, unless so many may be reserved ahead.
  explicit Life(std::uint64_t seed, std::optional<std::size_t> ahead = {})
      : random_(seed), lacks_(ahead.has_value()) {
    BookOptions options;
    options.ahead = ahead;
    for (std::size_t i = 0; i < kDrawings.size(); ++i)
      yards_[i] = std::make_unique<Yard>(kDrawings[i], options);
    for (const std::string name : {"g", "h", "i"}) {
      GangState state = yard().ring(name, 2 + random_.below(4), random_.below(3) == 0 ? 4 : 8);
      if (random_.below(2) == 0)
        state.gang.constraints.required_level = yard().sketched.cluster->zone_level();
      state.since = static_cast<std::int64_t>(random_.below(5));
      state.owner = name == "h" ? "guests" : "team";
      state.absent.assign(state.gang.members(), lacks_);
      states_.push_back(std::move(state));
    }
    tell();
  }

  void step() {
    now_ += static_cast<std::int64_t>(random_.below(4'000));
    GangState& state = states_[random_.below(states_.size())];
    const std::size_t member = random_.below(state.gang.members());
    if (lacks_ && random_.below(4) == 0) {
      state.absent[member] = !state.absent[member];
      tell();
    }
    switch (random_.below(7)) {
      case 0:
      case 1:
      case 2:
        if (!state.gang.standing[member] && !state.absent[member]) ask(state, member);
        break;
      case 3:
        if (state.gang.standing[member]) lose(state, member);
        break;
      case 4:
        fill_or_free();
        break;
      case 5:
        move();
        break;
      default:
        static_cast<void>(book().expire(now_));
        book().retry(at());
    }
    check_room();
  }

  /// When all promises have lapsed and nothing else has happened, members that wait ask once more.
  /// No gang waits for what it could have.
  void end() {
    now_ += 20'000;
    for (GangState& state : states_) state.absent.assign(state.gang.members(), false);
    tell();
    book().retry(at());
    for (GangState& state : states_) {
      for (std::size_t member = 0; member < state.gang.members(); ++member) {
        if (!state.gang.standing[member])
          static_cast<void>(book().server_for(state.gang.name, {member, {}, true}, at()));
      }
    }
    check_room();
    for (const GangState& state : states_) {
      if (state.pending == 0 || book().reservation(state.gang.name) != nullptr) continue;
      UsedGpus taken = book().reserved(used().size(), state.gang.name);
      for (const ServerId server : yard().eligible) taken[server] += used()[server];
      INFO(state.gang.name << " waits: " << book().why_waiting(state.gang.name));
      CHECK(
          std::holds_alternative<NoFit>(plan_gang(*yard().sketched.fabric, state.gang, taken, {})));
    }
  }

 private:
  Yard& yard() { return *yards_[at_]; }
  GangBook& book() { return yards_[0]->book; }
  UsedGpus& used() { return yard().used; }
  ClusterNow at() { return yard().at(now_); }

  void tell() {
    for (GangState& state : states_) {
      std::vector<ServerId> eligible = yard().eligible;
      std::erase_if(eligible, [&](ServerId s) { return closed_.contains(name_of(s)); });
      state.gang.eligible = std::move(eligible);
      state.pending = 0;
      for (std::size_t v = 0; v < state.gang.members(); ++v) {
        state.absent[v] = state.absent[v] && !state.gang.standing[v];
        state.pending += !state.absent[v] && !state.gang.standing[v];
      }
      book().set(state, now_);
    }
  }

  void ask(GangState& state, std::size_t member) {
    std::vector<ServerId> offered = yard().eligible;
    if (random_.below(2) == 0)
      offered.erase(offered.begin() + static_cast<std::ptrdiff_t>(random_.below(offered.size())));
    const auto named = book().server_for(state.gang.name, {member, only(offered), true}, at());
    if (!named) return;
    CHECK(std::binary_search(offered.begin(), offered.end(), *named));
    CHECK_FALSE(closed_.contains(name_of(*named)));
    const UsedGpus others = book().reserved(used().size(), state.gang.name);
    CHECK(used()[*named] + others[*named] + state.gang.gpus() <= 8);
    if (random_.below(3) == 0) return;  // it never comes there
    state.gang.standing[member] = *named;
    used()[*named] += state.gang.gpus();
    tell();
  }

  void lose(GangState& state, std::size_t member) {
    used()[*state.gang.standing[member]] -= state.gang.gpus();
    state.gang.standing[member].reset();
    tell();
    book().room_was_gained();
  }

  /// Something that is in no gang, or a server closed to new members.
  void fill_or_free() {
    const ServerId server = yard().eligible[random_.below(yard().eligible.size())];
    const std::string name = name_of(server);
    if (others_.contains(name)) {
      others_.erase(name);
      used()[server] -= 4;
      book().room_was_gained();
    } else if (closed_.contains(name)) {
      closed_.erase(name);
      book().room_was_gained();
    } else if (random_.below(2) == 0) {
      closed_.insert(name);
    } else if (used()[server] + book().reserved(used().size())[server] + 4 <= 8) {
      others_.insert(name);
      used()[server] += 4;
    }
    tell();
  }

  /// What ran on a server that is gone runs no more.
  void move() {
    const Cluster& before = *yard().sketched.cluster;
    at_ = random_.below(yards_.size());
    const Cluster& after = *yard().sketched.cluster;
    std::fill(used().begin(), used().end(), 0);
    for (GangState& state : states_) {
      for (std::optional<ServerId>& server : state.gang.standing) {
        if (server) server = after.find_server(before.server(*server).name);
        if (server) used()[*server] += state.gang.gpus();
      }
    }
    std::erase_if(others_, [&](const auto& name) { return !after.find_server(name); });
    for (const std::string& name : others_) used()[yard().server(name)] += 4;
    book().move_to(before, after);
    tell();
  }

  void check_room() {
    const UsedGpus reserved = book().reserved(used().size());
    for (const ServerId server : yard().eligible) {
      INFO(name_of(server) << " at " << now_);
      REQUIRE(used()[server] + reserved[server] <= 8);
    }
  }

  std::string name_of(ServerId server) { return yard().sketched.cluster->server(server).name; }

  Random random_;
  const bool lacks_;
  std::array<std::unique_ptr<Yard>, kDrawings.size()> yards_;
  std::size_t at_ = 0;
  std::vector<GangState> states_;
  std::set<std::string> closed_;
  std::set<std::string> others_;
  std::int64_t now_ = 1;
};

}  // namespace

TEST_CASE("no GPU is reserved twice, and no gang waits for ever for what it could have",
          "[scheduler][gang]") {
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    INFO("seed " << seed);
    Life life(seed);
    for (std::uint64_t i = 0; i < 1 + seed % 40; ++i) life.step();
    life.end();
  }
}

TEST_CASE("the same holds where members are not there, and what is reserved for them is taken",
          "[scheduler][gang]") {
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    INFO("seed " << seed);
    Life life(seed, seed % 4);
    for (std::uint64_t i = 0; i < 1 + seed % 40; ++i) life.step();
    life.end();
  }
}
