package realtest

import (
	"flag"
	"os"
	"testing"

	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"
)

// rolesOfTheBinary are what this program is when asRole names one: a process of its own that can be killed.
var rolesOfTheBinary = map[string]func() int{
	"kube-scheduler": func() int { return cli.Run(app.NewSchedulerCommand()) },
	"idle-extender":  idleExtender,
	"load-caller":    loadCaller,
	"pod":            becomePod,
}

func TestMain(m *testing.M) {
	if role, known := rolesOfTheBinary[os.Getenv(asRole)]; known {
		os.Exit(role())
	}
	flag.Parse()
	os.Exit(m.Run())
}
