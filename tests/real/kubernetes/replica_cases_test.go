package realtest

import (
	"net/http"
	"time"
)

func everyCredential(l *lab) {
	l.build(evenZones(2, 2)...)
	l.schedule()
	users := map[string]string{
		"token-file":  l.plane.tokenFileKubeconfig(l.T, l.name+"-file", zonecutUser),
		"certificate": l.plane.certificateKubeconfig(l.T, l.name+"-certificate", zonecutUser),
	}
	for name, kubeconfig := range users {
		l.user = kubeconfig
		l.serve()
		pods := l.gang(name, 8, pipeline(8))
		l.create(pods...)
		l.equal(l.place(pipeline(8)), l.awaitAll(soon, pods))
		l.calm(pods)
		l.checkZonecut()
		l.zonecut.terminate()
		l.delete(namesOf(pods)...)
	}
}

// standbyTakesOver: two replicas, of which the one that leads is ready; kill -9 ends it in mid-gang.
func standbyTakesOver(l *lab) {
	l.build(zone{"north", []int{3, 4}}, zone{"south", []int{5, 4}})
	lease := []string{"--lease", l.name + "/zonecut"}
	l.flags = lease
	l.serve()
	standby := l.startZonecut(lease...)
	l.schedule()
	pods := l.gang("train", 8, pipeline(8))
	l.create(pods[:4]...)
	l.until("zonecut to be asked", soon, func() bool { return l.proxy.count("filter", "train-3") > 0 })
	if status := standby.status("/readyz"); status != http.StatusServiceUnavailable {
		l.Errorf("the standby's /readyz says %d", status)
	}
	if status := standby.status("/healthz"); status != http.StatusOK {
		l.Errorf("the standby's /healthz says %d", status)
	}
	l.zonecut.kill()
	begin := time.Now()
	eventually(l, "the standby to lead", 60*time.Second, standby.isReady)
	l.Logf("the standby leads %v after the leader's death", time.Since(begin).Round(time.Millisecond))
	l.zonecut = standby
	l.proxy.send(standby.address)
	l.create(pods[4:]...)
	l.equal(l.place(pipeline(8)), l.awaitAll(soon, pods))
	l.calm(pods)
	l.checkZonecut()
}
