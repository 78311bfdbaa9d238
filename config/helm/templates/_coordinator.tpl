{{/* Whether there is a coordinator: "true" or nothing. */}}
{{- define "inference.hasCoordinator" -}}
{{- if ne .Values.picker.mode "sidecar" }}true{{ end -}}
{{- end -}}

{{- define "inference.coordinatorName" -}}
{{ include "inference.name" . }}-coordinator
{{- end -}}

{{/* The configuration file: `coordinator.config` with what other values say. */}}
{{- define "inference.coordinatorConfig" -}}
{{- $config := deepCopy .Values.coordinator.config -}}
{{- $server := $config.server | default dict -}}
{{- $gateway := $config.gateway | default dict -}}
{{- with .Values.coordinator.tls -}}
{{- if .secretName }}{{ $_ := merge (set $server "secure_serving" true) (dict "cert_path" "/etc/coordinator-tls") }}{{ end -}}
{{- if .metricsSecretName }}{{ $_ := set $server "metrics_cert_dir" "/etc/coordinator-metrics-tls" }}{{ end -}}
{{- if .gatewayCaConfigMapName }}{{ $_ := set $gateway "ca_file" "/etc/coordinator-gateway-ca/ca.crt" }}{{ end -}}
{{- end -}}
{{- range $config.pipeline.steps -}}
{{- if eq .type "render" -}}
{{- $_ := set . "params" (merge (.params | default dict) (dict "address" (include "inference.renderAddress" $))) -}}
{{- else if eq .type "async-broker" -}}
{{- $_ := set . "params" (merge (.params | default dict) (include "inference.redisSettings" (dict "root" $ "folder" "/etc/coordinator") | fromYaml)) -}}
{{- end -}}
{{- end -}}
{{- $_ := merge $config (dict "server" $server "gateway" $gateway "tracing" (ne .Values.tracing.endpoint "")) -}}
{{- toYaml $config -}}
{{- end -}}

{{/* The port of clients. */}}
{{- define "inference.coordinatorPort" -}}
{{- (.Values.coordinator.config.server).listen_addr | default ":8080" | splitList ":" | last -}}
{{- end -}}

{{/* The port of metrics and admin; 0 where there is none. */}}
{{- define "inference.coordinatorMetricsPort" -}}
{{- $port := dig "metrics_port" 9090 (.Values.coordinator.config.server | default dict) | int -}}
{{- max 0 $port -}}
{{- end -}}

{{/* Of the port of clients: "https" or "http". */}}
{{- define "inference.coordinatorScheme" -}}
{{- if or .Values.coordinator.tls.secretName (.Values.coordinator.config.server).secure_serving }}https{{ else }}http{{ end -}}
{{- end -}}

{{/* A container that runs the program, without probes. Takes (dict "root" $ "name" NAME "args" ARGUMENTS). */}}
{{- define "inference.coordinatorContainer" -}}
{{- $values := .root.Values.coordinator -}}
name: {{ .name }}
image: {{ include "inference.image" (dict "root" .root "image" $values.image) }}
imagePullPolicy: {{ $values.image.pullPolicy }}
args:
  {{- toYaml (concat (list "--config" "/etc/coordinator/coordinator.yaml") .args) | nindent 2 }}
{{- with include "inference.coordinatorEnvironment" .root | trim }}
env:
  {{- . | nindent 2 }}
{{- end }}
resources:
  {{- include "inference.resources" (dict "args" .args "values" $values) | nindent 2 }}
securityContext:
  {{- include "inference.containerSecurity" . | nindent 2 }}
volumeMounts:
  - name: config
    mountPath: /etc/coordinator
    readOnly: true
  {{- range $volume, $source := include "inference.coordinatorFolders" .root | fromYaml }}
  - name: {{ $volume }}
    mountPath: /etc/coordinator-{{ $volume }}
    readOnly: true
  {{- end }}
{{- end -}}

{{- define "inference.coordinatorEnvironment" -}}
{{- include "inference.adminToken" (dict "values" .Values.coordinator "variable" "COORDINATOR_ADMIN_TOKEN") }}
{{- include "inference.environment" (dict "root" . "values" .Values.coordinator) }}
{{- end -}}

{{/* Sources of the volumes beside the configuration, by name. Not by `subPath`: files that are mounted so never change. */}}
{{- define "inference.coordinatorFolders" -}}
{{- if include "inference.hasBroker" . }}{{ include "inference.redisVolumes" . }}{{ end }}
{{- with .Values.coordinator.tls }}
{{- with .secretName }}
tls:
  secret: {secretName: {{ . }}, defaultMode: 0440}
{{- end }}
{{- with .metricsSecretName }}
metrics-tls:
  secret: {secretName: {{ . }}, defaultMode: 0440}
{{- end }}
{{- with .gatewayCaConfigMapName }}
gateway-ca:
  configMap: {name: {{ . }}}
{{- end }}
{{- end }}
{{- end -}}

{{- define "inference.coordinatorVolumes" -}}
- name: config
  configMap:
    name: {{ include "inference.coordinatorName" . }}-config
{{- range $volume, $source := include "inference.coordinatorFolders" . | fromYaml }}
- name: {{ $volume }}
  {{- toYaml $source | nindent 2 }}
{{- end }}
{{- end -}}
