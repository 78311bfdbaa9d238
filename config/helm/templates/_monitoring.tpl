{{/* Whether there is what a dashboard or rules, by the beginning of their name, are about: "true" or nothing. Takes (dict "root" $ "name" NAME). */}}
{{- define "inference.isShown" -}}
{{- $isSidecar := eq .root.Values.picker.mode "sidecar" -}}
{{- if hasPrefix "coordinator" .name }}{{ if not $isSidecar }}true{{ end }}
{{- else if hasPrefix "async-worker" .name }}{{ include "inference.hasAsyncWorker" .root }}
{{- else if hasPrefix "sidecar" .name }}{{ if $isSidecar }}true{{ end }}
{{- else }}true{{ end -}}
{{- end -}}
