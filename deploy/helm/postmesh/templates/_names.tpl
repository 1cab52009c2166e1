{{- define "postmesh.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{/* Of a pod and whoever selects it: never changes, a selector cannot. `{root, component}` */}}
{{- define "postmesh.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{/* `{root, component}` */}}
{{- define "postmesh.labels" -}}
{{ include "postmesh.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{/* of `.own`, the image that a service has, else the one of all */}}
{{- define "postmesh.image" -}}
{{- $image := get . "own" | default .root.Values.image }}
{{- if get $image "digest" }}{{ $image.repository }}@{{ $image.digest }}{{ else }}{{ $image.repository }}:{{ get $image "tag" | default .root.Chart.AppVersion }}{{ end }}
{{- end }}

{{/* By files/service-calls.yaml, the services that `.service` may ask: `{asked: […]}` */}}
{{- define "postmesh.asked" -}}
{{- $table := .root.Files.Get "files/service-calls.yaml" | fromYaml }}
{{- $before := get $table.releaseBefore .service | default dict }}
{{- dict "asked" (concat (get $table.calls .service) (keys $before | sortAlpha)) | toJson }}
{{- end }}

{{/* The services that may ask `.service`: `{callers: […]}` */}}
{{- define "postmesh.callers" -}}
{{- $root := .root }}
{{- $service := .service }}
{{- $callers := list }}
{{- range $caller, $_ := (.root.Files.Get "files/service-calls.yaml" | fromYaml).calls }}
{{- $asked := (include "postmesh.asked" (dict "root" $root "service" $caller) | fromJson).asked }}
{{- if has $service $asked }}{{ $callers = append $callers $caller }}{{ end }}
{{- end }}
{{- dict "callers" $callers | toJson }}
{{- end }}

{{/* What must be there, said in the words of values.yaml. */}}
{{- define "postmesh.require" -}}
{{- $_ := required "baseUrl is required: the public URL of the API" .Values.baseUrl }}
{{- $_ := required "serviceZone is required: the DNS zone that you run for Postmesh" .Values.serviceZone }}
{{- $_ := required "sendingAddresses is required: the addresses from which messages leave" (first .Values.sendingAddresses | default "") }}
{{- $_ := required "secrets.POSTMESH_SECRET_KEYS is required" (get .Values.secrets "POSTMESH_SECRET_KEYS") }}
{{- if not .Values.demo.enabled }}
{{- if empty .Values.redis.url }}{{ fail "redis.url is required: {secret, key} of a Secret with the URL" }}{{ end }}
{{- $_ := required "kafka.brokers is required" (first .Values.kafka.brokers | default "") }}
{{- range $service := without (keys .Values.services | sortAlpha) "gateway" }}
{{- if not (or $.Values.postgres.url (get $.Values.postgres.perService $service)) }}{{ fail (printf "postgres.url is required, or postgres.perService.%s: {secret, key} of a Secret with the URL" $service) }}{{ end }}
{{- end }}
{{- if and (eq .Values.content.store "postgres") (not .Values.postgres.url) }}{{ fail "content.store postgres needs postgres.url: content is kept in that database" }}{{ end }}
{{- end }}
{{- if and (eq .Values.content.store "s3") (not .Values.content.s3.bucket) }}{{ fail "content.s3.bucket is required with content.store s3" }}{{ end }}
{{- if ne (empty .Values.content.s3.accessKey) (empty .Values.content.s3.secretKey) }}{{ fail "content.s3.accessKey and content.s3.secretKey belong together" }}{{ end }}
{{- if and .Values.kafka.ownCa (not .Values.ca.configMap) }}{{ fail "kafka.ownCa needs ca.configMap" }}{{ end }}
{{- if and .Values.kafka.ownCa (not .Values.kafka.tls) }}{{ fail "kafka.ownCa needs kafka.tls" }}{{ end }}
{{- if and (eq .Values.kafka.sasl.mechanism "plain") (not .Values.kafka.tls) }}{{ fail "kafka.sasl.mechanism plain needs kafka.tls: it sends the password as it is" }}{{ end }}
{{- if and (ne .Values.kafka.sasl.mechanism "none") (or (empty .Values.kafka.sasl.username) (empty .Values.kafka.sasl.password)) }}{{ fail "kafka.sasl.username and kafka.sasl.password are required with kafka.sasl.mechanism" }}{{ end }}
{{- range $name, $service := .Values.services }}
{{- if and (eq $service.autoscaling.by "keda") (not $.Values.keda.prometheus) }}{{ fail (printf "services.%s.autoscaling.by keda needs keda.prometheus" $name) }}{{ end }}
{{- if and (has $service.autoscaling.by (list "keda" "external")) (not (get $service.autoscaling "queue")) }}{{ fail (printf "services.%s.autoscaling.by %s needs autoscaling.queue" $name $service.autoscaling.by) }}{{ end }}
{{- end }}
{{- range .Values.egress.pools }}
{{- if and (get . "sources") (not (get . "hostNetwork")) (not (get . "via")) }}{{ fail (printf "egress.pools %s: sources need hostNetwork or via, without which a pod has none of these addresses" .name) }}{{ end }}
{{- include "postmesh.requireVia" (dict "root" $ "pool" .) }}
{{- if and (get . "egressGateway") (or (get . "hostNetwork") (get . "via")) }}{{ fail (printf "egress.pools %s: an egressGateway decides about the address of pods on the network of the cluster, without hostNetwork and via" .name) }}{{ end }}
{{- if and (get . "hostNetwork") $.Values.networkPolicy.enabled (not $.Values.networkPolicy.nodeNetworks) }}{{ fail (printf "egress.pools %s: hostNetwork needs networkPolicy.nodeNetworks, from which its calls come" .name) }}{{ end }}
{{- end }}
{{- range .Values.smtp.proxyNetworks }}
{{- if regexMatch "/[0-7]$" . }}{{ fail (printf "smtp.proxyNetworks %s: clients there could claim any address by a PROXY protocol header; name the load balancer's networks" .) }}{{ end }}
{{- end }}
{{- $names := list }}
{{- range .Values.egress.pools }}{{ $names = append $names .name }}{{ end }}
{{- if ne (len $names) (len (uniq $names)) }}{{ fail "egress.pools: each name once" }}{{ end }}
{{- end }}

{{/* A proxy that strangers reach sends for them from its addresses. `{root, pool}` */}}
{{- define "postmesh.requireVia" -}}
{{- $pool := .pool }}
{{- $hasLogin := get .root.Values.secrets "POSTMESH_EGRESS_SOCKS_LOGINS" }}
{{- with get $pool "via" }}
{{- if get $pool "hostNetwork" }}{{ fail (printf "egress.pools %s: via and hostNetwork exclude each other: the addresses are the proxy's or the node's" $pool.name) }}{{ end }}
{{- if not (get $pool "sources") }}{{ fail (printf "egress.pools %s: via needs sources, the addresses of the proxy" $pool.name) }}{{ end }}
{{- if not (and (get . "socks5") $hasLogin) }}
{{- range .networks }}
{{- if not (regexMatch (include "postmesh.privateNetwork" $) .) }}{{ fail (printf "egress.pools %s: a proxy in %s, which is not private, is an open relay: only SOCKS5 with secrets.POSTMESH_EGRESS_SOCKS_LOGINS knows its clients" $pool.name .) }}{{ end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* RFC 1918, RFC 6598, RFC 4193 */}}
{{- define "postmesh.privateNetwork" -}}
(?i)^10\.[0-9.]+/([89]|[12][0-9]|3[0-2])$|^172\.(1[6-9]|2[0-9]|3[01])\.[0-9.]+/(1[2-9]|2[0-9]|3[0-2])$|^192\.168\.[0-9.]+/(1[6-9]|2[0-9]|3[0-2])$|^100\.(6[4-9]|[7-9][0-9]|1[01][0-9]|12[0-7])\.[0-9.]+/(1[0-9]|2[0-9]|3[0-2])$|^f[cd][0-9a-f]{2}:[0-9a-f:]*/([89]|[1-9][0-9]|1[01][0-9]|12[0-8])$
{{- end }}
