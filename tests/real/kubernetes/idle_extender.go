package realtest

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"

	extender "k8s.io/kube-scheduler/extender/v1"
)

// idleExtender answers every candidate it is asked about: the least that any extender costs.
func idleExtender() int {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Printf("listening on %s\n", listener.Addr())
	paths := http.NewServeMux()
	paths.HandleFunc("/readyz", func(http.ResponseWriter, *http.Request) {})
	paths.HandleFunc("/v1/filter", func(answer http.ResponseWriter, request *http.Request) {
		if asked := asked(answer, request); asked != nil {
			reply(answer, extender.ExtenderFilterResult{Nodes: asked.Nodes, NodeNames: asked.NodeNames})
		}
	})
	paths.HandleFunc("/v1/prioritize", func(answer http.ResponseWriter, request *http.Request) {
		if asked := asked(answer, request); asked != nil {
			reply(answer, equalScores(asked))
		}
	})
	fmt.Fprintln(os.Stderr, http.Serve(listener, paths))
	return 1
}

func asked(answer http.ResponseWriter, request *http.Request) *extender.ExtenderArgs {
	var arguments extender.ExtenderArgs
	if err := json.NewDecoder(request.Body).Decode(&arguments); err != nil {
		http.Error(answer, err.Error(), http.StatusBadRequest)
		return nil
	}
	return &arguments
}

func equalScores(arguments *extender.ExtenderArgs) extender.HostPriorityList {
	scores := extender.HostPriorityList{}
	if arguments.NodeNames != nil {
		for _, name := range *arguments.NodeNames {
			scores = append(scores, extender.HostPriority{Host: name, Score: 1})
		}
		return scores
	}
	for _, node := range arguments.Nodes.Items {
		scores = append(scores, extender.HostPriority{Host: node.Name, Score: 1})
	}
	return scores
}

func reply(answer http.ResponseWriter, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		http.Error(answer, err.Error(), http.StatusInternalServerError)
		return
	}
	answer.Header().Set("Content-Type", "application/json")
	answer.Header().Set("Content-Length", fmt.Sprint(len(text)))
	_, _ = answer.Write(text)
}
