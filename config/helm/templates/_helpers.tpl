{{/* What the names of all objects begin with. */}}
{{- define "inference.name" -}}
{{- .Values.fullnameOverride | default .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* Labels of an object; nobody can take the chart's own away. Takes (dict "root" $ "component" NAME), and perhaps "more" LABELS. */}}
{{- define "inference.labels" -}}
{{- $own := include "inference.selectorLabels" . | fromYaml -}}
{{- $_ := set $own "app.kubernetes.io/part-of" .root.Chart.Name -}}
{{- $_ := set $own "app.kubernetes.io/version" .root.Chart.AppVersion -}}
{{- $_ := set $own "app.kubernetes.io/managed-by" .root.Release.Service -}}
{{- $_ := set $own "helm.sh/chart" (printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_") -}}
{{- toYaml (merge $own (.more | default dict) .root.Values.commonLabels) -}}
{{- end -}}

{{/* Labels by which the pods of a component are found; these never change. Takes (dict "root" $ "component" NAME). */}}
{{- define "inference.selectorLabels" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* An image. Takes (dict "root" $ "image" VALUES). */}}
{{- define "inference.image" -}}
{{- with .image -}}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.root.Chart.AppVersion }}{{ end -}}
{{- end -}}
{{- end -}}

{{/* Seconds of a duration such as 1m30s, rounded up. */}}
{{- define "inference.seconds" -}}
{{- $milliseconds := 0.0 -}}
{{- $factors := dict "ms" 1 "s" 1000 "m" 60000 "h" 3600000 -}}
{{- range regexFindAll "[0-9.]+(ms|s|m|h)" . -1 -}}
{{- $unit := regexFind "[a-z]+" . -}}
{{- $milliseconds = addf $milliseconds (mulf (trimSuffix $unit . | float64) (get $factors $unit)) -}}
{{- end -}}
{{- divf $milliseconds 1000 | ceil -}}
{{- end -}}

{{/* What the restricted Pod Security Standard asks of a pod. */}}
{{- define "inference.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{/* And of a container. */}}
{{- define "inference.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop: [ALL]
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{/* Of a container that serves, or only looks at its configuration. Takes (dict "args" ARGUMENTS "values" VALUES). */}}
{{- define "inference.resources" -}}
{{- if has "--check" .args -}}
requests: { cpu: 100m, memory: 128Mi }
limits: { memory: 512Mi }
{{- else -}}
{{ toYaml .values.resources }}
{{- end -}}
{{- end -}}

{{/* Where pods go. Takes (dict "root" $ "component" NAME "values" VALUES). */}}
{{- define "inference.placement" -}}
{{- if .values.spread }}
topologySpreadConstraints:
  {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "inference.selectorLabels" $ | nindent 8 }}
    matchLabelKeys: [pod-template-hash]
  {{- end }}
{{- end }}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Variables of a container: those that say where spans go, and those of the values, which win. Takes (dict "root" $ "values" VALUES). */}}
{{- define "inference.environment" -}}
{{- $given := list -}}
{{- range .values.env }}{{ $given = append $given .name }}{{ end -}}
{{- with .root.Values.tracing -}}
{{- if .endpoint -}}
{{- $own := dict
  "OTEL_TRACES_EXPORTER" "otlp"
  "OTEL_EXPORTER_OTLP_ENDPOINT" .endpoint
  "OTEL_EXPORTER_OTLP_PROTOCOL" .protocol
  "OTEL_TRACES_SAMPLER" "parentbased_traceidratio"
  "OTEL_TRACES_SAMPLER_ARG" (toString .ratio)
-}}
{{- range $name, $value := $own }}
{{- if not (has $name $given) }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- with .values.env }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* An autoscaler, by CPU and by other metrics. Takes (dict "root" $ "component" NAME "scaling" VALUES "metrics" LIST). */}}
{{- define "inference.autoscaler" -}}
{{- $metrics := .metrics -}}
{{- with .scaling.cpuUtilization -}}
{{- $target := dict "type" "Utilization" "averageUtilization" . -}}
{{- $metrics = prepend $metrics (dict "type" "Resource" "resource" (dict "name" "cpu" "target" $target)) -}}
{{- end -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ include "inference.name" .root }}-{{ .component }}
  labels:
    {{- include "inference.labels" . | nindent 4 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "inference.name" .root }}-{{ .component }}
  minReplicas: {{ .scaling.minReplicas }}
  maxReplicas: {{ .scaling.maxReplicas }}
  metrics:
    {{- toYaml $metrics | nindent 4 }}
  behavior:
    # calls are long: what goes and comes back within minutes costs more than it saves
    scaleDown:
      stabilizationWindowSeconds: 300
      policies: [{ type: Pods, value: 1, periodSeconds: 60 }]
{{- end -}}

{{/* The variable with a token from a Secret; nothing without one. Takes (dict "values" VALUES "variable" NAME). */}}
{{- define "inference.adminToken" -}}
{{- with .values.adminToken }}
{{- if .secretName }}
- name: {{ $.variable }}
  valueFrom:
    secretKeyRef:
      name: {{ .secretName }}
      key: {{ .key }}
{{- end }}
{{- end }}
{{- end -}}

{{/* A budget for disruptions. Takes (dict "root" $ "component" NAME "values" VALUES). */}}
{{- define "inference.disruptionBudget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "inference.name" .root }}-{{ .component }}
  labels:
    {{- include "inference.labels" . | nindent 4 }}
spec:
  maxUnavailable: {{ .values.disruptionBudget.maxUnavailable }}
  selector:
    matchLabels:
      {{- include "inference.selectorLabels" . | nindent 6 }}
{{- end -}}
