{{/* Combinations of values that make no sense. */}}
{{- define "inference.validate" -}}
{{- if and .Values.gateway.routes (include "inference.hasCoordinator" .) (not .Values.gateway.allowSharedListener) -}}
{{- range $client := .Values.gateway.clients.parentRefs -}}
{{- range $phase := $.Values.gateway.phases.parentRefs -}}
{{- if include "inference.isSameListener" (dict "root" $ "first" $client "second" $phase) -}}
{{- fail (printf "gateway.clients and gateway.phases share a listener of %s: a client that sends the profile header would get past the coordinator. Name two by sectionName, or set gateway.allowSharedListener" .name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if include "inference.hasRender" . -}}
{{- with .Values.render -}}
{{- if not (or .image.tag .image.digest) -}}
{{- fail "render.image: a bundled render needs a tag or a digest, of the version that the workers have" -}}
{{- end -}}
{{- if not .model -}}
{{- fail "render.model: a bundled render needs the model of the workers" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- include "inference.validateScaling" (dict "path" "coordinator" "scaling" .Values.coordinator.autoscaling "other" "requestsInFlight") -}}
{{- include "inference.validateScaling" (dict "path" "asyncWorker" "scaling" .Values.asyncWorker.autoscaling "other" "queueDepth") -}}
{{- if include "inference.hasAsyncWorker" . -}}
{{- if not (include "inference.hasBroker" .) -}}
{{- fail "asyncWorker.enabled: nothing is queued without a coordinator that has the step async-broker" -}}
{{- end -}}
{{- if not (or .Values.redis.url .Values.asyncWorker.config.redis_url) -}}
{{- fail "redis.url: the async worker needs it" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Takes (dict "path" OF THE COMPONENT "scaling" VALUES "other" KEY BESIDE cpuUtilization). */}}
{{- define "inference.validateScaling" -}}
{{- if .scaling.enabled -}}
{{- if not (or .scaling.cpuUtilization (get .scaling .other)) -}}
{{- fail (printf "%s.autoscaling: one of cpuUtilization and %s has to be above 0" .path .other) -}}
{{- end -}}
{{- if gt (int .scaling.minReplicas) (int .scaling.maxReplicas) -}}
{{- fail (printf "%s.autoscaling: minReplicas is above maxReplicas" .path) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
Whether two `parentRefs` have a listener in common: "true" or nothing. One without a section and a port is about all listeners. Takes
(dict "root" $ "first" REF "second" REF).
*/}}
{{- define "inference.isSameListener" -}}
{{- $defaults := dict "group" "gateway.networking.k8s.io" "kind" "Gateway" "namespace" .root.Release.Namespace "name" "" -}}
{{- $isSame := true -}}
{{- range $key, $default := $defaults -}}
{{- if ne (get $.first $key | default $default) (get $.second $key | default $default) }}{{ $isSame = false }}{{ end -}}
{{- end -}}
{{- range list "sectionName" "port" -}}
{{- if and (hasKey $.first .) (hasKey $.second .) (ne (get $.first . | toString) (get $.second . | toString)) }}{{ $isSame = false }}{{ end -}}
{{- end -}}
{{- if $isSame }}true{{ end -}}
{{- end -}}
