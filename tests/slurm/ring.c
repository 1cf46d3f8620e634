/* Every rank says its server and MPI's own number of it, and a token goes once around the ring, so that
 * ranks are wired as they are numbered. It sets out a second late, when all ranks have left MPI_Init: under
 * Slurm's PMIx, Open MPI 4.1 was seen to call address 0 in there, most likely for a message of a rank that had
 * left it before. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank = 0, size = 0, token = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  if (rank == 0) {
    sleep(1);
    MPI_Send(&token, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
    MPI_Recv(&token, 1, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (token != size - 1) MPI_Abort(MPI_COMM_WORLD, 1);
  } else {
    MPI_Recv(&token, 1, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ++token;
    MPI_Send(&token, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
  }
  printf("at %d %s %s %d\n", rank, getenv("SLURMD_NODENAME"), getenv("SLURM_NODEID"), size);
  MPI_Finalize();
  return 0;
}
