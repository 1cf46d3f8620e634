package realtest

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	extender "k8s.io/kube-scheduler/extender/v1"
)

func bindVerb(l *lab) {
	l.build(zone{"north", []int{3, 4}}, zone{"south", []int{5, 4}})
	l.user = l.plane.tokenKubeconfig(l.T, l.name+"-binder", binderUser)
	l.settings.binds = true
	l.run("--bind")
	pods := l.gang("train", 12, pipeline(12))
	l.createQuickly(pods)
	l.equal(l.place(pipeline(12)), l.awaitAll(soon, pods))
	l.until("one answer of bind for each pod", soon, func() bool { return l.proxy.count("bind", "") == len(pods) })
	l.calm(pods)
	l.checkZonecut()
}

func bindTwice(l *lab) {
	nodes := l.build(evenZones(1, 2)...)
	l.user = l.plane.tokenKubeconfig(l.T, l.name+"-binder", binderUser)
	l.flags = []string{"--bind"}
	l.serve() // and no kube-scheduler: the test binds
	pod := l.pod("plain", gpusOfNode)
	l.create(pod)
	l.until("the pod to be seen", soon, func() bool { return len(l.allPods()) == 1 })
	arguments := extender.ExtenderBindingArgs{PodName: pod.Name, PodNamespace: l.name,
		PodUID: l.allPods()[0].UID, Node: nodes[2]}
	l.bindSays(arguments, "")
	l.awaitAll(soon, []*podObject{pod})
	bound := l.versionOf(pod.Name)
	for range 3 {
		l.bindSays(arguments, "")
	}
	arguments.Node = nodes[3]
	l.bindSays(arguments, "bound")
	if version := l.versionOf(pod.Name); version != bound {
		l.Errorf("binds that were repeated wrote to the pod: version %s after %s", version, bound)
	}
	if node := l.nodeOf(pod.Name); node != nodes[2] {
		l.Errorf("the pod is on %s, not on %s", node, nodes[2])
	}
	l.checkZonecut()
}

// versionOf changes with every write to a pod.
func (l *lab) versionOf(pod string) string {
	l.Helper()
	found, err := l.plane.client.CoreV1().Pods(l.name).Get(context.Background(), pod, metav1.GetOptions{})
	if err != nil {
		l.Fatal(err)
	}
	return found.ResourceVersion
}

// bindSays posts a bind and expects success, or an error where a word of one is given.
func (l *lab) bindSays(arguments extender.ExtenderBindingArgs, fault string) {
	l.Helper()
	var answer extender.ExtenderBindingResult
	l.proxy.post(l.T, "bind", arguments, &answer)
	if (answer.Error == "") != (fault == "") {
		l.Errorf("bind to %s: %s", arguments.Node, fmt.Sprintf("answer %q, expected %q", answer.Error, fault))
	}
}
