// Renders a Helm chart with many values and decodes what comes out, with the packages that `helm lint` and
// `helm template` are made of and with the published Kubernetes API types. No cluster is asked.
//
//	go run . CHART <cases.json >results.json
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"

	keda "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/lint"
	"helm.sh/helm/v4/pkg/chart/v2/lint/support"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	yamlstream "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

type testCase struct {
	Name   string         `json:"name"`
	Values map[string]any `json:"values"`
}

type result struct {
	Name string `json:"name"`
	// Error says why it does not render; bad values are told by the chart's schema.
	Error string `json:"error,omitempty"`
	// Lint has every message of a warning or worse, as of `helm lint --strict`.
	Lint []string `json:"lint"`
	// Undecodable has an entry for each manifest that is not what its API type wants.
	Undecodable []string `json:"undecodable"`
	Manifests   []any    `json:"manifests"`
	Notes       string   `json:"notes"`
}

const namespace = "mail"

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(chart string) error {
	var cases []testCase
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		return err
	}
	for _, add := range []error{keda.AddToScheme(scheme.Scheme), monitoring.AddToScheme(scheme.Scheme), addCilium(scheme.Scheme)} {
		if add != nil {
			return add
		}
	}
	results := []result{}
	for _, one := range cases {
		results = append(results, try(chart, one))
	}
	return json.NewEncoder(os.Stdout).Encode(results)
}

func try(chart string, one testCase) result {
	made := result{Name: one.Name, Lint: []string{}, Undecodable: []string{}, Manifests: []any{}}
	files, err := render(chart, one)
	if err != nil {
		made.Error = err.Error()
		return made
	}
	for _, message := range lint.RunAll(chart, one.Values, namespace).Messages {
		if message.Severity >= support.WarningSev {
			made.Lint = append(made.Lint, message.Error())
		}
	}
	for _, name := range sorted(files) {
		if strings.HasSuffix(name, "NOTES.txt") {
			made.Notes = files[name]
			continue
		}
		decode(name, files[name], &made)
	}
	return made
}

func render(chart string, one testCase) (map[string]string, error) {
	loaded, err := loader.Load(chart)
	if err != nil {
		return nil, err
	}
	options := common.ReleaseOptions{Name: "postmesh", Namespace: namespace, Revision: 1, IsInstall: true}
	values, err := util.ToRenderValues(loaded, one.Values, options, common.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	return engine.Engine{Strict: true}.Render(loaded, values)
}

func sorted(files map[string]string) []string {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// A field that the type does not have, or one given twice, is an error as it is with `kubectl apply --validate=strict`.
func decode(name, text string, made *result) {
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	documents := yamlstream.NewYAMLReader(bufio.NewReader(bytes.NewBufferString(text)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			made.Undecodable = append(made.Undecodable, fmt.Sprintf("%s: %v", name, err))
			return
		}
		var plain any
		if err := yaml.UnmarshalStrict(document, &plain); err != nil {
			made.Undecodable = append(made.Undecodable, fmt.Sprintf("%s: %v", name, err))
			continue
		}
		if plain == nil {
			continue
		}
		if _, _, err := decoder.Decode(document, nil, nil); err != nil {
			made.Undecodable = append(made.Undecodable, fmt.Sprintf("%s: %v", name, err))
		}
		made.Manifests = append(made.Manifests, plain)
	}
}
