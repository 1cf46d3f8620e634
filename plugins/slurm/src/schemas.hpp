#pragma once
// The names of the forms that zonecut's programs for Slurm answer each other in.

namespace zonecut::slurm {

/// The order of a step's servers: of `zonecut slurm-order` to the plugin.
inline constexpr const char* kOrderSchema = "zonecut.slurm-order/v1";
/// What slurmctld knows: of zonecut-slurm to zonecut.
inline constexpr const char* kSnapshotSchema = "zonecut.slurm/v1";

}  // namespace zonecut::slurm
