#pragma once
// The commands of the program. Each adds itself to the command line and, when it is the one chosen,
// leaves what it does in session.run.
#include <CLI/CLI.hpp>

#include "session.hpp"

namespace zonecut::cli {

void add_attribute_command(CLI::App& app, Session& session);
void add_map_command(CLI::App& app, Session& session);
void add_place_command(CLI::App& app, Session& session);
void add_predict_command(CLI::App& app, Session& session);
void add_report_command(CLI::App& app, Session& session);
void add_serve_command(CLI::App& app, Session& session);
void add_simulate_command(CLI::App& app, Session& session);
void add_slurm_order_command(CLI::App& app, Session& session);
void add_slurm_placer_command(CLI::App& app, Session& session);
void add_job_command(CLI::App& app, Session& session);
void add_topology_command(CLI::App& app, Session& session);
void add_whatif_command(CLI::App& app, Session& session);
void add_completion_command(CLI::App& app, Session& session);
void add_help_command(CLI::App& app, Session& session);

}  // namespace zonecut::cli
