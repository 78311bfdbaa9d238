{{- define "inference.sidecarName" -}}
{{ include "inference.name" . }}-sidecar
{{- end -}}

{{/* The configuration file: `sidecar.config` with what other values say. */}}
{{- define "inference.sidecarConfig" -}}
{{- $own := dict "port" (first .Values.pool.targetPorts) "tracing" (ne .Values.tracing.endpoint "") -}}
{{- if .Values.sidecar.tls.secretName -}}
{{- $own = merge $own (dict "secure-proxy" true "cert-path" "/etc/sidecar-tls") -}}
{{- end -}}
{{- if .Values.sidecar.ssrfProtection.enabled -}}
{{- $pool := .Values.pool.name | default (include "inference.name" .) -}}
{{- $own = merge $own (dict "enable-ssrf-protection" true "inference-pool" (printf "%s/%s" .Release.Namespace $pool)) -}}
{{- end -}}
{{- toYaml (merge $own .Values.sidecar.config) -}}
{{- end -}}

{{/*
The sidecar, to stand among the `initContainers` of a decode pod, whose engine listens on `model-server-port`. It starts before the
engine, and ends after it. A chart that has this one as a subchart may include it.
*/}}
{{- define "inference.sidecarContainer" -}}
{{- $values := .Values.sidecar -}}
{{- $scheme := ternary "HTTPS" "HTTP" (or (ne $values.tls.secretName "") (dig "secure-proxy" true $values.config)) -}}
name: sidecar
image: {{ include "inference.image" (dict "root" . "image" $values.image) }}
imagePullPolicy: {{ $values.image.pullPolicy }}
restartPolicy: Always
args:
  - --configuration-file=/etc/sidecar/sidecar.yaml
env:
  - name: POD_IP
    valueFrom:
      fieldRef:
        fieldPath: status.podIP
  {{- with include "inference.environment" (dict "root" . "values" $values) | trim }}
  {{- . | nindent 2 }}
  {{- end }}
ports:
  - name: sidecar
    containerPort: {{ first .Values.pool.targetPorts }}
  {{- if $values.config | dig "metrics-port" 0 }}
  - name: sidecar-metrics
    containerPort: {{ get $values.config "metrics-port" }}
  {{- end }}
# the engine starts once this answers
startupProbe:
  httpGet: { path: /health, port: sidecar, scheme: {{ $scheme }} }
  periodSeconds: 1
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /health, port: sidecar, scheme: {{ $scheme }} }
  periodSeconds: 10
  timeoutSeconds: 5
resources:
  {{- toYaml $values.resources | nindent 2 }}
securityContext:
  {{- include "inference.containerSecurity" . | nindent 2 }}
  runAsUser: 65532
  runAsGroup: 65532
volumeMounts:
  - name: sidecar-config
    mountPath: /etc/sidecar
    readOnly: true
  {{- if $values.tls.secretName }}
  - name: sidecar-tls
    mountPath: /etc/sidecar-tls
    readOnly: true
  {{- end }}
{{- end -}}

{{/* What it mounts. */}}
{{- define "inference.sidecarVolumes" -}}
- name: sidecar-config
  configMap:
    name: {{ include "inference.sidecarName" . }}-config
{{- with .Values.sidecar.tls.secretName }}
- name: sidecar-tls
  secret: { secretName: {{ . }} }
{{- end }}
{{- end -}}
