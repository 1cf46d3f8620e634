{{- define "zonecut.labels" -}}
app.kubernetes.io/name: zonecut
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "zonecut.subjects" -}}
subjects:
  - kind: ServiceAccount
    name: zonecut
    namespace: {{ .Release.Namespace }}
{{- end }}

{{- define "zonecut.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{- define "zonecut.managedResources" -}}
managedResources:
{{- range .Values.gpuResources }}
  - name: {{ . }}
    ignoredByScheduler: false
{{- end }}
{{- end }}

{{- define "zonecut.args" -}}
- serve
{{- if eq .Values.mode "extender" }}
- --listen=0.0.0.0:8443
- --tls-cert=/etc/zonecut/tls/tls.crt
- --tls-key=/etc/zonecut/tls/tls.key
- --client-ca=/etc/zonecut/tls/ca.crt
{{- else }}
- --listen=127.0.0.1:8090
{{- end }}
{{- if or .Values.gates (eq .Values.mode "gates") }}
- --gates
{{- end }}
{{- range .Values.gpuResources }}
- --gpu-resource={{ . }}
{{- end }}
{{- if ne .Values.mode "second-scheduler" }}
- --lease=$(NAMESPACE)/zonecut
{{- end }}
{{- with .Values.topology }}
{{- if .clusterConfigMap }}
- --cluster=/etc/zonecut/cluster/cluster.yaml
{{- $topology := . }}
{{- range list "levels" "zoneLevel" "oversubscription" "nicBandwidth" }}
{{- if get $topology . }}
{{- fail (printf "topology.%s: with topology.clusterConfigMap it makes no difference, as the cluster file says it; leave one of the two out" .) }}
{{- end }}
{{- end }}
{{- end }}
{{- with .levels }}
- {{ printf "--levels=%s" (join "," .) | quote }}
{{- end }}
{{- if and .zoneLevel .levels }}
{{- $names := list }}
{{- range .levels }}
{{- $names = append $names (base .) }}
{{- end }}
{{- if not (or (has .zoneLevel $names) (has .zoneLevel (splitList "," (join "," .levels | replace "/" ".")))) }}
{{- fail (printf "topology.zoneLevel: found %q, expected one of the levels: %s" .zoneLevel (join ", " $names)) }}
{{- end }}
{{- end }}
{{- with .zoneLevel }}
- {{ printf "--zone-level=%s" . | quote }}
{{- end }}
{{- with .oversubscription }}
- {{ printf "--oversubscription=%v" . | quote }}
{{- end }}
{{- with .nicBandwidth }}
- {{ printf "--nic-bandwidth=%s" . | quote }}
{{- end }}
{{- end }}
{{- with .Values.reserveSeconds }}
{{- if ne (int .) 120 }}
- --reserve={{ int . }}
{{- end }}
{{- end }}
{{- with .Values.patienceSeconds }}
{{- if ne (int .) 900 }}
- --patience={{ int . }}
{{- end }}
{{- end }}
{{- if has (kindOf .Values.aheadPods) (list "int" "int64" "float64") }}
- --ahead={{ int .Values.aheadPods }}
{{- end }}
{{- range .Values.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end }}
