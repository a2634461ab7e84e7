/** Pods, and the common part of pod templates. */
import type { Json } from "../../session.ts";
import type { Table } from "./table.ts";

const probe = { httpGet: { path: "/", port: 80 } };
export const podSpec: Json = {
  automountServiceAccountToken: false,
  containers: [
    {
      name: "main",
      image: "app:1",
      ports: [{ name: "http", containerPort: 80 }],
      env: [{ name: "A", value: "1" }],
      resources: { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "1", memory: "1Gi" } },
      volumeMounts: [{ name: "data", mountPath: "/data" }],
      livenessProbe: probe,
      readinessProbe: probe,
    },
    { name: "side", image: "side:1" },
  ],
  initContainers: [{ name: "init", image: "init:1" }],
  volumes: [{ name: "data", emptyDir: {} }],
};

export const metadataLines = `
  metadata.name = "A"
  metadata.name = "a.b"
  metadata.name = "a_b"
  metadata.name = "-a"
  metadata.name = "1a"
  metadata.name = "a/b"
  metadata.name = "a%b"
  metadata.name = long(64)
  metadata.name = long(254)
  metadata.name = ""
  metadata.name - ; metadata.generateName = "A_random-"
  metadata.labels = {"a b": "c"}
  metadata.labels = {"a": "c d"}
  metadata.labels = {"a": long(64)}
  metadata.labels = {"a/b/c": "x"}
  metadata.labels = {"": "x"}
  metadata.labels = {"A.b/c": "x"}
  metadata.annotations = {"a b": "c"}
  metadata.annotations = {"A.b/c": "any thing"}
  metadata.annotations = {"a": long(262145)}
  metadata.finalizers = ["x"]
  metadata.finalizers = ["a b"]
  metadata.finalizers = ["example.com/x"]
  metadata.finalizers = ["orphan", "foregroundDeletion"]
  metadata.ownerReferences = [{"apiVersion": "v1", "kind": "ConfigMap", "name": "x", "uid": "1"}]
  metadata.ownerReferences = [{"apiVersion": "", "kind": "ConfigMap", "name": "x", "uid": "1"}]
  metadata.ownerReferences = [{"apiVersion": "v1", "kind": "", "name": "", "uid": ""}]
  metadata.ownerReferences = [{"apiVersion": "v1", "kind": "Event", "name": "x", "uid": "1"}]
  metadata.ownerReferences = [{"apiVersion": "a/b/c", "kind": "X", "name": "x", "uid": "1"}]
  metadata.ownerReferences = [{"apiVersion": "v1", "kind": "X", "name": "x", "uid": "1", "controller": true}, {"apiVersion": "v1", "kind": "X", "name": "y", "uid": "2", "controller": true}]
`;

/** Lines about a pod spec. */
export const podLines = `
  spec.containers = []
  spec.containers -
  spec.containers = null
  spec.containers[0].name -
  spec.containers[0].name = "A"
  spec.containers[0].name = "a.b"
  spec.containers[0].name = long(64)
  spec.containers[1].name = "main"
  spec.initContainers[0].name = "main"
  spec.containers[0].image -
  spec.containers[0].image = " app"
  spec.containers[0].image = "app "
  spec.containers[0].image = "???"
  spec.containers[0].imagePullPolicy = "Sometimes"
  spec.containers[0].terminationMessagePolicy = "Odd"
  spec.containers[0].terminationMessagePath = "relative"
  spec.containers[0].workingDir = "relative"
  spec.containers[0].ports[0].name = "HTTP"
  spec.containers[0].ports[0].name = "much-too-long-name"
  spec.containers[0].ports[0].name = "123"
  spec.containers[0].ports[0].name = "a--b"
  spec.containers[0].ports[0].containerPort -
  spec.containers[0].ports[0].containerPort = 0
  spec.containers[0].ports[0].containerPort = 65536
  spec.containers[0].ports[0].containerPort = -1
  spec.containers[0].ports[0].hostPort = 65536
  spec.containers[0].ports[0].hostPort = 8080
  spec.containers[0].ports[0].protocol = "HTTP"
  spec.containers[0].ports[+] = {"name": "http", "containerPort": 81}
  spec.containers[0].ports[+] = {"name": "again", "containerPort": 80}
  spec.containers[1].ports = [{"name": "http", "containerPort": 81}]
  spec.containers[0].ports[0].hostPort = 80 ; spec.containers[1].ports = [{"containerPort": 81, "hostPort": 80}]
  spec.hostNetwork = true
  spec.hostNetwork = true ; spec.containers[0].ports[0].hostPort = 81
  spec.containers[0].env[0].name -
  spec.containers[0].env[0].name = "a b"
  spec.containers[0].env[0].name = "a=b"
  spec.containers[0].env[0].name = "1a"
  spec.containers[0].env[+] = {"name": "A", "value": "2"}
  spec.containers[0].env[+] = {"name": "B", "valueFrom": {}}
  spec.containers[0].env[+] = {"name": "B", "value": "x", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}
  spec.containers[0].env[+] = {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}
  spec.containers[0].env[+] = {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "metadata.nonsense"}}}
  spec.containers[0].env[+] = {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels"}}}
  spec.containers[0].env[+] = {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['a']"}}}
  spec.containers[0].env[+] = {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['a b']"}}}
  spec.containers[0].env[+] = {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "metadata.annotations['a b']"}}}
  spec.containers[0].env[+] = {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}
  spec.containers[0].env[+] = {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "status.phase"}}}
  spec.containers[0].env[+] = {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": ""}}}
  spec.containers[0].env[+] = {"name": "B", "valueFrom": {"fieldRef": {"apiVersion": "v2", "fieldPath": "metadata.name"}}}
  spec.containers[0].env[+] = {"name": "B", "valueFrom": {"configMapKeyRef": {"name": "c", "key": ""}}}
  spec.containers[0].env[+] = {"name": "B", "valueFrom": {"configMapKeyRef": {"name": "", "key": "k"}}}
  spec.containers[0].env[+] = {"name": "B", "valueFrom": {"configMapKeyRef": {"name": "C", "key": "a b"}}}
  spec.containers[0].env[+] = {"name": "B", "valueFrom": {"secretKeyRef": {"name": "C_", "key": ""}}}
  spec.containers[0].env[+] = {"name": "B", "valueFrom": {"secretKeyRef": {"name": "s", "key": ".."}}}
  spec.containers[0].env[+] = {"name": "B", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}, "configMapKeyRef": {"name": "s", "key": "k"}}}
  spec.containers[0].env[+] = {"name": "B", "valueFrom": {"resourceFieldRef": {"resource": "limits.gpu"}}}
  spec.containers[0].env[+] = {"name": "B", "valueFrom": {"resourceFieldRef": {"resource": ""}}}
  spec.containers[0].env[+] = {"name": "B", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "2"}}}
  spec.containers[0].env[+] = {"name": "B", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "1m"}}}
  spec.containers[0].env[+] = {"name": "B", "valueFrom": {"resourceFieldRef": {"resource": "limits.memory", "divisor": "2Mi"}}}
  spec.containers[0].env[+] = {"name": "B", "valueFrom": {"resourceFieldRef": {"resource": "limits.memory", "divisor": "1Mi"}}}
  spec.containers[0].envFrom = [{}]
  spec.containers[0].envFrom = [{"configMapRef": {"name": ""}}]
  spec.containers[0].envFrom = [{"configMapRef": {"name": "A b"}}]
  spec.containers[0].envFrom = [{"secretRef": {"name": ""}}]
  spec.containers[0].envFrom = [{"secretRef": {"name": "a"}, "configMapRef": {"name": "b"}}]
  spec.containers[0].envFrom = [{"prefix": "a=", "secretRef": {"name": "a"}}]
  spec.containers[0].resources.limits.cpu = "-1"
  spec.containers[0].resources.requests.cpu = "2"
  spec.containers[0].resources.requests.memory = "2Gi"
  spec.containers[0].resources.requests.cpu = "-1"
  spec.containers[0].resources.limits.gpu = "1"
  spec.containers[0].resources.limits["example.com/gpu"] = "1"
  spec.containers[0].resources.limits["example.com/gpu"] = "1.5"
  spec.containers[0].resources.requests["example.com/gpu"] = "1"
  spec.containers[0].resources.limits["example.com/gpu"] = "2" ; spec.containers[0].resources.requests["example.com/gpu"] = "1"
  spec.containers[0].resources.limits["hugepages-2Mi"] = "2Mi"
  spec.containers[0].resources.limits["hugepages-2Mi"] = "3Mi"
  spec.containers[1].resources = {"limits": {"hugepages-2Mi": "2Mi"}}
  spec.containers[0].resources.limits.memory = "1m" ; spec.containers[0].resources.requests.memory -
  spec.containers[0].resources.limits["ephemeral-storage"] = "1Gi"
  spec.containers[0].resources.limits.storage = "1Gi"
  spec.containers[0].resources.limits["a b/c"] = "1"
  spec.containers[0].resources.limits["kubernetes.io/x"] = "1"
  spec.containers[0].resources.requests["pods"] = "1"
  spec.containers[0].resources.claims = [{"name": "x"}]
  spec.containers[0].resources.claims = [{"name": ""}]
  spec.containers[0].resizePolicy = [{"resourceName": "cpu", "restartPolicy": "NotRequired"}]
  spec.containers[0].resizePolicy = [{"resourceName": "gpu", "restartPolicy": "Odd"}]
  spec.containers[0].resizePolicy = [{"resourceName": "cpu", "restartPolicy": "NotRequired"}, {"resourceName": "cpu", "restartPolicy": "NotRequired"}]
  spec.containers[0].volumeMounts[0].name -
  spec.containers[0].volumeMounts[0].name = "absent"
  spec.containers[0].volumeMounts[0].mountPath -
  spec.containers[0].volumeMounts[0].mountPath = "relative"
  spec.containers[0].volumeMounts[0].mountPath = "/a:b"
  spec.containers[0].volumeMounts[+] = {"name": "data", "mountPath": "/data"}
  spec.containers[0].volumeMounts[+] = {"name": "absent", "mountPath": "/data"}
  spec.containers[0].volumeMounts[0].subPath = "/abs"
  spec.containers[0].volumeMounts[0].subPath = "../x"
  spec.containers[0].volumeMounts[0].subPath = "a/../b"
  spec.containers[0].volumeMounts[0].subPathExpr = "$(A)"
  spec.containers[0].volumeMounts[0].subPathExpr = "/x"
  spec.containers[0].volumeMounts[0].subPathExpr = "x" ; spec.containers[0].volumeMounts[0].subPath = "y"
  spec.containers[0].volumeMounts[0].mountPropagation = "Odd"
  spec.containers[0].volumeMounts[0].mountPropagation = "Bidirectional"
  spec.containers[0].volumeMounts[0].recursiveReadOnly = "Enabled"
  spec.containers[0].volumeMounts[0].recursiveReadOnly = "Odd"
  spec.containers[0].volumeDevices = [{"name": "data", "devicePath": "/dev/x"}]
  spec.containers[0].volumeDevices = [{"name": "", "devicePath": ""}]
  spec.containers[0].volumeDevices = [{"name": "absent", "devicePath": "../x"}]
  spec.containers[0].livenessProbe = {}
  spec.containers[0].livenessProbe = {"exec": {"command": []}}
  spec.containers[0].livenessProbe = {"exec": {"command": ["a"]}, "tcpSocket": {"port": 80}}
  spec.containers[0].livenessProbe.httpGet.path -
  spec.containers[0].livenessProbe.httpGet.port = 0
  spec.containers[0].livenessProbe.httpGet.port = 65536
  spec.containers[0].livenessProbe.httpGet.port = "http"
  spec.containers[0].livenessProbe.httpGet.port = "HTTP_"
  spec.containers[0].livenessProbe.httpGet.port = ""
  spec.containers[0].livenessProbe.httpGet.scheme = "FTP"
  spec.containers[0].livenessProbe.httpGet.httpHeaders = [{"name": "a b", "value": "x"}]
  spec.containers[0].livenessProbe.httpGet.httpHeaders = [{"name": "X-A", "value": "x"}]
  spec.containers[0].livenessProbe.initialDelaySeconds = -1
  spec.containers[0].livenessProbe.timeoutSeconds = -1
  spec.containers[0].livenessProbe.periodSeconds = -1
  spec.containers[0].livenessProbe.successThreshold = -1
  spec.containers[0].livenessProbe.failureThreshold = -1
  spec.containers[0].livenessProbe.successThreshold = 2
  spec.containers[0].readinessProbe.successThreshold = 2
  spec.containers[0].startupProbe = {"tcpSocket": {"port": 80}, "successThreshold": 2}
  spec.containers[0].livenessProbe.terminationGracePeriodSeconds = 0
  spec.containers[0].livenessProbe.terminationGracePeriodSeconds = 10
  spec.containers[0].readinessProbe.terminationGracePeriodSeconds = 10
  spec.containers[0].readinessProbe = {"grpc": {"port": 0}}
  spec.containers[0].readinessProbe = {"grpc": {"port": 80, "service": "x"}}
  spec.containers[0].readinessProbe = {"tcpSocket": {"port": "a b"}}
  spec.containers[0].lifecycle = {"preStop": {}}
  spec.containers[0].lifecycle = {"preStop": {"exec": {}}}
  spec.containers[0].lifecycle = {"postStart": {"sleep": {"seconds": 1}}}
  spec.containers[0].lifecycle = {"preStop": {"sleep": {"seconds": 31}}}
  spec.containers[0].lifecycle = {"preStop": {"sleep": {"seconds": -1}}}
  spec.containers[0].lifecycle = {"preStop": {"httpGet": {"port": 0}}}
  spec.containers[0].lifecycle = {"preStop": {"exec": {"command": ["a"]}}, "stopSignal": "SIGTERM"}
  spec.containers[0].lifecycle = {"stopSignal": "SIGTERM"} ; spec.os = {"name": "linux"}
  spec.containers[0].lifecycle = {"stopSignal": "SIGODD"} ; spec.os = {"name": "linux"}
  spec.containers[0].restartPolicy = "Always"
  spec.containers[0].restartPolicy = "Odd"
  spec.initContainers[0].restartPolicy = "Always"
  spec.initContainers[0].restartPolicy = "Odd"
  spec.initContainers[0].livenessProbe = {"httpGet": {"port": 80}}
  spec.initContainers[0].readinessProbe = {"httpGet": {"port": 80}}
  spec.initContainers[0].lifecycle = {"preStop": {"exec": {"command": ["a"]}}}
  spec.initContainers[0].restartPolicy = "Always" ; spec.initContainers[0].livenessProbe = {"httpGet": {"port": 80}}
  spec.initContainers[0].ports = [{"containerPort": 80, "hostPort": 80}] ; spec.containers[0].ports[0].hostPort = 80
  spec.ephemeralContainers = [{"name": "debug", "image": "a"}]
  spec.initContainers[0].image -
  spec.containers[0].securityContext = {"privileged": true, "allowPrivilegeEscalation": false}
  spec.containers[0].securityContext = {"allowPrivilegeEscalation": false, "capabilities": {"add": ["SYS_ADMIN"]}}
  spec.containers[0].securityContext = {"allowPrivilegeEscalation": false, "capabilities": {"add": ["CAP_SYS_ADMIN"]}}
  spec.containers[0].securityContext = {"runAsUser": -1}
  spec.containers[0].securityContext = {"runAsGroup": -1}
  spec.containers[0].securityContext = {"procMount": "Odd"}
  spec.containers[0].securityContext = {"procMount": "Unmasked"}
  spec.containers[0].securityContext = {"seccompProfile": {"type": "Odd"}}
  spec.containers[0].securityContext = {"seccompProfile": {"type": "Localhost"}}
  spec.containers[0].securityContext = {"seccompProfile": {"type": "Localhost", "localhostProfile": "/abs"}}
  spec.containers[0].securityContext = {"seccompProfile": {"type": "Localhost", "localhostProfile": "../x"}}
  spec.containers[0].securityContext = {"seccompProfile": {"type": "RuntimeDefault", "localhostProfile": "x"}}
  spec.containers[0].securityContext = {"seccompProfile": {}}
  spec.containers[0].securityContext = {"appArmorProfile": {"type": "Localhost"}}
  spec.containers[0].securityContext = {"appArmorProfile": {"type": "Odd"}}
  spec.containers[0].securityContext = {"windowsOptions": {"gmsaCredentialSpecName": "A B"}}
  spec.securityContext = {"runAsUser": -1, "runAsGroup": -2, "fsGroup": -3, "supplementalGroups": [-4]}
  spec.securityContext = {"fsGroupChangePolicy": "Odd"}
  spec.securityContext = {"sysctls": [{"name": "kernel.shm_rmid_forced", "value": "0"}]}
  spec.securityContext = {"sysctls": [{"name": "", "value": "0"}]}
  spec.securityContext = {"sysctls": [{"name": "A b", "value": "0"}]}
  spec.securityContext = {"sysctls": [{"name": "net.a", "value": "0"}, {"name": "net.a", "value": "0"}]} ; spec.hostNetwork = true ; spec.containers[0].ports -
  spec.securityContext = {"seccompProfile": {"type": "Odd"}}
  spec.securityContext = {"supplementalGroupsPolicy": "Odd"}
  spec.securityContext = {"seLinuxChangePolicy": "Odd"}
  spec.hostPID = true ; spec.shareProcessNamespace = true
  spec.hostUsers = false ; spec.hostNetwork = true ; spec.containers[0].ports -
  spec.volumes[0].name -
  spec.volumes[0].name = "A"
  spec.volumes[0].name = "a.b"
  spec.volumes[+] = {"name": "data", "emptyDir": {}}
  spec.volumes[+] = {"name": "two", "emptyDir": {}, "hostPath": {"path": "/x"}}
  spec.volumes[+] = {"name": "two", "emptyDir": {"medium": "Odd"}}
  spec.volumes[+] = {"name": "two", "emptyDir": {"sizeLimit": "-1"}}
  spec.volumes[+] = {"name": "two", "emptyDir": {"medium": "HugePages-3"}}
  spec.volumes[+] = {"name": "two", "hostPath": {"path": ""}}
  spec.volumes[+] = {"name": "two", "hostPath": {"path": "/a/../b"}}
  spec.volumes[+] = {"name": "two", "hostPath": {"path": "/a", "type": "Odd"}}
  spec.volumes[+] = {"name": "two", "configMap": {"name": ""}}
  spec.volumes[+] = {"name": "two", "configMap": {"name": "c", "defaultMode": 512}}
  spec.volumes[+] = {"name": "two", "configMap": {"name": "c", "items": [{"key": "", "path": ""}]}}
  spec.volumes[+] = {"name": "two", "configMap": {"name": "c", "items": [{"key": "k", "path": "/abs"}]}}
  spec.volumes[+] = {"name": "two", "configMap": {"name": "c", "items": [{"key": "k", "path": "../x"}]}}
  spec.volumes[+] = {"name": "two", "configMap": {"name": "c", "items": [{"key": "k", "path": "..x", "mode": 512}]}}
  spec.volumes[+] = {"name": "two", "secret": {"secretName": ""}}
  spec.volumes[+] = {"name": "two", "secret": {"secretName": "A b", "defaultMode": -1}}
  spec.volumes[+] = {"name": "two", "secret": {"secretName": "s", "items": [{"key": "k", "path": "a/../b"}]}}
  spec.volumes[+] = {"name": "two", "persistentVolumeClaim": {"claimName": ""}}
  spec.volumes[+] = {"name": "two", "persistentVolumeClaim": {"claimName": "C"}}
  spec.volumes[+] = {"name": "two", "persistentVolumeClaim": {"claimName": "c"}}
  spec.volumes[+] = {"name": "two", "downwardAPI": {"items": [{"path": "", "fieldRef": {"fieldPath": "metadata.name"}}]}}
  spec.volumes[+] = {"name": "two", "downwardAPI": {"items": [{"path": "x"}]}}
  spec.volumes[+] = {"name": "two", "downwardAPI": {"items": [{"path": "x", "fieldRef": {"fieldPath": "spec.nodeName"}}]}}
  spec.volumes[+] = {"name": "two", "downwardAPI": {"items": [{"path": "x", "fieldRef": {"fieldPath": "metadata.labels"}}]}}
  spec.volumes[+] = {"name": "two", "downwardAPI": {"items": [{"path": "x", "resourceFieldRef": {"resource": "limits.cpu"}}]}}
  spec.volumes[+] = {"name": "two", "downwardAPI": {"items": [{"path": "x", "resourceFieldRef": {"resource": "limits.cpu", "containerName": "main"}, "fieldRef": {"fieldPath": "metadata.name"}}]}}
  spec.volumes[+] = {"name": "two", "projected": {"sources": []}}
  spec.volumes[+] = {"name": "two", "projected": {"sources": [{}]}}
  spec.volumes[+] = {"name": "two", "projected": {"sources": [{"secret": {"name": ""}}]}}
  spec.volumes[+] = {"name": "two", "projected": {"sources": [{"secret": {"name": "s"}, "configMap": {"name": "c"}}]}}
  spec.volumes[+] = {"name": "two", "projected": {"sources": [{"serviceAccountToken": {"path": "", "expirationSeconds": 10}}]}}
  spec.volumes[+] = {"name": "two", "projected": {"sources": [{"configMap": {"name": "c", "items": [{"key": "k", "path": "p"}]}}, {"secret": {"name": "s", "items": [{"key": "k", "path": "p"}]}}]}}
  spec.volumes[+] = {"name": "two", "nfs": {"server": "", "path": ""}}
  spec.volumes[+] = {"name": "two", "nfs": {"server": "s", "path": "p"}}
  spec.volumes[+] = {"name": "two", "csi": {"driver": ""}}
  spec.volumes[+] = {"name": "two", "csi": {"driver": "a_b"}}
  spec.volumes[+] = {"name": "two", "gitRepo": {"repository": ""}}
  spec.volumes[+] = {"name": "two", "image": {"reference": ""}}
  spec.volumes[+] = {"name": "two", "image": {"reference": "r", "pullPolicy": "Odd"}}
  spec.volumes[+] = {"name": "two", "ephemeral": {}}
  spec.volumes[+] = {"name": "two", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}}
  spec.volumes[+] = {"name": "two", "ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}}}
  spec.volumes[+] = {"name": "two", "iscsi": {"targetPortal": "", "iqn": "", "lun": 1}}
  spec.volumes[+] = {"name": "two", "awsElasticBlockStore": {"volumeID": ""}}
  spec.restartPolicy = "Sometimes"
  spec.restartPolicy = "Never"
  spec.restartPolicy = "OnFailure"
  spec.dnsPolicy = "Odd"
  spec.dnsPolicy = "None"
  spec.dnsPolicy = "None" ; spec.dnsConfig = {"nameservers": ["1.1.1.1"]}
  spec.dnsPolicy = "None" ; spec.dnsConfig = {"searches": ["a.b"]}
  spec.dnsConfig = {"nameservers": ["x"]}
  spec.dnsConfig = {"nameservers": ["1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4"]}
  spec.dnsConfig = {"searches": ["A_b!"]}
  spec.dnsConfig = {"options": [{"value": "x"}]}
  spec.terminationGracePeriodSeconds = -1
  spec.activeDeadlineSeconds = 0
  spec.activeDeadlineSeconds = -1
  spec.nodeName = "A"
  spec.nodeSelector = {"a b": "c"}
  spec.nodeSelector = {"a": "c d"}
  spec.serviceAccountName = "A"
  spec.priorityClassName = "absent"
  spec.priority = 5
  spec.preemptionPolicy = "Odd"
  spec.schedulerName = "odd name"
  spec.hostname = "A"
  spec.hostname = "a.b"
  spec.subdomain = "A"
  spec.hostAliases = [{"ip": "x", "hostnames": ["a"]}]
  spec.hostAliases = [{"ip": "1.1.1.1", "hostnames": ["A_"]}]
  spec.imagePullSecrets = [{"name": ""}]
  spec.readinessGates = [{"conditionType": "a b"}]
  spec.os = {"name": "odd"}
  spec.os = {"name": "windows"}
  spec.os = {"name": "windows"} ; spec.securityContext = {"runAsUser": 1}
  spec.setHostnameAsFQDN = true
  spec.schedulingGates = [{"name": ""}]
  spec.schedulingGates = [{"name": "a"}, {"name": "a"}]
  spec.schedulingGates = [{"name": "a"}] ; spec.nodeName = "n"
  spec.resources = {"limits": {"cpu": "1"}}
  spec.resources = {"limits": {"gpu": "1"}}
  spec.tolerations = [{"operator": "Odd"}]
  spec.tolerations = [{"operator": "Equal"}]
  spec.tolerations = [{"key": "a b", "operator": "Exists"}]
  spec.tolerations = [{"key": "a", "operator": "Exists", "value": "x"}]
  spec.tolerations = [{"key": "a", "operator": "Exists", "effect": "Odd"}]
  spec.tolerations = [{"key": "a", "operator": "Equal", "value": "b c"}]
  spec.tolerations = [{"key": "a", "operator": "Exists", "effect": "NoSchedule", "tolerationSeconds": 5}]
  spec.tolerations = [{"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}]
  spec.affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []}}}
  spec.affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Odd"}]}]}}}
  spec.affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "In"}]}]}}}
  spec.affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a b", "operator": "Exists", "values": ["x"]}]}]}}}
  spec.affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["x", "y"]}]}]}}}
  spec.affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["x"]}]}]}}}
  spec.affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.labels", "operator": "In", "values": ["a", "b"]}]}]}}}
  spec.affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["A"]}]}]}}}
  spec.affinity = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 0, "preference": {"matchExpressions": [{"key": "a", "operator": "Exists"}]}}]}}
  spec.affinity = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 101, "preference": {"matchExpressions": [{"key": "a", "operator": "Odd"}]}}]}}
  spec.affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"labelSelector": {"matchLabels": {"a": "b"}}}]}}
  spec.affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "a b", "namespaces": ["A"]}]}}
  spec.affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "zone", "labelSelector": {"matchExpressions": [{"key": "a", "operator": "Odd"}]}}]}}
  spec.affinity = {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 0, "podAffinityTerm": {"topologyKey": ""}}]}}
  spec.affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": ""}]}}
  spec.affinity = {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 200, "podAffinityTerm": {"topologyKey": "zone", "labelSelector": {"matchLabels": {"a b": "c d"}}}}]}}
  spec.affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "zone", "matchLabelKeys": ["a"]}]}}
  spec.topologySpreadConstraints = [{"maxSkew": 0, "topologyKey": "", "whenUnsatisfiable": ""}]
  spec.topologySpreadConstraints = [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "Odd"}]
  spec.topologySpreadConstraints = [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "minDomains": 0}]
  spec.topologySpreadConstraints = [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway", "minDomains": 1}]
  spec.topologySpreadConstraints = [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}, {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}]
  spec.topologySpreadConstraints = [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway", "nodeAffinityPolicy": "Odd", "nodeTaintsPolicy": "Odd"}]
  spec.topologySpreadConstraints = [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": {"matchLabels": {"a": "b c"}}}]
  spec.topologySpreadConstraints = [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway", "matchLabelKeys": ["a"]}]
  spec.resourceClaims = [{"name": "A"}]
  spec.containers[0].name = "A" ; spec.containers[1].image - ; spec.restartPolicy = "X" ; spec.volumes[0].name = "B" ; metadata.labels = {"a b": "c"}
`;

const updates = `
  spec.containers[0].image = "app:2"
  spec.containers[0].image = ""
  spec.initContainers[0].image = "init:2"
  spec.containers[0].name = "other"
  spec.containers = []
  spec.containers[+] = {"name": "more", "image": "a"}
  spec.containers[0].env[0].value = "2"
  spec.containers[0].resources.limits.cpu = "2"
  spec.activeDeadlineSeconds = 5
  spec.activeDeadlineSeconds = -5
  spec.tolerations[+] = {"key": "a", "operator": "Exists"}
  spec.tolerations = []
  spec.tolerations[0].tolerationSeconds = 5
  spec.terminationGracePeriodSeconds = 1
  spec.terminationGracePeriodSeconds = 60
  spec.nodeName = "n"
  spec.restartPolicy = "Never"
  spec.volumes[0].emptyDir.medium = "Memory"
  spec.schedulingGates = [{"name": "a"}]
  spec.nodeSelector = {"a": "b"}
  spec.serviceAccountName = "other"
  spec.ephemeralContainers = [{"name": "debug", "image": "a"}]
  metadata.labels = {"a": "b"}
  metadata.labels = {"a b": "b"}
  metadata.annotations = {"a": "b"}
  metadata.generateName = "x-"
`;

export const podTables: readonly Table[] = [
  { apiVersion: "v1", kind: "Pod", plural: "pods", base: { spec: podSpec }, created: metadataLines + podLines, updated: updates },
];
