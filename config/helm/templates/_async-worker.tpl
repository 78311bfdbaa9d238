{{/* Whether there is an async worker: "true" or nothing. */}}
{{- define "inference.hasAsyncWorker" -}}
{{- if .Values.asyncWorker.enabled }}true{{ end -}}
{{- end -}}

{{- define "inference.asyncWorkerName" -}}
{{ include "inference.name" . }}-async-worker
{{- end -}}

{{/* The configuration file: `asyncWorker.config` with what other values say. */}}
{{- define "inference.asyncWorkerConfig" -}}
{{- $config := deepCopy .Values.asyncWorker.config -}}
{{- $address := printf "%s://%s:%s" (include "inference.coordinatorScheme" .) (include "inference.coordinatorName" .) (include "inference.coordinatorPort" .) -}}
{{- $coordinator := $config.coordinator | default dict -}}
{{- if .Values.asyncWorker.coordinatorCaConfigMapName }}{{ $_ := set $coordinator "ca_file" "/etc/async-worker-coordinator-ca/ca.crt" }}{{ end -}}
{{- $_ := set $config "coordinator" (merge $coordinator (dict "address" $address)) -}}
{{- $redis := include "inference.redisSettings" (dict "root" . "folder" "/etc/async-worker") | fromYaml -}}
{{- toYaml (merge $config $redis (dict "tracing" (ne .Values.tracing.endpoint ""))) -}}
{{- end -}}

{{/* The port of probes and admin. */}}
{{- define "inference.asyncWorkerPort" -}}
{{- (.Values.asyncWorker.config.server).listen_addr | default ":8081" | splitList ":" | last -}}
{{- end -}}

{{/* The port of metrics; 0 where there is none. */}}
{{- define "inference.asyncWorkerMetricsPort" -}}
{{- max 0 (dig "metrics_port" 9090 (.Values.asyncWorker.config.server | default dict) | int) -}}
{{- end -}}

{{/* A container that runs the program, without probes. Takes (dict "root" $ "name" NAME "args" ARGUMENTS). */}}
{{- define "inference.asyncWorkerContainer" -}}
{{- $values := .root.Values.asyncWorker -}}
name: {{ .name }}
image: {{ include "inference.image" (dict "root" .root "image" $values.image) }}
imagePullPolicy: {{ $values.image.pullPolicy }}
args:
  {{- toYaml (concat (list "--config" "/etc/async-worker/async-worker.yaml") .args) | nindent 2 }}
{{- with include "inference.asyncWorkerEnvironment" .root | trim }}
env:
  {{- . | nindent 2 }}
{{- end }}
resources:
  {{- include "inference.resources" (dict "args" .args "values" $values) | nindent 2 }}
securityContext:
  {{- include "inference.containerSecurity" . | nindent 2 }}
volumeMounts:
  - name: config
    mountPath: /etc/async-worker
    readOnly: true
  {{- range $volume, $source := include "inference.asyncWorkerFolders" .root | fromYaml }}
  - name: {{ $volume }}
    mountPath: /etc/async-worker-{{ $volume }}
    readOnly: true
  {{- end }}
{{- end -}}

{{- define "inference.asyncWorkerEnvironment" -}}
{{- include "inference.adminToken" (dict "values" .Values.asyncWorker "variable" "ASYNC_WORKER_ADMIN_TOKEN") }}
{{- include "inference.environment" (dict "root" . "values" .Values.asyncWorker) }}
{{- end -}}

{{/* Sources of the volumes beside the configuration, by name. */}}
{{- define "inference.asyncWorkerFolders" -}}
{{- include "inference.redisVolumes" . }}
{{- with .Values.asyncWorker.coordinatorCaConfigMapName }}
coordinator-ca:
  configMap: {name: {{ . }}}
{{- end }}
{{- end -}}

{{- define "inference.asyncWorkerVolumes" -}}
- name: config
  configMap:
    name: {{ include "inference.asyncWorkerName" . }}-config
{{- range $volume, $source := include "inference.asyncWorkerFolders" . | fromYaml }}
- name: {{ $volume }}
  {{- toYaml $source | nindent 2 }}
{{- end }}
{{- end -}}
