{{/* A variable from a Secret. `{name, ref}` */}}
{{- define "postmesh.secretVariable" -}}
- name: {{ .name }}
  valueFrom: { secretKeyRef: { name: {{ .ref.secret | quote }}, key: {{ .ref.key | quote }} } }
{{- end }}

{{- define "postmesh.variableOf" -}}{{ . | upper | replace "-" "_" }}{{- end }}

{{/* Where the databases are. `{root, services}`: the services whose own databases are named */}}
{{- define "postmesh.databaseEnvironment" -}}
{{- $root := .root }}
{{- if $root.Values.demo.enabled }}
{{ include "postmesh.secretVariable" (dict "name" "DEMO_POSTGRES_PASSWORD" "ref" (dict "secret" $root.Values.demo.secret "key" "postgres-password")) }}
- name: DATABASE_URL
  value: postgresql://postmesh:$(DEMO_POSTGRES_PASSWORD)@{{ include "postmesh.name" $root }}-demo-postgres:5432/postmesh
{{- else }}
{{- with $root.Values.postgres.url }}
{{ include "postmesh.secretVariable" (dict "name" "DATABASE_URL" "ref" .) }}
{{- end }}
{{- range $service := .services }}
{{- with get $root.Values.postgres.perService $service }}
{{ include "postmesh.secretVariable" (dict "name" (printf "%s_DATABASE_URL" (include "postmesh.variableOf" $service)) "ref" .) }}
{{- end }}
{{- end }}
{{- end }}
- name: POSTMESH_BLOB_STORE
  value: {{ $root.Values.content.store }}
{{- if $root.Values.ca.configMap }}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/postmesh/ca/{{ $root.Values.ca.key }}
{{- end }}
{{- end }}

{{/* The bus, the jobs and the content. */}}
{{- define "postmesh.partsEnvironment" -}}
{{- if .Values.demo.enabled }}
{{ include "postmesh.secretVariable" (dict "name" "DEMO_REDIS_PASSWORD" "ref" (dict "secret" .Values.demo.secret "key" "redis-password")) }}
- name: REDIS_URL
  value: redis://:$(DEMO_REDIS_PASSWORD)@{{ include "postmesh.name" . }}-demo-redis:6379
- name: KAFKA_BROKERS
  value: {{ include "postmesh.name" . }}-demo-kafka:9092
{{- else }}
{{ include "postmesh.secretVariable" (dict "name" "REDIS_URL" "ref" .Values.redis.url) }}
- name: KAFKA_BROKERS
  value: {{ join "," .Values.kafka.brokers | quote }}
{{- if .Values.kafka.tls }}
- name: KAFKA_SSL
  value: 'on'
{{- end }}
{{- if .Values.kafka.ownCa }}
- name: KAFKA_CA_FILE
  value: /etc/postmesh/ca/{{ .Values.ca.key }}
{{- end }}
{{- if ne .Values.kafka.sasl.mechanism "none" }}
- name: KAFKA_SASL_MECHANISM
  value: {{ .Values.kafka.sasl.mechanism }}
{{ include "postmesh.secretVariable" (dict "name" "KAFKA_SASL_USERNAME" "ref" .Values.kafka.sasl.username) }}
{{ include "postmesh.secretVariable" (dict "name" "KAFKA_SASL_PASSWORD" "ref" .Values.kafka.sasl.password) }}
{{- end }}
{{- end }}
{{- if eq .Values.content.store "s3" }}
{{- with .Values.content.s3 }}
{{- if .endpoint }}
- name: POSTMESH_S3_ENDPOINT
  value: {{ .endpoint | quote }}
{{- end }}
- name: POSTMESH_S3_REGION
  value: {{ .region | quote }}
- name: POSTMESH_S3_BUCKET
  value: {{ .bucket | quote }}
- name: POSTMESH_S3_PATH_STYLE
  value: {{ ternary "on" "off" .pathStyle | quote }}
- name: POSTMESH_S3_PREFIX
  value: {{ .prefix | quote }}
{{- if .accessKey }}
{{ include "postmesh.secretVariable" (dict "name" "POSTMESH_S3_ACCESS_KEY" "ref" .accessKey) }}
{{ include "postmesh.secretVariable" (dict "name" "POSTMESH_S3_SECRET_KEY" "ref" .secretKey) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Which services alone get a secret; any other goes to all. */}}
{{- define "postmesh.secretsOfFew" -}}
POSTMESH_OPERATOR_TOKEN: [gateway]
POSTMESH_OPERATOR_TOKENS: [gateway]
POSTMESH_PRINCIPAL_PRIVATE_KEY: [gateway]
POSTMESH_ZONE_UPDATE_KEY: [domains]
POSTMESH_EGRESS_RELAY: [delivery-worker]
POSTMESH_EGRESS_SOCKS_LOGINS: [delivery-worker]
POSTMESH_OIDC_CLIENT_SECRET: [accounts]
POSTMESH_OPERATOR_OIDC_CLIENT_SECRET: [gateway]
{{- end }}

{{/* All variables of a service. `{root, service, pool}`: a pool of delivery workers, or none */}}
{{- define "postmesh.environment" -}}
{{- $root := .root }}
{{- $service := .service }}
{{- $pool := get . "pool" | default dict }}
- name: SERVICE
  value: {{ $service }}
{{- include "postmesh.databaseEnvironment" (dict "root" $root "services" (list $service)) }}
{{- include "postmesh.partsEnvironment" $root }}
{{- $few := include "postmesh.secretsOfFew" . | fromYaml }}
{{- range $name, $ref := $root.Values.secrets }}
{{- if has $service (get $few $name | default (list $service)) }}
{{ include "postmesh.secretVariable" (dict "name" $name "ref" $ref) }}
{{- end }}
{{- end }}
- name: POSTMESH_SERVICE_HOST
{{- if get $pool "hostNetwork" }}
  # not on the public addresses of its node
  valueFrom: { fieldRef: { fieldPath: status.podIP } }
{{- else }}
  value: 0.0.0.0
{{- end }}
{{- range (include "postmesh.asked" (dict "root" $root "service" $service) | fromJson).asked }}
- name: POSTMESH_{{ include "postmesh.variableOf" . }}_URL
  value: http://{{ include "postmesh.name" $root }}-{{ . }}:8090
{{- end }}
{{- range $name, $value := include "postmesh.settings" . | fromYaml }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- end }}

{{/* What is no secret. `{root, service, pool}` */}}
{{- define "postmesh.settings" -}}
{{- $values := .root.Values }}
{{- $pool := get . "pool" | default dict }}
{{- $own := dict "POSTMESH_BASE_URL" $values.baseUrl "POSTMESH_SERVICE_ZONE" $values.serviceZone "POSTMESH_SENDING_ADDRESSES" (join "," $values.sendingAddresses) "POSTMESH_LOCAL_INTERNET" "off" "POSTMESH_SERVICE_PORT" (get $pool "servicePort" | default 8090 | toString) }}
{{- $own = merge $own (dict "POSTMESH_DRAIN_SECONDS" $values.drainSeconds "POSTMESH_TERMINATION_GRACE_SECONDS" $values.terminationGracePeriodSeconds) }}
{{- if eq .service "gateway" }}
{{- $own = merge $own (dict "POSTMESH_HTTP_HOST" "0.0.0.0" "POSTMESH_SMTP_HOST" "0.0.0.0" "POSTMESH_OPERATOR_HOST" "0.0.0.0" "POSTMESH_MX_PORT" "2525" "POSTMESH_SUBMISSION_PORTS" "2525,2587" "POSTMESH_SUBMISSION_PUBLIC_PORTS" "587,2525,25") }}
{{- with $values.trustedProxies }}{{ $own = set $own "POSTMESH_TRUSTED_PROXIES" (join "," .) }}{{ end }}
{{- with $values.smtp.proxyNetworks }}{{ $own = set $own "POSTMESH_SMTP_PROXIES" (join "," .) }}{{ end }}
{{- if $values.smtp.tlsSecret }}
{{- $own = merge $own (dict "POSTMESH_SMTP_TLS_CERT_FILE" "/etc/postmesh/smtp-tls/tls.crt" "POSTMESH_SMTP_TLS_KEY_FILE" "/etc/postmesh/smtp-tls/tls.key") }}
{{- end }}
{{- end }}
{{- if eq .service "domains" }}
{{- $sources := list }}
{{- range $values.egress.pools }}{{ $sources = concat $sources (get . "sources" | default list) }}{{ end }}
{{- if $sources }}{{ $own = set $own "POSTMESH_EGRESS_SOURCES" ($sources | uniq | toJson) }}{{ end }}
{{- end }}
{{- $via := dict }}
{{- with get $pool "via" }}{{ $via = dict "via" (omit . "networks") }}{{ end }}
{{- $sources := list }}
{{- range get $pool "sources" | default list }}{{ $sources = append $sources (merge (dict) . $via) }}{{ end }}
{{- with $sources }}{{ $own = set $own "POSTMESH_EGRESS_SOURCES" (toJson .) }}{{ end }}
{{- with get $pool "ehloName" }}{{ $own = set $own "POSTMESH_EHLO_NAME" . }}{{ end }}
{{- merge $own (get $values.services .service).settings $values.settings | toYaml }}
{{- end }}
