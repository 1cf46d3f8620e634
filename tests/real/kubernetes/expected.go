package realtest

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
)

// effort is how hard both `zonecut serve` and `zonecut place` search.
const effort = "fast"

// place is what `zonecut place` says of a job on the nodes of this case, all free: the node of each pod,
// in rank order, each pod having as many ranks as a node has GPUs.
func (l *lab) place(job string) []string {
	l.Helper()
	text := l.zonecutSays(nil, "place", "--cluster", l.imported(), "--job", job, "--effort", effort, "--json")
	var placement struct {
		Ranks []struct {
			Rank   int
			Server string
		}
	}
	if err := json.Unmarshal(text, &placement); err != nil {
		l.Fatalf("zonecut place: %v: %s", err, text)
	}
	var servers []string
	for _, rank := range placement.Ranks {
		if rank.Rank%gpusOfNode == 0 {
			servers = append(servers, rank.Server)
		}
	}
	return servers
}

// imported is the cluster file of what the nodes' labels say.
func (l *lab) imported() string {
	l.Helper()
	nodes, err := l.plane.client.CoreV1().RESTClient().Get().AbsPath("/api/v1/nodes").DoRaw(context.Background())
	if err != nil {
		l.Fatal(err)
	}
	cluster := filepath.Join(l.TempDir(), "cluster.yaml")
	l.zonecutSays(nodes, "topology", "import", "--from", "kubernetes-nodes",
		"--labels", l.zoneKey()+","+l.rackKey(), "-o", cluster, "-")
	return cluster
}

// zonecutSays is the stdout of the program under test.
func (l *lab) zonecutSays(input []byte, arguments ...string) []byte {
	l.Helper()
	command := exec.Command(zonecutProgram(l.T), arguments...)
	command.Stdin, command.Stderr = bytes.NewReader(input), os.Stderr
	text, err := command.Output()
	if err != nil {
		l.Fatalf("zonecut %v: %v", arguments, err)
	}
	return text
}
