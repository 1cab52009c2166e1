{{- define "postmesh.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "postmesh.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* What a process may write is gone with its pod. */}}
{{- define "postmesh.volumes" -}}
- name: tmp
  emptyDir: { sizeLimit: 256Mi }
- name: data
  emptyDir: { sizeLimit: 256Mi }
{{- with .Values.ca.configMap }}
- name: ca
  configMap: { name: {{ . | quote }} }
{{- end }}
{{- end }}

{{- define "postmesh.mounts" -}}
- { name: tmp, mountPath: /tmp }
- { name: data, mountPath: /data }
{{- if .Values.ca.configMap }}
- { name: ca, mountPath: /etc/postmesh/ca, readOnly: true }
{{- end }}
{{- end }}

{{/* Template of the pods of a service. `{root, service, pool}` */}}
{{- define "postmesh.pod" -}}
{{- $root := .root }}
{{- $service := .service }}
{{- $pool := get . "pool" | default dict }}
{{- $own := get $root.Values.services $service }}
{{- $withCertificate := and (eq $service "gateway") $root.Values.smtp.tlsSecret }}
metadata:
  labels:
    {{- include "postmesh.labels" (dict "root" $root "component" $service) | nindent 4 }}
    {{- with get $pool "name" }}
    postmesh/pool: {{ . | quote }}
    {{- end }}
    {{- with $root.Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with $own.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "postmesh.name" $root }}
  automountServiceAccountToken: false
  # Variables such as POSTMESH_ACCOUNTS_PORT would be taken for settings.
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ $root.Values.terminationGracePeriodSeconds }}
  {{- with $root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . | quote }}
    {{- end }}
  {{- end }}
  {{- if get $pool "hostNetwork" }}
  hostNetwork: true
  dnsPolicy: ClusterFirstWithHostNet
  {{- end }}
  securityContext:
    {{- include "postmesh.podSecurity" $root | nindent 4 }}
  {{- with merge (dict) (get $pool "nodeSelector" | default dict) $own.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with concat $own.tolerations (get $pool "tolerations" | default list) }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $own.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if $root.Values.topologySpread.enabled }}
  topologySpreadConstraints:
    {{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
    - maxSkew: 1
      topologyKey: {{ $key }}
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "postmesh.selector" (dict "root" $root "component" $service) | nindent 10 }}
    {{- end }}
  {{- end }}
  containers:
    - name: {{ $service }}
      image: {{ include "postmesh.image" (dict "root" $root "own" (get $own "image")) | quote }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      securityContext:
        {{- include "postmesh.containerSecurity" $root | nindent 8 }}
      env:
        {{- include "postmesh.environment" . | trim | nindent 8 }}
      ports:
        - { name: inside, containerPort: {{ get $pool "servicePort" | default 8090 }} }
        {{- if eq $service "gateway" }}
        - { name: http, containerPort: 8080 }
        - { name: operator, containerPort: 8081 }
        - { name: smtp, containerPort: 2525 }
        - { name: submission, containerPort: 2587 }
        {{- end }}
      # A start waits for the database, the bus and, without the job, for migrations.
      startupProbe:
        httpGet: { path: /health/live, port: inside }
        periodSeconds: 3
        failureThreshold: 100
      # The process answers. What it depends on is no reason to restart it.
      livenessProbe:
        httpGet: { path: /health/live, port: inside }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      # Its database, bus and jobs answer, and it has not been told to stop: found out within drainSeconds.
      readinessProbe:
        httpGet: { path: /health/ready, port: inside }
        periodSeconds: 2
        timeoutSeconds: 2
        failureThreshold: 2
      resources:
        {{- toYaml $own.resources | nindent 8 }}
      volumeMounts:
        {{- include "postmesh.mounts" $root | nindent 8 }}
        {{- if $withCertificate }}
        - { name: smtp-tls, mountPath: /etc/postmesh/smtp-tls, readOnly: true }
        {{- end }}
  volumes:
    {{- include "postmesh.volumes" $root | nindent 4 }}
    {{- if $withCertificate }}
    - name: smtp-tls
      secret: { secretName: {{ $root.Values.smtp.tlsSecret | quote }}, defaultMode: 0440 }
    {{- end }}
{{- end }}
