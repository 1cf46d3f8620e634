package realtest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// killedAtEveryPod: no run of zonecut sees more than one pod begin.
func killedAtEveryPod(l *lab) {
	l.build(zone{"north", []int{3, 4}}, zone{"south", []int{5, 4}})
	l.run()
	expected := l.place(pipeline(8))
	pods := l.gang("train", 8, pipeline(8))
	for i, pod := range shuffled(pods) {
		l.create(pod)
		if i%2 == 0 {
			l.until("zonecut to be asked", soon, func() bool { return l.proxy.count("filter", pod.Name) > 0 })
		}
		l.zonecut.kill()
		l.serve()
	}
	l.equal(expected, l.awaitAll(soon, pods))
	l.calmBetweenDeaths(pods)
	l.checkZonecut()
}

// killedWhileOpening: kube-scheduler is not there yet, so that nothing but the opened pods themselves says
// what was planned.
func killedWhileOpening(l *lab) {
	l.build(evenZones(4, 10)...)
	pods := l.gang("train", 64, "tp=8,pp=8,dp=8,model=llama3-70b")
	gated(pods, gateWord)
	l.createQuickly(pods)
	l.flags = []string{"--gates"}
	l.serve()
	open := func() int {
		count := 0
		for _, pod := range l.allPods() {
			if !holdsGate(pod, gateWord) {
				count++
			}
		}
		return count
	}
	l.until("the first gates to be lifted", soon, func() bool { return open() > 0 })
	l.zonecut.kill()
	opened := open()
	l.Logf("%d of 64 gates were lifted when zonecut died", opened)
	l.serve()
	l.until("all gates to be lifted", soon, func() bool { return open() == len(pods) })
	l.settings.extender = ""
	l.schedule()
	l.equal(l.place("tp=8,pp=8,dp=8,model=llama3-70b"), l.awaitAll(soon, pods))
	if written := l.metric("zonecut_api_writes_total", `kind="gate"`); written > len(pods)-opened {
		l.Errorf("%d patches for %d gates that were left", written, len(pods)-opened)
	}
	l.checkZonecut()
}

// queueDrains: ten gangs of which two fit at a time; each ends when it is whole. zonecut dies and returns
// again and again meanwhile.
func queueDrains(l *lab) {
	l.build(zone{"north", []int{3, 4}}, zone{"south", []int{5, 4}})
	l.run()
	gangs := map[int][]*podObject{}
	for i := range 10 {
		gangs[i] = l.gang(fmt.Sprintf("gang%d", i), 6, pipeline(6))
	}
	for rank := range 6 {
		for i := range 10 {
			l.create(gangs[i][rank])
		}
	}
	died := time.Now()
	l.until("the queue to drain", 2*time.Minute, func() bool {
		for i, pods := range gangs {
			if l.bound(pods) == len(pods) {
				l.distinct(l.nodesOf(pods))
				l.calmBetweenDeaths(pods)
				l.delete(namesOf(pods)...)
				delete(gangs, i)
			}
		}
		if time.Since(died) > time.Second {
			l.zonecut.kill()
			l.serve()
			died = time.Now()
		}
		return len(gangs) == 0
	})
	l.checkZonecut()
}

// lineIsCut: zonecut's watches break, and what comes to pass meanwhile is told when they are back.
func lineIsCut(l *lab) {
	nodes := l.build(evenZones(2, 2)...)
	line := startLine(l.T, l.plane.address)
	l.user = l.plane.kubeconfigBy(l.T, l.name+"-line", tokenLine(zonecutUser), line.address)
	l.run()
	low := l.occupied(nodes[:4])
	pods := l.gang("train", 8, pipeline(8))
	l.create(pods...)
	l.staysUnbound(time.Second, pods)
	line.cut()
	l.delete(namesOf(low)...)
	l.staysUnbound(2*time.Second, pods)
	line.mend()
	l.equal(l.place(pipeline(8)), l.awaitAll(soon, pods))
	l.calm(pods)
}

// tokenComesLater: a token that is not valid yet, as when it is rotated at the wrong moment.
func tokenComesLater(l *lab) {
	l.build(evenZones(2, 2)...)
	l.user = l.plane.tokenFileKubeconfig(l.T, l.name+"-file", "stale")
	zonecut := l.startZonecut()
	time.Sleep(2 * time.Second)
	if zonecut.status("/healthz") != http.StatusOK || zonecut.status("/readyz") != http.StatusServiceUnavailable {
		l.Fatalf("/healthz says %d, /readyz %d", zonecut.status("/healthz"), zonecut.status("/readyz"))
	}
	l.plane.write(l.T, l.name+"-file.token", zonecutUser+"\n")
	eventually(l, "zonecut to read its token again", 60*time.Second, zonecut.isReady)
	l.zonecut = zonecut
	l.proxy.send(zonecut.address)
	l.schedule()
	pods := l.gang("train", 8, pipeline(8))
	l.create(pods...)
	l.equal(l.place(pipeline(8)), l.awaitAll(soon, pods))
	l.calm(pods)
}

// sizeCannotBeRead: without the right to read Jobs a gang must wait, and say why; a pod of it that is taken
// for one of none would land anywhere.
func sizeCannotBeRead(l *lab) {
	l.build(zone{"north", []int{3, 4}}, zone{"south", []int{5, 4}})
	l.user = l.plane.tokenKubeconfig(l.T, l.name+"-narrow", narrowUser)
	l.run()
	pods := l.ofJob()
	l.create(pods...)
	l.staysUnbound(3*time.Second, pods)
	l.isTold(pods, "GangWaiting")
	l.calm(pods)
	if !strings.Contains(l.zonecut.text(), "forbidden") {
		l.Errorf("the log does not say what zonecut may not read")
	}
	for _, pod := range pods {
		l.annotate(pod.Name, sizeWord, fmt.Sprint(len(pods)))
	}
	l.equal(l.place(pipeline(podsOfSource)), l.awaitAll(soon, pods))
	l.calm(pods)
}

// wordsContradict: kube-scheduler begins when all pods are there, since a gang is planned at the sight of its
// first pod, before a mistake in a later one can be seen.
func wordsContradict(l *lab) {
	l.build(evenZones(2, 2)...)
	l.serve()
	twins := l.gang("twins", 4, pipeline(4))
	twins[3].Annotations[rankWord] = "2"
	nonsense := l.gang("nonsense", 4, "tp=banana")
	beyond := l.gang("beyond", 4, pipeline(4))[3:]
	beyond[0].Annotations[rankWord] = "4"
	all := slices.Concat(twins, nonsense, beyond)
	l.create(all...)
	l.schedule()
	l.staysUnbound(4*time.Second, all)
	for _, gang := range [][]*podObject{twins, nonsense, beyond} {
		l.isTold(gang, "GangWaiting")
	}
	l.calm(all)
	fine := l.gang("fine", 8, pipeline(8))
	l.create(fine...)
	l.distinct(l.awaitAll(soon, fine))
	l.calm(fine)
	l.checkZonecut()
}
