package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The fields of Cilium's CiliumEgressGatewayPolicy that the chart may use, by
// https://docs.cilium.io/en/stable/network/egress-gateway/egress-gateway/. Cilium's module would bring some hundred others.
type ciliumEgressGatewayPolicy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Selectors []struct {
			PodSelector       *metav1.LabelSelector `json:"podSelector,omitempty"`
			NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector,omitempty"`
		} `json:"selectors"`
		DestinationCIDRs []string `json:"destinationCIDRs"`
		ExcludedCIDRs    []string `json:"excludedCIDRs,omitempty"`
		EgressGateway    struct {
			NodeSelector *metav1.LabelSelector `json:"nodeSelector"`
			Interface    string                `json:"interface,omitempty"`
			EgressIP     string                `json:"egressIP,omitempty"`
		} `json:"egressGateway"`
	} `json:"spec"`
}

// Nothing changes a decoded manifest.
func (policy *ciliumEgressGatewayPolicy) DeepCopyObject() runtime.Object {
	copied := *policy
	return &copied
}

func addCilium(scheme *runtime.Scheme) error {
	kind := schema.GroupVersionKind{Group: "cilium.io", Version: "v2", Kind: "CiliumEgressGatewayPolicy"}
	scheme.AddKnownTypeWithName(kind, &ciliumEgressGatewayPolicy{})
	return nil
}
