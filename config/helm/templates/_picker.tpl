{{/* The pickers there are, each with its component, its configuration, and its pool with the labels of its pods. */}}
{{- define "inference.pickers" -}}
{{- $pool := .Values.pool.name | default (include "inference.name" .) -}}
{{- if eq .Values.picker.mode "roles" -}}
{{- range list "encode" "prefill" "decode" }}
- component: picker-{{ . }}
  config: {{ . }}
  pool: {{ $pool }}-{{ . }}
  selector: {{ merge (dict) (get $.Values.pool.roleSelectors .) $.Values.pool.selector | toJson }}
{{- end }}
{{- else }}
- component: picker
  config: {{ ternary .Values.picker.stages "coordinator" (eq .Values.picker.mode "sidecar") }}
  pool: {{ $pool }}
  selector: {{ .Values.pool.selector | toJson }}
{{- end }}
{{- end -}}

{{/* The configuration file. Takes (dict "root" $ "name" OF THE FILE). */}}
{{- define "inference.pickerConfig" -}}
{{- get .root.Values.picker.configs .name | default (.root.Files.Get (printf "files/picker/%s.yaml" .name)) | required (printf "files/picker/%s.yaml is not in the chart" .name) -}}
{{- end -}}

{{/* All flags; what other manifests depend on cannot be set otherwise. Takes (dict "root" $ "picker" ONE OF THEM). */}}
{{- define "inference.pickerFlags" -}}
{{- $own := dict
  "config-file" "/etc/picker/picker.yaml"
  "pool-name" .picker.pool
  "pool-namespace" .root.Release.Namespace
  "grpc-port" 9002
  "grpc-health-port" 9003
  "metrics-port" 9090
  "tracing" (ne .root.Values.tracing.endpoint "")
-}}
{{- if .root.Values.picker.tls.secretName -}}
{{- $own = merge $own (dict "cert-path" "/etc/picker-tls" "enable-cert-reload" true) -}}
{{- end -}}
{{- toYaml (merge $own .root.Values.picker.flags) -}}
{{- end -}}

{{/* A container that runs the program, without probes. Takes (dict "root" $ "name" NAME "picker" ONE OF THEM "args" ARGUMENTS). */}}
{{- define "inference.pickerContainer" -}}
{{- $values := .root.Values.picker -}}
name: {{ .name }}
image: {{ include "inference.image" (dict "root" .root "image" $values.image) }}
imagePullPolicy: {{ $values.image.pullPolicy }}
args:
  {{- range $flag, $value := include "inference.pickerFlags" . | fromYaml }}
  {{- /* of a number, not 1e+06 */}}
  - --{{ $flag }}={{ kindIs "float64" $value | ternary (int64 $value) $value }}
  {{- end }}
  {{- range .args }}
  - {{ . }}
  {{- end }}
{{- with include "inference.environment" (dict "root" .root "values" $values) | trim }}
env:
  {{- . | nindent 2 }}
{{- end }}
resources:
  {{- include "inference.resources" (dict "args" .args "values" $values) | nindent 2 }}
securityContext:
  {{- include "inference.containerSecurity" . | nindent 2 }}
volumeMounts:
  - name: config
    mountPath: /etc/picker
    readOnly: true
  {{- if $values.tls.secretName }}
  - name: tls
    mountPath: /etc/picker-tls
    readOnly: true
  {{- end }}
{{- end -}}

{{/* Takes (dict "root" $ "picker" ONE OF THEM). */}}
{{- define "inference.pickerVolumes" -}}
- name: config
  configMap:
    name: {{ include "inference.name" .root }}-{{ .picker.component }}-config
{{- with .root.Values.picker.tls.secretName }}
- name: tls
  secret: { secretName: {{ . }}, defaultMode: 0440 }
{{- end }}
{{- end -}}
