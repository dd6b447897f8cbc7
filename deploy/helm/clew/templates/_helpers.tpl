{{- define "clew.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "clew.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "clew.labels" -}}
{{ include "clew.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "clew.secret" -}}
{{ .Values.existingSecret | default (include "clew.name" .) }}
{{- end }}

{{/* Pod: security, and the volumes that every part has. */}}
{{- define "clew.pod" -}}
automountServiceAccountToken: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Container: image, security, environment; of [root context, settings of the part, name of the Secret]. */}}
{{- define "clew.container" -}}
{{- $root := index . 0 -}}
image: "{{ $root.Values.image.repository }}:{{ $root.Values.image.tag | default $root.Chart.AppVersion }}"
imagePullPolicy: {{ $root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
envFrom:
  - secretRef: { name: {{ index . 2 }} }
env:
{{- $hosts := ternary (dict "CLEW_HOSTS" $root.Values.ingress.host) (dict) $root.Values.ingress.enabled }}
{{- range $name, $value := merge (dict) (index . 1) $root.Values.settings $hosts }}
  - { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
volumeMounts:
  - { name: home, mountPath: /var/lib/clew }
  - { name: tmp, mountPath: /tmp }
{{- end }}
