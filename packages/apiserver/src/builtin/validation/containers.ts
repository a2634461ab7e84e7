/** Validates containers of pods. */
import { env, envFrom } from "./environment.ts";
import { descendingPath, dnsLabel, portName, portNumber, protocol } from "./formats.ts";
import { unwatched, watched } from "./probes.ts";
import { containerResources } from "./resources.ts";
import { containerSecurity } from "./security.ts";
import { mustBeOneOf, needed, oneOf, required, type Spot } from "./spot.ts";

/** The parts of the pod that its containers refer to. */
export interface Surroundings {
  readonly volumes: ReadonlyMap<string, Spot>;
  readonly claims: readonly string[];
  readonly graceSeconds: number;
  readonly hasHostUsers: boolean;
  readonly restartPolicy: string;
}

const RESTARTS = ["Always", "Never", "OnFailure"] as const;

export function containers(list: Spot, pod: Surroundings): void {
  if (list.isEmpty) return list.required();
  const names = new Set<string>();
  for (const container of list.items) {
    common(container, pod);
    nameOnce(container, names);
    watched(container, pod.graceSeconds);
    oneOf(...RESTARTS)(container.at("restartPolicy"));
  }
  hostPorts(list.items);
}

/** Checks containers that run before the others, or beside them from the start. */
export function initContainers(list: Spot, others: Spot, pod: Surroundings): void {
  const names = new Set(others.items.map((other) => other.at("name").text));
  for (const container of list.items) {
    common(container, pod);
    oneOf(...RESTARTS)(container.at("restartPolicy"));
    nameOnce(container, names);
    hostPorts([container]);
    const isSidecar = container.get("restartPolicy") === "Always";
    if (isSidecar) watched(container, pod.graceSeconds);
    else unwatched(container);
    for (const policy of isSidecar ? [] : container.at("resizePolicy").items)
      if (policy.get("restartPolicy") === "RestartContainer")
        policy.at("restartPolicy").invalid("must not be set to 'RestartContainer' for non-sidecar init containers");
  }
}

/** Checks what a pod requires of its containers, and a template does not. */
export function images(list: Spot): void {
  for (const container of list.items) {
    const image = container.at("image");
    if (image.text.trim() !== image.text) image.invalid("must not have leading or trailing whitespace");
  }
}

function nameOnce(container: Spot, names: Set<string>): void {
  const name = container.at("name");
  if (names.has(name.text)) name.duplicate(name.text);
  else if (name.text !== "") names.add(name.text);
}

function common(container: Spot, pod: Surroundings): void {
  needed(dnsLabel)(container.at("name"));
  required(container.at("image"));
  mustBeOneOf("File", "FallbackToLogsOnError")(container.at("terminationMessagePolicy"));
  ports(container.at("ports"));
  env(container.at("env"));
  envFrom(container.at("envFrom"));
  mounts(container, pod.volumes);
  devices(container, pod.volumes);
  mustBeOneOf("Always", "IfNotPresent", "Never")(container.at("imagePullPolicy"));
  containerResources(pod.claims)(container.at("resources"));
  resizing(container.at("resizePolicy"), pod.restartPolicy);
  containerSecurity(container.at("securityContext"), pod.hasHostUsers);
}

function ports(list: Spot): void {
  const names = new Set<string>();
  for (const port of list.items) {
    const name = port.at("name");
    if (!name.isEmpty) {
      const before = name.errorCount;
      portName(name);
      if (name.errorCount === before && names.has(name.text)) name.duplicate();
      names.add(name.text);
    }
    needed(portNumber)(port.at("containerPort"));
    if (!port.at("hostPort").isEmpty) portNumber(port.at("hostPort"));
    protocol(port.at("protocol"));
  }
}

function hostPorts(list: readonly Spot[]): void {
  const taken = new Set<string>();
  for (const container of list) {
    for (const port of container.at("ports").items) {
      const hostPort = port.at("hostPort");
      if (hostPort.isEmpty) continue;
      const key = `${port.at("protocol").text}/${port.at("hostIP").text}/${hostPort.number}`;
      if (taken.has(key)) hostPort.duplicate(key);
      taken.add(key);
    }
  }
}

function mounts(container: Spot, volumes: ReadonlyMap<string, Spot>): void {
  const list = container.at("volumeMounts");
  const all = container.at("volumeDevices").items;
  const paths = new Set<string>();
  for (const mount of list.items) {
    const [name, path, subPath, expression] = ["name", "mountPath", "subPath", "subPathExpr"].map((field) => mount.at(field)) as [
      Spot,
      Spot,
      Spot,
      Spot,
    ]; // one for each name
    required(name);
    if (!volumes.has(name.text)) name.notFound();
    required(path);
    if (paths.has(path.text)) path.invalid("must be unique");
    paths.add(path.text);
    if (all.some((device) => device.at("name").text === name.text)) name.invalid("must not already exist in volumeDevices");
    if (all.some((device) => device.at("devicePath").text === path.text)) path.invalid("must not already exist as a path in volumeDevices");
    if (!subPath.isEmpty) descendingPath(subPath.named(`${list.path}.subPath`));
    if (!expression.isEmpty) {
      if (!subPath.isEmpty) expression.invalid("subPathExpr and subPath are mutually exclusive");
      descendingPath(expression.named(`${list.path}.subPathExpr`));
    }
    propagation(mount.at("mountPropagation").named(`${list.path}.mountPropagation`), container);
    recursiveReadOnly(mount, mount.at("recursiveReadOnly").named(`${list.path}.recursiveReadOnly`));
  }
}

function propagation(spot: Spot, container: Spot): void {
  oneOf("Bidirectional", "HostToContainer", "None")(spot);
  if (spot.text === "Bidirectional" && container.at("securityContext").get("privileged") !== true)
    spot.forbidden("Bidirectional mount propagation is available only to privileged containers");
}

function recursiveReadOnly(mount: Spot, spot: Spot): void {
  oneOf("Disabled", "Enabled", "IfPossible")(spot);
  if (spot.text !== "Enabled" && spot.text !== "IfPossible") return;
  if (mount.get("readOnly") !== true) spot.forbidden("may only be specified when readOnly is true");
  if ((mount.get("mountPropagation") ?? "None") !== "None")
    spot.forbidden("may only be specified when mountPropagation is None or not specified");
}

function devices(container: Spot, volumes: ReadonlyMap<string, Spot>): void {
  const mounted = container.at("volumeMounts").items;
  const [names, paths] = [new Set<string>(), new Set<string>()];
  for (const device of container.at("volumeDevices").items) {
    const [name, path] = [device.at("name"), device.at("devicePath")];
    const volume = volumes.get(name.text);
    required(name);
    if (names.has(name.text)) name.invalid("must be unique");
    if (volume === undefined) name.notFound();
    else if (!volume.at("persistentVolumeClaim").isSet && !volume.at("ephemeral").isSet)
      name.invalid("can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode");
    required(path);
    if (paths.has(path.text)) path.invalid("must be unique");
    if (path.text.split("/").includes("..")) path.invalid("can not contain backsteps ('..')");
    else paths.add(path.text);
    if (mounted.some((mount) => mount.at("name").text === name.text)) name.invalid("must not already exist in volumeMounts");
    if (mounted.some((mount) => mount.at("mountPath").text === path.text)) path.invalid("must not already exist as a path in volumeMounts");
    if (!name.isEmpty) names.add(name.text);
  }
}

function resizing(list: Spot, restartPolicy: string): void {
  const seen = new Set<string>();
  for (const item of list.items) {
    const [resource, restart] = [item.at("resourceName").text, item.at("restartPolicy").text];
    if (seen.has(resource)) item.duplicate(resource);
    seen.add(resource);
    if (resource !== "cpu" && resource !== "memory") list.notSupported(["cpu", "memory"], resource);
    if (restart !== "NotRequired" && restart !== "RestartContainer") list.notSupported(["NotRequired", "RestartContainer"], restart);
    if (restartPolicy === "Never" && restart !== "NotRequired")
      list.invalid("must be 'NotRequired' when pod `restartPolicy` is 'Never'", restart);
  }
}
