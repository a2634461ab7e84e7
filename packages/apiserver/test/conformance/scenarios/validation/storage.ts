/** ConfigMaps, Secrets and volumes. */
import type { Table } from "./table.ts";

export const storageTables: readonly Table[] = [
  {
    apiVersion: "v1",
    kind: "ConfigMap",
    plural: "configmaps",
    base: { data: { a: "b" } },
    created: `
      metadata.name = "A"
      metadata.name = "a.b"
      metadata.labels = {"a b": "c"}
      metadata.finalizers = ["x"]
      data = {"a b": "c"}
      data = {"..": "c"}
      data = {"": "c"}
      data = {"..a": "c"}
      data["${"k".repeat(254)}"] = "x"
      binaryData = {"a": "Zg=="}
      binaryData = {"b c": "Zg=="}
      data = {"a": long(1048577)}
      data = {"a": long(1048576)}
      immutable = true
    `,
    updated: `
      data = {"a": "c"}
      data = {"a b": "c"}
      immutable = true
      metadata.labels = {"a b": "c"}
    `,
  },
  {
    apiVersion: "v1",
    kind: "ConfigMap",
    plural: "configmaps",
    about: "that are immutable",
    base: { data: { a: "b" }, immutable: true },
    updated: `
      data = {"a": "c"}
      immutable = false
      immutable -
      binaryData = {"x": "Zg=="}
      metadata.labels = {"a": "c"}
    `,
  },
  {
    apiVersion: "v1",
    kind: "Secret",
    plural: "secrets",
    base: { data: { a: "Yg==" } },
    created: `
      metadata.name = "A"
      data = {"a b": "Yg=="}
      stringData = {"a b": "c"}
      type = "kubernetes.io/tls"
      type = "kubernetes.io/tls" ; data = {"tls.crt": "", "tls.key": ""}
      type = "kubernetes.io/dockerconfigjson"
      type = "kubernetes.io/dockerconfigjson" ; data = {".dockerconfigjson": "eA=="}
      type = "kubernetes.io/dockerconfigjson" ; data = {".dockerconfigjson": "e30="}
      type = "kubernetes.io/dockerconfigjson" ; stringData = {".dockerconfigjson": "{\\"a\\" 1}"}
      type = "kubernetes.io/dockerconfigjson" ; stringData = {".dockerconfigjson": "{\\"a\\":tru}"}
      type = "kubernetes.io/dockerconfigjson" ; stringData = {".dockerconfigjson": "{\\"a\\":1"}
      type = "kubernetes.io/dockerconfigjson" ; stringData = {".dockerconfigjson": "[1]"}
      type = "kubernetes.io/dockerconfigjson" ; stringData = {".dockerconfigjson": " null"}
      type = "kubernetes.io/dockerconfigjson" ; stringData = {".dockerconfigjson": "5"}
      type = "kubernetes.io/dockerconfigjson" ; stringData = {".dockerconfigjson": ""}
      type = "kubernetes.io/dockercfg" ; data = {".dockercfg": "eA=="}
      type = "kubernetes.io/dockercfg"
      type = "kubernetes.io/basic-auth"
      type = "kubernetes.io/basic-auth" ; data = {"username": "eA=="}
      type = "kubernetes.io/ssh-auth"
      type = "kubernetes.io/service-account-token"
      type = "kubernetes.io/service-account-token" ; metadata.annotations = {"kubernetes.io/service-account.name": "default"}
      type = "bootstrap.kubernetes.io/token"
      type = "example.com/x"
      immutable = true
    `,
    updated: `
      type = "example.com/x"
      type -
      data = {"a": "Yw=="}
      data = {"a b": "Yw=="}
      metadata.labels = {"a b": "c"}
    `,
  },
  {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    plural: "persistentvolumeclaims",
    base: { spec: { accessModes: ["ReadWriteOnce"], storageClassName: "s", resources: { requests: { storage: "1Gi" } } } },
    created: `
      metadata.name = "A"
      spec -
      spec.accessModes = []
      spec.accessModes = ["Odd"]
      spec.accessModes = ["ReadWriteOncePod", "ReadOnlyMany"]
      spec.accessModes = ["ReadWriteOncePod"]
      spec.resources -
      spec.resources.requests = {}
      spec.resources.requests.storage = "0"
      spec.resources.requests.storage = "-1"
      spec.resources.requests.storage = "1m"
      spec.resources.limits = {"storage": "500Mi"}
      spec.storageClassName = "A"
      spec.storageClassName = ""
      spec.volumeMode = "Odd"
      spec.volumeMode = "Block"
      spec.selector = {"matchLabels": {"a b": "c"}}
      spec.selector = {"matchExpressions": [{"key": "a", "operator": "In"}]}
      spec.dataSource = {"kind": "", "name": ""}
      spec.dataSource = {"kind": "PersistentVolumeClaim", "name": "x"}
      spec.dataSource = {"kind": "Odd", "name": "x"}
      spec.dataSourceRef = {"kind": "Odd", "name": "x", "apiGroup": "a.b"}
      spec.volumeAttributesClassName = "A"
      metadata.annotations = {"volume.beta.kubernetes.io/storage-class": "x"}
    `,
    updated: `
      spec.resources.requests.storage = "2Gi"
      spec.resources.requests.storage = "500Mi"
      spec.accessModes = ["ReadOnlyMany"]
      spec.storageClassName = "other"
      spec.volumeMode = "Block"
      spec.volumeName = "v"
      spec.selector = {"matchLabels": {"a": "b"}}
      metadata.labels = {"a b": "c"}
      metadata.labels = {"a": "c"}
    `,
  },
  {
    apiVersion: "v1",
    kind: "PersistentVolume",
    plural: "persistentvolumes",
    isClusterWide: true,
    base: { spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" } } },
    created: `
      metadata.name = "A"
      metadata.name = "a.b"
      spec -
      spec.accessModes = []
      spec.accessModes = ["Odd"]
      spec.capacity -
      spec.capacity = {"cpu": "1"}
      spec.capacity.storage = "0"
      spec.capacity.storage = "-1"
      spec.hostPath -
      spec.hostPath.path = ""
      spec.hostPath.path = "/"
      spec.hostPath.path = "/" ; spec.persistentVolumeReclaimPolicy = "Recycle"
      spec.hostPath.path = "/a/../b"
      spec.nfs = {"server": "s", "path": "/p"}
      spec.hostPath - ; spec.nfs = {"server": "", "path": "p"}
      spec.hostPath - ; spec.csi = {"driver": "d", "volumeHandle": "h"}
      spec.hostPath - ; spec.csi = {"driver": "", "volumeHandle": ""}
      spec.hostPath - ; spec.local = {"path": "/x"}
      spec.hostPath - ; spec.local = {"path": "/x"} ; spec.nodeAffinity = {"required": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Exists"}]}]}}
      spec.persistentVolumeReclaimPolicy = "Odd"
      spec.storageClassName = "A"
      spec.volumeMode = "Odd"
      spec.nodeAffinity = {}
      spec.nodeAffinity = {"required": {"nodeSelectorTerms": []}}
      spec.claimRef = {"name": "c", "namespace": "default"}
      spec.mountOptions = ["ro"]
    `,
    updated: `
      spec.capacity.storage = "2Gi"
      spec.accessModes = ["ReadOnlyMany"]
      spec.hostPath.path = "/y"
      spec.persistentVolumeReclaimPolicy = "Delete"
      spec.volumeMode = "Block"
      spec.storageClassName = "x"
      spec.claimRef = {"name": "c", "namespace": "default"}
      metadata.labels = {"a b": "c"}
    `,
  },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    plural: "storageclasses",
    isClusterWide: true,
    base: { provisioner: "example.com/p", parameters: { a: "b" } },
    created: `
      metadata.name = "A"
      provisioner = ""
      provisioner = "A B"
      provisioner = "kubernetes.io/no-provisioner"
      parameters = {"": "x"}
      reclaimPolicy = "Odd"
      reclaimPolicy = "Recycle"
      reclaimPolicy = "Retain"
      volumeBindingMode = "Odd"
      volumeBindingMode = "WaitForFirstConsumer"
      allowedTopologies = [{"matchLabelExpressions": [{"key": "", "values": []}]}]
      allowedTopologies = [{"matchLabelExpressions": [{"key": "a", "values": ["x"]}]}]
    `,
    updated: `
      provisioner = "example.com/q"
      parameters = {"a": "c"}
      reclaimPolicy = "Retain"
      volumeBindingMode = "WaitForFirstConsumer"
      allowVolumeExpansion = true
      mountOptions = ["ro"]
    `,
  },
];
