#include "effort_plan.hpp"

namespace zonecut {

EffortPlan effort_plan(Effort effort, std::size_t vertices) {
  constexpr std::int64_t kMillion = 1'000'000;
  const auto size = static_cast<std::int64_t>(vertices);
  switch (effort) {
    case Effort::Fast:
      return {{.metis_starts = 6,
               .anneal_steps = 15 * kMillion + 1500 * size,
               .anneal_runs = 2,
               .polish_steps = 5 * kMillion,
               .search_steps = 4 * kMillion,
               .kept = 6},
              {.metis_starts = 1, .polish_steps = kMillion, .kept = 2},
              5 * kMillion + 500 * size,
              20 * kMillion};
    case Effort::Balanced:
      return {{.metis_starts = 16,
               .anneal_steps = 150 * kMillion + 4000 * size,
               .anneal_runs = 6,
               .polish_steps = 10 * kMillion,
               .search_steps = 40 * kMillion,
               .kept = 10},
              {.metis_starts = 4,
               .anneal_steps = kMillion,
               .polish_steps = 2 * kMillion,
               .search_steps = kMillion},
              50 * kMillion,
              150 * kMillion};
    case Effort::Thorough:
      break;
  }
  return {{.metis_starts = 60,
           .anneal_steps = 1500 * kMillion + 20'000 * size,
           .anneal_runs = 24,
           .polish_steps = 50 * kMillion,
           .search_steps = 200 * kMillion,
           .kept = 16},
          {.metis_starts = 8,
           .anneal_steps = 10 * kMillion,
           .anneal_runs = 2,
           .polish_steps = 10 * kMillion,
           .search_steps = 10 * kMillion,
           .kept = 4},
          500 * kMillion,
          500 * kMillion};
}

}  // namespace zonecut
