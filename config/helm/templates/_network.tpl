{{/* The head of a policy. Takes (dict "root" $ "name" NAME "components" LIST); without components it is for all. */}}
{{- define "inference.networkPolicy" -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "inference.name" .root }}-{{ .name }}
  labels:
    {{- include "inference.labels" (dict "root" .root "component" .name) | nindent 4 }}
spec:
  podSelector:
    matchLabels:
      app.kubernetes.io/name: {{ .root.Chart.Name }}
      app.kubernetes.io/instance: {{ .root.Release.Name }}
    {{- with .components }}
    matchExpressions:
      - { key: app.kubernetes.io/component, operator: In, values: {{ toJson . }} }
    {{- end }}
  policyTypes: [Ingress, Egress]
{{- end -}}

{{/* An egress rule for names. */}}
{{- define "inference.networkNames" -}}
{{- with .Values.networkPolicy.dns }}
- to:
    {{- toYaml . | nindent 4 }}
  ports:
    - { protocol: UDP, port: 53 }
    - { protocol: TCP, port: 53 }
{{- end }}
{{- end -}}

{{/* An egress rule for spans. */}}
{{- define "inference.networkSpans" -}}
{{- if and .Values.tracing.endpoint .Values.networkPolicy.telemetry }}
- to:
    {{- toYaml .Values.networkPolicy.telemetry | nindent 4 }}
{{- end }}
{{- end -}}

{{/* A rule for peers and ports. Takes (dict "side" "to" OR "from" "peers" LIST "ports" LIST); nothing without peers. */}}
{{- define "inference.networkRule" -}}
{{- if .peers }}
- {{ .side }}:
    {{- toYaml .peers | nindent 4 }}
  {{- with .ports }}
  ports:
    {{- range . }}
    - { protocol: TCP, port: {{ . }} }
    {{- end }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* Who may come in. Takes a list of (dict "peers" LIST "ports" LIST). */}}
{{- define "inference.networkIngress" -}}
{{- $rules := "" -}}
{{- range . }}{{ $rules = print $rules (include "inference.networkRule" (merge (dict "side" "from") .)) }}{{ end -}}
ingress:
{{- if $rules }}
  {{- trim $rules | nindent 2 }}
{{- else }} []
{{- end }}
{{- end -}}
