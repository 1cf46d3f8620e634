package realtest

import (
	"context"
	"fmt"
	"strconv"

	batchv1 "k8s.io/api/batch/v1"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// Pods of each source in rank order, labelled as its controller does it, and their owner, which alone
// says how many there are. The controllers themselves are not here.

const podsOfSource = 12

// members makes pods NAME-SUFFIX owned by an object; `mark` says what its controller would.
func (l *lab) members(name string, owner *metav1.OwnerReference, mark func(rank int, pod *corev1.Pod)) []*corev1.Pod {
	var pods []*corev1.Pod
	for rank := range podsOfSource {
		pod := l.pod(fmt.Sprintf("%s-%d", name, rank), gpusOfNode)
		pod.Annotations[jobWord] = pipeline(podsOfSource)
		if owner != nil {
			pod.OwnerReferences = []metav1.OwnerReference{*owner}
		}
		mark(rank, pod)
		pods = append(pods, pod)
	}
	return pods
}

func controlledBy(version, kind, name string, uid types.UID) *metav1.OwnerReference {
	isController := true
	return &metav1.OwnerReference{APIVersion: version, Kind: kind, Name: name, UID: uid, Controller: &isController}
}

func (l *lab) custom(kind customKind, name string, spec map[string]any) *metav1.OwnerReference {
	l.Helper()
	made := l.plane.create(l.T, kind, l.name, name, spec)
	return controlledBy(made.GetAPIVersion(), made.GetKind(), name, made.GetUID())
}

// template is that of a pod which asks for all GPUs of a node.
func (l *lab) template(policy corev1.RestartPolicy, labels map[string]string) corev1.PodTemplateSpec {
	spec := l.pod("any", gpusOfNode).Spec
	spec.RestartPolicy = policy
	return corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: spec}
}

// looseTemplate is the same for objects of custom kinds.
func (l *lab) looseTemplate() map[string]any {
	l.Helper()
	template := l.template(corev1.RestartPolicyNever, nil)
	loose, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&template)
	if err != nil {
		l.Fatal(err)
	}
	return loose
}

func (l *lab) batchJob(name string, completions int32) *metav1.OwnerReference {
	l.Helper()
	indexed := batchv1.IndexedCompletion
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: batchv1.JobSpec{
		Completions: &completions, Parallelism: &completions, CompletionMode: &indexed,
		Template: l.template(corev1.RestartPolicyNever, nil)}}
	made, err := l.plane.client.BatchV1().Jobs(l.name).Create(context.Background(), job, metav1.CreateOptions{})
	if err != nil {
		l.Fatal(err)
	}
	return controlledBy("batch/v1", "Job", name, made.UID)
}

func indexedPod(pod *corev1.Pod, job string, index int) {
	pod.Labels["batch.kubernetes.io/job-name"], pod.Labels["job-name"] = job, job
	pod.Labels["batch.kubernetes.io/job-completion-index"] = strconv.Itoa(index)
	pod.Annotations["batch.kubernetes.io/job-completion-index"] = strconv.Itoa(index)
}

func (l *lab) ofJob() []*corev1.Pod {
	return l.members("job", l.batchJob("job", podsOfSource), func(rank int, pod *corev1.Pod) {
		indexedPod(pod, "job", rank)
	})
}

// ofJobSet: three jobs of four pods.
func (l *lab) ofJobSet() []*corev1.Pod {
	const jobs, podsOfJob = 3, podsOfSource / 3
	l.custom(jobSetKind, "set", map[string]any{"replicatedJobs": []any{map[string]any{
		"name": "workers", "replicas": jobs,
		"template": map[string]any{"spec": map[string]any{"parallelism": podsOfJob, "completions": podsOfJob,
			"template": l.looseTemplate()}},
	}}})
	var owners []*metav1.OwnerReference
	for job := range jobs {
		owners = append(owners, l.batchJob(fmt.Sprintf("set-workers-%d", job), podsOfJob))
	}
	return l.members("set", nil, func(rank int, pod *corev1.Pod) {
		job := rank / podsOfJob
		pod.OwnerReferences = []metav1.OwnerReference{*owners[job]}
		indexedPod(pod, owners[job].Name, rank%podsOfJob)
		for key, value := range map[string]string{
			"jobset-name": "set", "replicatedjob-name": "workers", "replicatedjob-replicas": strconv.Itoa(jobs),
			"job-index": strconv.Itoa(job), "job-global-index": strconv.Itoa(job), "global-replicas": strconv.Itoa(jobs),
		} {
			pod.Labels["jobset.sigs.k8s.io/"+key], pod.Annotations["jobset.sigs.k8s.io/"+key] = value, value
		}
	})
}

// ofLeaderWorkerSet: the second of two groups.
func (l *lab) ofLeaderWorkerSet() []*corev1.Pod {
	l.custom(leaderWorkerKind, "lws", map[string]any{"replicas": 2,
		"leaderWorkerTemplate": map[string]any{"size": podsOfSource, "workerTemplate": l.looseTemplate()}})
	return l.members("lws-1", l.statefulSet("lws-1", podsOfSource-1), func(rank int, pod *corev1.Pod) {
		for key, value := range map[string]string{"name": "lws", "group-index": "1", "group-key": "689ce1b5",
			"worker-index": strconv.Itoa(rank)} {
			pod.Labels["leaderworkerset.sigs.k8s.io/"+key] = value
		}
		pod.Annotations["leaderworkerset.sigs.k8s.io/size"] = strconv.Itoa(podsOfSource)
		if rank > 0 {
			pod.Labels["apps.kubernetes.io/pod-index"] = strconv.Itoa(rank)
		}
	})
}

// ofKubeflow: one master and the workers.
func (l *lab) ofKubeflow() []*corev1.Pod {
	owner := l.custom(pyTorchKind, "torch", map[string]any{"pytorchReplicaSpecs": map[string]any{
		"Worker": map[string]any{"replicas": podsOfSource - 1, "template": l.looseTemplate()},
		"Master": map[string]any{"replicas": 1, "template": l.looseTemplate()},
	}})
	return l.members("torch", owner, func(rank int, pod *corev1.Pod) {
		role, index := "master", 0
		if rank > 0 {
			role, index = "worker", rank-1
		}
		for key, value := range map[string]string{"job-name": "torch", "operator-name": "pytorchjob-controller",
			"replica-type": role, "replica-index": strconv.Itoa(index)} {
			pod.Labels["training.kubeflow.org/"+key] = value
		}
	})
}

func (l *lab) statefulSet(name string, replicas int32) *metav1.OwnerReference {
	l.Helper()
	labels := map[string]string{"set": name}
	set := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: appsv1.StatefulSetSpec{
		Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: l.template(corev1.RestartPolicyAlways, labels)}}
	made, err := l.plane.client.AppsV1().StatefulSets(l.name).Create(context.Background(), set, metav1.CreateOptions{})
	if err != nil {
		l.Fatal(err)
	}
	return controlledBy("apps/v1", "StatefulSet", name, made.UID)
}

func (l *lab) ofStatefulSet() []*corev1.Pod {
	return l.members("stateful", l.statefulSet("stateful", podsOfSource), func(rank int, pod *corev1.Pod) {
		pod.Labels["apps.kubernetes.io/pod-index"] = strconv.Itoa(rank)
		pod.Labels["statefulset.kubernetes.io/pod-name"] = pod.Name
	})
}

func (l *lab) ofVolcano() []*corev1.Pod {
	l.custom(volcanoGroupKind, "volcano-group", map[string]any{"minMember": podsOfSource})
	owner := l.custom(volcanoJobKind, "volcano", map[string]any{"minAvailable": podsOfSource,
		"tasks": []any{map[string]any{"name": "worker", "replicas": podsOfSource, "template": l.looseTemplate()}}})
	return l.members("volcano-worker", owner, func(rank int, pod *corev1.Pod) {
		pod.Annotations["scheduling.k8s.io/group-name"] = "volcano-group"
		for key, value := range map[string]string{"job-name": "volcano", "task-spec": "worker",
			"task-index": strconv.Itoa(rank)} {
			pod.Annotations["volcano.sh/"+key], pod.Labels["volcano.sh/"+key] = value, value
		}
	})
}

func (l *lab) ofKueue() []*corev1.Pod {
	return l.members("kueue", nil, func(rank int, pod *corev1.Pod) {
		pod.Labels["kueue.x-k8s.io/pod-group-name"] = "kueue-group"
		pod.Labels["kueue.x-k8s.io/pod-group-pod-index"] = strconv.Itoa(rank)
		pod.Annotations["kueue.x-k8s.io/pod-group-total-count"] = strconv.Itoa(podsOfSource)
	})
}

// ofGrove: an inference service of four pods that prefill and eight that decode.
func (l *lab) ofGrove() []*corev1.Pod {
	const prefill = 4
	group := func(name string, replicas int) any {
		var references []any
		for i := range replicas {
			references = append(references, map[string]any{"namespace": l.name, "name": fmt.Sprintf("%s-%d", name, i)})
		}
		return map[string]any{"name": name, "minReplicas": replicas, "podReferences": references}
	}
	l.custom(grovePodGangKind, "grove-0", map[string]any{"podgroups": []any{
		group("grove-0-prefill", prefill), group("grove-0-decode", podsOfSource-prefill)}})
	return l.members("grove", nil, func(rank int, pod *corev1.Pod) {
		role, index := "grove-0-prefill", rank
		if rank >= prefill {
			role, index = "grove-0-decode", rank-prefill
		}
		pod.Name = fmt.Sprintf("%s-%d", role, index)
		pod.Labels["grove.io/podgang"], pod.Labels["grove.io/podclique"] = "grove-0", role
		pod.Labels["grove.io/podclique-pod-index"] = strconv.Itoa(index)
	})
}

// ofSchedulerPlugins says no ranks.
func (l *lab) ofSchedulerPlugins() []*corev1.Pod {
	l.custom(podGroupKind, "group", map[string]any{"minMember": podsOfSource})
	return l.members("grouped", nil, func(_ int, pod *corev1.Pod) {
		pod.Labels["scheduling.x-k8s.io/pod-group"] = "group"
	})
}
