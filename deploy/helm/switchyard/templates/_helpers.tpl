{{- define "switchyard.fullname" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "switchyard.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "switchyard.labels" -}}
{{ include "switchyard.selector" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "switchyard.adminPortName" -}}
{{ if .Values.adminPort.enabled }}admin{{ else }}http{{ end }}
{{- end }}

{{- define "switchyard.check" -}}
{{- if eq .Values.mode "nodes" }}
{{- if not .Values.existingSecret }}{{ fail "mode nodes needs existingSecret, with DATABASE_URL, REDIS_URL and SECRETS_KEY" }}{{ end }}
{{- else }}
{{- if .Values.autoscaling.enabled }}{{ fail "an embedded gateway is one process: autoscaling needs mode nodes" }}{{ end }}
{{- end }}
{{- end }}
