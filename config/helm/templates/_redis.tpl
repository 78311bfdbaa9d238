{{/* Whether the coordinator queues requests: "true" or nothing. */}}
{{- define "inference.hasBroker" -}}
{{- if include "inference.hasCoordinator" . -}}
{{- range (.Values.coordinator.config.pipeline).steps }}{{ if eq .type "async-broker" }}true{{ end }}{{ end -}}
{{- end -}}
{{- end -}}

{{/* What `redis` comes to in a configuration. Takes (dict "root" $ "folder" BEFORE WHICH ITS FILES ARE MOUNTED). */}}
{{- define "inference.redisSettings" -}}
{{- $settings := dict -}}
{{- $files := dict -}}
{{- with .root.Values.redis -}}
{{- if .url }}{{ $_ := set $settings "redis_url" .url }}{{ end -}}
{{- if .secretName }}{{ $_ := set $files "password_file" (printf "%s-redis/%s" $.folder .key) }}{{ end -}}
{{- if .caConfigMapName }}{{ $_ := set $files "ca_file" (printf "%s-redis-ca/ca.crt" $.folder) }}{{ end -}}
{{- end -}}
{{- if $files }}{{ $_ := set $settings "redis" $files }}{{ end -}}
{{- toYaml $settings -}}
{{- end -}}

{{/* Sources of the volumes that this takes, by name. */}}
{{- define "inference.redisVolumes" -}}
{{- with .Values.redis }}
{{- with .secretName }}
redis:
  secret: {secretName: {{ . }}, defaultMode: 0440}
{{- end }}
{{- with .caConfigMapName }}
redis-ca:
  configMap: {name: {{ . }}}
{{- end }}
{{- end }}
{{- end -}}
