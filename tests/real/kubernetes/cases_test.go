package realtest

import "testing"

// realCase is one case: a sentence, the name of its lab (a DNS label), and what happens.
type realCase struct {
	sentence, lab string
	run           func(*lab)
}

// Counting cases run one after another: in them nothing but what they do themselves wakes a pod.
var countingCases = []realCase{
	{"a gang that does not fit waits in silence until room comes", "shortage", waitsForRoom},
	{"the pods of an incomplete gang cost no calls", "incomplete", incompleteGangIsCalm},
	{"two gangs that race for the same room: one lands whole, then the other", "race", twoGangsRace},
	{"nobody is evicted for a gang that waits", "no-eviction", nobodyIsEvictedForAGang},
	{"gangs whose words contradict themselves wait in silence, and are told why", "contradiction", wordsContradict},
	{"a gang whose size cannot be read waits in silence, and is told why", "narrow", sizeCannotBeRead},
	{"servers of pods that do not exist go to one that does and has no other room, beyond so many", "ahead", fewAreReservedAhead},
	{"a StatefulSet as large as the cluster starts pod by pod", "ordered", orderedSetStarts},
	{"servers are kept for the next pod of a set while the last gets ready", "slow-set", slowSetKeepsServers},
	{"a gang is woken when room comes that the API does not tell of", "woken", wokenByOwnPatch},
	{"at the start the sizes of gangs are listed, of those that run", "listed", sizesAreListed},
	{"whom a killed zonecut refused is woken by the next", "woken-anew", refusedAreWoken},
	{"nonsense is refused and slow clients are borne, while gangs land", "nonsense", nonsenseIsRefused},
}

var parallelCases = []realCase{
	{"64 pods land on 100 nodes in uneven zones exactly as zonecut place says", "large", largeGangLandsAsPlaced},
	{"gangs of every source land in rank order", "sources", everySourceInRankOrder},
	{"gangs without ranks land whole", "rankless", gangsWithoutRanks},
	{"a cluster file says where nodes are, whatever their labels say", "cluster-file", clusterFileSaysWhere},
	{"pods with half of a node's GPUs share nodes in rank order", "half", twoPodsOnANode},
	{"whole nodes travel when kube-scheduler does not name them", "whole-nodes", wholeNodesTravel},
	{"a queue of gangs drains while zonecut dies again and again", "queue", queueDrains},
	{"a gang is finished whatever dies, with kill -9 at every pod", "always-killed", killedAtEveryPod},
	{"gates are lifted by the same plan after kill -9 between them", "opening", killedWhileOpening},
	{"a cut line to the API server is mended", "line", lineIsCut},
	{"a log that nobody reads holds nobody up", "stalled-log", logIsNotRead},
	{"a token that becomes valid later is read again", "token", tokenComesLater},
	{"a gang is finished after kill -9 between its pods", "killed", finishedAfterKill},
	{"a gang is finished after a restart between its pods", "restarted", finishedAfterRestart},
	{"a bound part of a gang is completed around what is bound", "partial", completedAroundBound},
	{"while zonecut is down gangs wait, and land when it is back", "down", waitsWhileDown},
	{"with ignorable true a dead zonecut lets plain pods pass", "ignorable", ignorableLetsPlainPodsPass},
	{"a planned node that is cordoned is replaced", "cordoned", plannedNodeCordoned},
	{"a planned node that is deleted is replaced", "deleted", plannedNodeDeleted},
	{"a rank that died with its node comes to the others", "lost", lostRankIsReplaced},
	{"a rank whose pod died comes back to its node", "back", sameRankComesBack},
	{"a pod made anew takes the place of the one with its name", "anew", sameNameTakesThePlace},
	{"a plain pod still evicts one of lower priority", "eviction", plainPodEvicts},
	{"plain pods land as ever, with GPUs and without", "plain", plainPodsLand},
	{"a pod of no gang that has words for one lands by itself, and is told so", "gangless", ganglessIsTold},
	{"a plain pod takes no GPU that a gang has reserved", "reserved", plainPodsLeaveReservedRoom},
	{"a burst of plain pods leaves a gang what is reserved for it", "burst", burstLeavesReservedRoom},
	{"a filter call with one node is answered for that node", "one-node", oneNodeFilterCall},
	{"a bind that is repeated succeeds, one elsewhere fails", "bind-twice", bindTwice},
	{"a gang lands through the bind verb", "bind-verb", bindVerb},
	{"gates are lifted once a gang is planned", "gates", gatesAreLifted},
	{"gated pods of an incomplete gang stay gated", "gated", incompleteGangStaysGated},
	{"every kind of credential is accepted", "credentials", everyCredential},
	{"over TLS only clients with a certificate are answered", "tls", onlyKnownClients},
	{"a standby takes over when the leader is killed", "lease", standbyTakesOver},
}

func TestKubernetes(t *testing.T) {
	plane := startControlPlane(t)
	for _, one := range countingCases {
		t.Run(one.sentence, func(t *testing.T) { one.run(newLab(t, plane, one.lab)) })
	}
	for _, one := range parallelCases {
		t.Run(one.sentence, func(t *testing.T) {
			t.Parallel()
			one.run(newLab(t, plane, one.lab))
		})
	}
}

// TestNativeGang needs a control plane with features that are off by default.
func TestNativeGang(t *testing.T) {
	const features = "GenericWorkload=true,GangScheduling=true"
	plane := startControlPlane(t, "--feature-gates="+features, "--runtime-config=scheduling.k8s.io/v1alpha2=true")
	for _, one := range []realCase{
		{"a gang of the native kind lands whole", "native", nativeGangLandsWhole},
		{"a gang of the native kind waits for room", "native-shortage", nativeGangWaits},
	} {
		t.Run(one.sentence, func(t *testing.T) {
			l := newLab(t, plane, one.lab)
			l.settings.features = features
			one.run(l)
		})
	}
}
