{{- define "inference.renderName" -}}
{{ include "inference.name" . }}-render
{{- end -}}

{{/* Whether render is made here: "true" or nothing. */}}
{{- define "inference.hasRender" -}}
{{- if and (eq .Values.render.mode "bundled") (include "inference.hasCoordinator" .) }}true{{ end -}}
{{- end -}}

{{- define "inference.renderAddress" -}}
{{- if include "inference.hasRender" . }}http://{{ include "inference.renderName" . }}:8000{{ else }}{{ .Values.render.address }}{{ end -}}
{{- end -}}
