// Renders what zonecut is shipped with to the objects that an administrator would apply, by the libraries
// of kustomize and Helm themselves. A module of its own, so that what these need changes no version of what
// the tests are built with.
//
// usage: render kustomize FOLDER
//
//	render chart FOLDER NAMESPACE [KEY=VALUE…]     values as of `helm template --set`
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/strvals"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(to io.Writer, arguments []string) error {
	switch {
	case len(arguments) == 2 && arguments[0] == "kustomize":
		return kustomize(to, arguments[1])
	case len(arguments) >= 3 && arguments[0] == "chart":
		return chart(to, arguments[1], arguments[2], arguments[3:])
	}
	return errors.New("usage: render kustomize FOLDER | render chart FOLDER NAMESPACE [KEY=VALUE…]")
}

// kustomize is `kubectl kustomize FOLDER`; components may lie beside it, as they do in an overlay of one's own.
func kustomize(to io.Writer, folder string) error {
	options := krusty.MakeDefaultOptions()
	options.LoadRestrictions = types.LoadRestrictionsRootOnly
	objects, err := krusty.MakeKustomizer(options).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		return err
	}
	text, err := objects.AsYaml()
	if err != nil {
		return err
	}
	_, err = to.Write(text)
	return err
}

// chart is `helm template zonecut FOLDER --namespace NAMESPACE --set …`, the values checked by their schema.
func chart(to io.Writer, folder, namespace string, settings []string) error {
	loaded, err := loader.Load(folder)
	if err != nil {
		return err
	}
	given := map[string]any{}
	for _, setting := range settings {
		if err := strvals.ParseInto(setting, given); err != nil {
			return err
		}
	}
	release := chartutil.ReleaseOptions{Name: "zonecut", Namespace: namespace, IsInstall: true, Revision: 1}
	capabilities := chartutil.DefaultCapabilities.Copy()
	if capabilities.KubeVersion, err = kubeVersion(); err != nil {
		return err
	}
	values, err := chartutil.ToRenderValues(loaded, given, release, capabilities)
	if err != nil {
		return err
	}
	files, err := engine.Render(loaded, values)
	if err != nil {
		return err
	}
	var names []string
	for name := range files {
		if path.Ext(name) == ".yaml" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(to, "---\n# %s\n%s\n", name, files[name])
	}
	return nil
}

// kubeVersion is that of the API server of the tests: helm takes the one that it was built for.
func kubeVersion() (chartutil.KubeVersion, error) {
	version, err := chartutil.ParseKubeVersion("v1.36.3")
	if err != nil {
		return chartutil.KubeVersion{}, err
	}
	return *version, nil
}
