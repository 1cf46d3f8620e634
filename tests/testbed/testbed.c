// Runs phases of collectives on all ranks and prints how long each took.
// usage: testbed REPETITIONS KIND:SIZE:STRIDE:BYTES:TIMES …
// Groups of SIZE ranks with STRIDE between members. Kinds:
//   allreduce  BYTES of floats           alltoall  buffers of BYTES, BYTES / SIZE to each member
//   chain      TIMES micro-batches of BYTES from the first member through all to the last
//   back       the same from the last to the first
//   stripes    BYTES to the next member of a ring, dealt over TIMES connections of its own
// Every phase runs once unmeasured, since connections open at first use. Then rank 0 prints "ready",
// and waits for a line.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <mpi.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kMostStripes = 64, kPort = 7777, kChunk = 65536 };

typedef struct {
  char kind[16];
  int size, stride, bytes, times;
  MPI_Comm group;
  int out[kMostStripes], in[kMostStripes];  // stripes
} Phase;

static int rank, ranks;
static char *sent, *received;

// Open MPI calls this while it waits. Ranks that spin would take the processor from the kernel's
// forwarding, which here is the fabric.
int sched_yield(void) { return usleep(100); }

static void require(int holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "testbed: rank %d: ", rank);
  perror(what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void chain(const Phase *phase, int direction) {
  int me, last = phase->size - 1;
  MPI_Comm_rank(phase->group, &me);
  int place = direction > 0 ? me : last - me;
  MPI_Request in[phase->times], out = MPI_REQUEST_NULL;
  for (int i = 0; place > 0 && i < phase->times; ++i)
    MPI_Irecv(received, phase->bytes, MPI_BYTE, me - direction, i, phase->group, &in[i]);
  for (int i = 0; i < phase->times; ++i) {
    if (place > 0) MPI_Wait(&in[i], MPI_STATUS_IGNORE);
    if (place == last) continue;
    MPI_Wait(&out, MPI_STATUS_IGNORE);
    MPI_Isend(sent, phase->bytes, MPI_BYTE, me + direction, i, phase->group, &out);
  }
  MPI_Wait(&out, MPI_STATUS_IGNORE);
}

static struct in_addr own_address(void) {
  struct in_addr found = {0};
  struct ifaddrs *all, *it;
  require(getifaddrs(&all) == 0, "getifaddrs");
  for (it = all; it; it = it->ifa_next)
    if (it->ifa_addr && it->ifa_addr->sa_family == AF_INET && strcmp(it->ifa_name, "be0") == 0)
      found = ((struct sockaddr_in *)it->ifa_addr)->sin_addr;
  freeifaddrs(all);
  return found;
}

static void connect_stripes(Phase *phase) {
  require(phase->times <= kMostStripes, "too many stripes");
  int me, one = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
  struct in_addr mine = own_address(), all[ranks];
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(kPort), .sin_addr = mine};
  MPI_Comm_rank(phase->group, &me);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  require(bind(listener, (struct sockaddr *)&at, sizeof at) == 0, "bind");
  require(listen(listener, kMostStripes) == 0, "listen");
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, phase->group);
  MPI_Barrier(MPI_COMM_WORLD);
  at.sin_addr = all[(me + 1) % phase->size];
  for (int i = 0; i < phase->times; ++i) {
    phase->out[i] = socket(AF_INET, SOCK_STREAM, 0);
    require(connect(phase->out[i], (struct sockaddr *)&at, sizeof at) == 0, "connect");
    fcntl(phase->out[i], F_SETFL, O_NONBLOCK);
  }
  for (int i = 0; i < phase->times; ++i) {
    phase->in[i] = accept(listener, NULL, NULL);
    require(phase->in[i] >= 0, "accept");
    fcntl(phase->in[i], F_SETFL, O_NONBLOCK);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  close(listener);
}

static void stripes(Phase *phase) {
  int n = phase->times, open = 2 * n;
  int left[2 * n];
  struct pollfd on[2 * n];
  for (int i = 0; i < 2 * n; ++i) {
    left[i] = phase->bytes / n;
    on[i] = (struct pollfd){i < n ? phase->out[i] : phase->in[i - n], i < n ? POLLOUT : POLLIN, 0};
  }
  while (open > 0) {
    require(poll(on, 2 * n, 60000) > 0, "poll");
    for (int i = 0; i < 2 * n; ++i) {
      if (!on[i].revents) continue;
      size_t want = left[i] < kChunk ? left[i] : kChunk;
      ssize_t got = i < n ? write(on[i].fd, sent, want) : read(on[i].fd, received, want);
      require(got > 0, "a stripe");
      left[i] -= got;
      if (left[i] == 0) on[i].fd = -1, --open;
    }
  }
}

static void run(Phase *phase) {
  if (strcmp(phase->kind, "allreduce") == 0)
    MPI_Allreduce(sent, received, phase->bytes / 4, MPI_FLOAT, MPI_SUM, phase->group);
  else if (strcmp(phase->kind, "alltoall") == 0)
    MPI_Alltoall(sent, phase->bytes / phase->size, MPI_BYTE, received, phase->bytes / phase->size,
                 MPI_BYTE, phase->group);
  else if (strcmp(phase->kind, "stripes") == 0)
    stripes(phase);
  else
    chain(phase, strcmp(phase->kind, "back") == 0 ? -1 : 1);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int count = argc - 2, most = 0;
  Phase phases[count];
  for (int i = 0; i < count; ++i) {
    Phase *p = &phases[i];
    require(sscanf(argv[i + 2], "%15[a-z]:%d:%d:%d:%d", p->kind, &p->size, &p->stride, &p->bytes,
                   &p->times) == 5, "phase");
    MPI_Comm_split(MPI_COMM_WORLD, rank / (p->size * p->stride) * p->stride + rank % p->stride, rank,
                   &p->group);
    if (p->bytes > most) most = p->bytes;
  }
  sent = calloc(1, most + kChunk);
  received = calloc(1, most + kChunk);
  for (int i = 0; i < count; ++i) {
    if (strcmp(phases[i].kind, "stripes") == 0) connect_stripes(&phases[i]);
    run(&phases[i]);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) {
    printf("ready\n");
    fflush(stdout);
    while (getchar() != '\n' && !feof(stdin)) {}
  }
  for (int repetition = 0; repetition < atoi(argv[1]); ++repetition)
    for (int i = 0; i < count; ++i) {
      double longest = 0;
      MPI_Barrier(MPI_COMM_WORLD);
      double mine = -MPI_Wtime();
      run(&phases[i]);
      mine += MPI_Wtime();
      MPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
      if (rank == 0) printf("took %d %.6f\n", i, longest), fflush(stdout);
    }
  MPI_Finalize();
  return 0;
}
