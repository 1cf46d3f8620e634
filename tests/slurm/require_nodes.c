/* Requires one server of a pending job, named COUNT times: a list longer than commands take.
 * usage: require_nodes JOB SERVER COUNT */
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const size_t count = strtoul(argv[3], NULL, 10);
  char* list = calloc(count, strlen(argv[2]) + 1);
  char* end = list;
  for (size_t i = 0; i < count; ++i) end += sprintf(end, i == 0 ? "%s" : ",%s", argv[2]);
  slurm_init(NULL);
  job_desc_msg_t change;
  slurm_init_job_desc_msg(&change);
  change.job_id_str = argv[1];
  change.req_nodes = list;
  job_array_resp_msg_t* answer = NULL;
  if (slurm_update_job2(&change, &answer) == SLURM_SUCCESS) return 0;
  slurm_perror("slurm_update_job2");
  return 1;
}
