/** Validates volumes of pods and of PersistentVolumes. */
import { nameProblems } from "../../objects/object-meta.ts";
import { quantityNanos } from "../quantity.ts";
import { claimSpec } from "./claims.ts";
import { volumeAmount, volumeField } from "./environment.ts";
import { annotations, dnsLabel, fileMode, labels, noBacksteps, unreservedPath } from "./formats.ts";
import { all, each, fields, ifGiven, ifSet, mustBeOneOf, needed, oneOf, passes, type Rule, required, type Spot } from "./spot.ts";

const HOST_PATHS = ["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"];

export const hostPath: Rule = fields({ path: needed(noBacksteps), type: oneOf(...HOST_PATHS) });

export const nfs: Rule = fields({
  server: required,
  path: (spot) => {
    required(spot);
    if (!spot.text.startsWith("/")) spot.invalid("must be an absolute path");
  },
});

export const csiDriverName: Rule = needed((spot) => {
  if (spot.text.length > 63) spot.tooLong(63);
  passes((text) => nameProblems("subdomain", text.toLowerCase(), false))(spot);
});

const keyToPath: Rule = fields({ key: required, path: needed(unreservedPath), mode: fileMode });
const items: Rule = each(keyToPath);

const downwardFile: Rule = (spot) => {
  const [path, field, resource] = [spot.at("path"), spot.at("fieldRef"), spot.at("resourceFieldRef")];
  required(path);
  unreservedPath(path);
  if (field.isSet) {
    volumeField(field);
    if (resource.isSet) spot.invalid("fieldRef and resourceFieldRef can not be specified simultaneously", "resource");
  } else if (resource.isSet) volumeAmount(resource);
  else spot.required("one of fieldRef and resourceFieldRef is required");
  fileMode(spot.at("mode"));
};

/** The real server does not name the wrong item. */
const downwardFiles: Rule = (spot) => {
  for (const item of spot.at("items").items) downwardFile(item.named(spot.path));
};

const token =
  (projected: Spot): Rule =>
  (spot) => {
    const [expiration, path] = [spot.at("expirationSeconds"), spot.at("path")];
    if (expiration.isSet && expiration.number < 600) expiration.invalid("may not specify a duration less than 10 minutes");
    if (expiration.number > 2 ** 32) expiration.invalid("may not specify a duration larger than 2^32 seconds");
    needed(unreservedPath)(path.named(`${projected.path}.path`));
  };

const PROJECTIONS = ["secret", "configMap", "downwardAPI", "serviceAccountToken", "clusterTrustBundle", "podCertificate"];

const projected: Rule = (spot) => {
  fileMode(spot.at("defaultMode"));
  const paths = new Set<string>();
  const once = (path: string, shown: string): void => {
    if (path !== "" && paths.has(path)) spot.invalid("conflicting duplicate paths", shown);
    paths.add(path);
  };
  for (const source of spot.at("sources").items) {
    for (const kind of ["secret", "configMap"]) {
      const at = source.at(kind);
      if (!at.isSet) continue;
      required(at.at("name"));
      for (const item of at.at("items").items) {
        keyToPath(item);
        once(item.at("path").text, at.at("name").text);
      }
    }
    for (const item of source.within("downwardAPI", "items").items) {
      downwardFile(item.named(`${source.path}.downwardAPI`));
      once(item.at("path").text, item.at("path").text);
    }
    const account = source.at("serviceAccountToken");
    if (account.isSet) token(spot)(account);
    if (PROJECTIONS.filter((kind) => source.at(kind).isSet).length > 1)
      source.forbidden("may not specify more than 1 volume type per source");
  }
};

const claimTemplate: Rule = (spot) => {
  const template = spot.at("volumeClaimTemplate");
  if (!template.isSet) return template.required();
  fields({ metadata: fields({ labels, annotations }) })(template);
  claimSpec(template.at("spec"));
};

/** Types of volumes in the order in which the real server checks them: the first one counts. */
const KINDS: readonly (readonly [string, Rule])[] = [
  [
    "emptyDir",
    (spot) => {
      const size = spot.at("sizeLimit");
      if (size.isSet && quantityNanos(size.text) < 0n) size.forbidden("SizeLimit field must be a valid resource quantity");
    },
  ],
  ["hostPath", hostPath],
  ["gitRepo", fields({ repository: required, directory: ifGiven(unreservedPath) })],
  ["gcePersistentDisk", fields({ pdName: required })],
  ["awsElasticBlockStore", fields({ volumeID: required })],
  ["secret", fields({ secretName: required, defaultMode: fileMode, items })],
  ["nfs", nfs],
  ["iscsi", fields({ targetPortal: required, iqn: required })],
  ["glusterfs", fields({ endpoints: required, path: required })],
  ["flocker", () => {}],
  ["persistentVolumeClaim", fields({ claimName: required })],
  ["rbd", fields({ monitors: required, image: required })],
  ["cinder", fields({ volumeID: required })],
  ["cephfs", fields({ monitors: required })],
  ["quobyte", fields({ registry: required, volume: required })],
  ["downwardAPI", all(fields({ defaultMode: fileMode }), downwardFiles)],
  ["fc", () => {}],
  ["flexVolume", fields({ driver: required })],
  ["configMap", fields({ name: required, defaultMode: fileMode, items })],
  ["azureFile", fields({ secretName: required, shareName: required })],
  ["vsphereVolume", fields({ volumePath: required })],
  ["photonPersistentDisk", fields({ pdID: required })],
  ["portworxVolume", fields({ volumeID: required })],
  ["azureDisk", fields({ diskName: required, diskURI: required })],
  ["storageos", () => {}],
  ["projected", projected],
  ["scaleIO", fields({ gateway: required, system: required, volumeName: required })],
  ["csi", fields({ driver: csiDriverName })],
  ["ephemeral", claimTemplate],
  ["image", fields({ pullPolicy: mustBeOneOf("Always", "IfNotPresent", "Never") })],
];

function volumeSource(spot: Spot): void {
  let isFound = false;
  for (const [kind, rule] of KINDS) {
    const at = spot.at(kind);
    if (!at.isSet) continue;
    if (isFound) at.forbidden("may not specify more than 1 volume type");
    else rule(at);
    isFound = true;
  }
  if (!isFound) spot.required("must specify a volume type");
}

/** Checks the volumes of a pod and returns by name those that containers can mount. `pod` is its name, empty for a template. */
export function volumes(spot: Spot, pod: string): ReadonlyMap<string, Spot> {
  const known = new Map<string, Spot>();
  const made = new Set(spot.items.flatMap((item) => (pod !== "" && item.at("ephemeral").isSet ? [`${pod}-${item.at("name").text}`] : [])));
  for (const item of spot.items) {
    const before = item.errorCount;
    const name = item.at("name");
    if (pod !== "") ifSet(fields({ reference: required }))(item.at("image"));
    volumeSource(item);
    if (item.at("ephemeral").isSet && pod !== "" && !name.isEmpty) {
      const claim = `${pod}-${name.text}`;
      for (const problem of nameProblems("subdomain", claim, false)) name.invalid(`PVC name "${claim}": ${problem}`);
    }
    needed(dnsLabel)(name);
    if (known.has(name.text)) name.duplicate();
    if (item.errorCount === before) known.set(name.text, item);
    const claimName = item.within("persistentVolumeClaim", "claimName");
    if (made.has(claimName.text)) claimName.invalid("must not reference a PVC that gets created for an ephemeral volume");
  }
  return known;
}
