{{/* A pod that `helm test` runs. Takes (dict "root" $ "component" NAME "container" YAML "volumes" YAML). */}}
{{- define "inference.checkPod" -}}
apiVersion: v1
kind: Pod
metadata:
  name: {{ include "inference.name" .root }}-{{ .component }}-check
  labels:
    {{- include "inference.labels" (dict "root" .root "component" (printf "%s-check" .component)) | nindent 4 }}
  annotations:
    helm.sh/hook: test
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
spec:
  restartPolicy: Never
  automountServiceAccountToken: false
  securityContext:
    {{- include "inference.podSecurity" .root | nindent 4 }}
  containers:
    - {{- .container | nindent 6 }}
  volumes:
    {{- .volumes | nindent 4 }}
  {{- with .root.Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
