/** Validates security contexts of pods and containers. */
import { GoStruct } from "../../errors/field-errors.ts";
import { isObject, type JsonObject } from "../../internal/json.ts";
import { descendingPath, subdomain, userId } from "./formats.ts";
import { each, fields, ifGiven, ifSet, oneOf, type Rule, type Spot } from "./spot.ts";

const seccomp: Rule = (spot) => {
  const [type, profile] = [spot.at("type"), spot.at("localhostProfile")];
  if (type.isEmpty) type.required("type is required when seccompProfile is set");
  else if (!PROFILES.includes(type.text)) type.notSupported(PROFILES);
  if (type.text === "Localhost") {
    if (profile.isSet) descendingPath(profile);
    else profile.required("must be set when seccomp type is Localhost");
  } else if (profile.isSet)
    profile.invalid("can only be set when seccomp type is Localhost", new GoStruct({ Type: type.text, LocalhostProfile: profile.text }));
};

const PROFILES = ["Localhost", "RuntimeDefault", "Unconfined"];

const appArmor: Rule = (spot) => {
  const [type, profile] = [spot.at("type"), spot.at("localhostProfile")];
  if (type.isEmpty) type.required("type is required when appArmorProfile is set");
  else if (!PROFILES.includes(type.text)) type.notSupported(PROFILES);
  else if (type.text !== "Localhost") {
    if (profile.isSet) profile.invalid("can only be set when AppArmor type is Localhost");
  } else if (!profile.isSet || profile.text === "") profile.required("must be set when AppArmor type is Localhost");
  else if (profile.text.trim() !== profile.text) profile.invalid("must not be padded with whitespace");
};

const windows: Rule = fields({ gmsaCredentialSpecName: ifSet(subdomain) });

const SYSCTL = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;

/** Checks kernel parameters. Those of networks and processes belong to the host if the pod uses that of the host. */
function sysctls(spot: Spot, spec: JsonObject): void {
  const seen = new Set<string>();
  for (const item of spot.items) {
    const name = item.at("name");
    if (name.isEmpty) name.required();
    else if (name.text.length > 253 || !SYSCTL.test(name.text))
      name.invalid(`must have at most 253 characters and match regex ${SYSCTL.source.replaceAll("[./]", "[\\./]")}`);
    else if (seen.has(name.text)) name.duplicate();
    seen.add(name.text);
    const dotted = name.text.replaceAll("/", ".");
    if (spec["hostNetwork"] === true && dotted.startsWith("net.")) name.invalid("may not be specified when 'hostNetwork' is true");
    const isShared = ["kernel.shm", "kernel.msg", "kernel.sem", "fs.mqueue."].some((prefix) => dotted.startsWith(prefix));
    if (spec["hostIPC"] === true && isShared) name.invalid("may not be specified when 'hostIPC' is true");
  }
}

/** Checks the security context of a pod in `spec`. */
export function podSecurity(spot: Spot, spec: JsonObject): void {
  fields({ fsGroup: userId, runAsUser: userId, runAsGroup: userId, supplementalGroups: each(userId) })(spot);
  const processes = spot.at("shareProcessNamespace");
  if (spec["shareProcessNamespace"] === true && spec["hostPID"] === true)
    processes.invalid("ShareProcessNamespace and HostPID cannot both be enabled", true);
  sysctls(spot.at("sysctls"), spec);
  fields({
    fsGroupChangePolicy: oneOf("Always", "OnRootMismatch"),
    seccompProfile: ifSet(seccomp),
    windowsOptions: windows,
    appArmorProfile: ifSet(appArmor),
    supplementalGroupsPolicy: oneOf("Merge", "Strict"),
    seLinuxChangePolicy: (at) => {
      if (at.isSet && at.text !== "Recursive" && at.text !== "MountOption") at.notSupported(["Recursive"]);
    },
  })(spot);
}

/** Checks the security context of a container. `hasHostUsers`: the pod uses the users of its host. */
export function containerSecurity(spot: Spot, hasHostUsers: boolean): void {
  if (!spot.isSet) return;
  fields({ runAsUser: userId, runAsGroup: userId, procMount: oneOf("Default", "Unmasked") })(spot);
  if (hasHostUsers && spot.get("procMount") === "Unmasked") spot.at("procMount").invalid("`hostUsers` must be false to use `Unmasked`");
  ifSet(seccomp)(spot.at("seccompProfile"));
  if (spot.get("allowPrivilegeEscalation") === false) {
    if (spot.get("privileged") === true)
      spot.invalid("cannot set `allowPrivilegeEscalation` to false and `privileged` to true", goStruct(spot.object));
    for (const capability of spot.within("capabilities", "add").items)
      if (capability.text === "CAP_SYS_ADMIN")
        spot.invalid("cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN", goStruct(spot.object));
  }
  windows(spot.at("windowsOptions"));
  ifSet(appArmor)(spot.at("appArmorProfile"));
}

/** The fields of Go's struct, which errors show. */
const FIELDS = [
  "capabilities",
  "privileged",
  "seLinuxOptions",
  "windowsOptions",
  "runAsUser",
  "runAsGroup",
  "runAsNonRoot",
  "readOnlyRootFilesystem",
  "allowPrivilegeEscalation",
  "procMount",
  "seccompProfile",
  "appArmorProfile",
];

function goStruct(context: JsonObject): GoStruct {
  const capabilities = context["capabilities"];
  const shown = Object.fromEntries(
    FIELDS.map((field) => {
      const name = field === "seLinuxOptions" ? "SELinuxOptions" : `${field.charAt(0).toUpperCase()}${field.slice(1)}`;
      const isList = field === "capabilities" && isObject(capabilities);
      return [name, isList ? { Add: capabilities["add"] ?? null, Drop: capabilities["drop"] ?? null } : (context[field] ?? null)];
    }),
  );
  return new GoStruct(shown);
}

const ON_LINUX = ["appArmorProfile", "seLinuxOptions", "seccompProfile"];
const OF_POD = ["hostUsers", "hostPID", "hostIPC", "shareProcessNamespace"];
const NOT_WITH_WINDOWS = "cannot be set for a windows pod";

/** Checks fields that pods of Windows, or of Linux, must not have. */
export function system(spec: Spot, containers: readonly Spot[]): void {
  const name = spec.at("os").get("name");
  const security = spec.at("securityContext");
  const contexts = containers.map((container) => container.at("securityContext"));
  if (name === "linux")
    for (const context of [security, ...contexts])
      if (context.at("windowsOptions").isSet) context.at("windowsOptions").forbidden("windows options cannot be set for a linux pod");
  if (name !== "windows") return;
  const refuse: (at: Spot) => void = ifGivenOrSet((at) => at.forbidden(NOT_WITH_WINDOWS));
  const inOrder = [
    ["appArmorProfile", "seLinuxOptions"],
    ["hostUsers", "hostPID", "hostIPC"],
    ["seccompProfile", "fsGroup", "fsGroupChangePolicy", "sysctls"],
    ["shareProcessNamespace"],
    ["runAsUser", "runAsGroup", "supplementalGroups", "supplementalGroupsPolicy", "seLinuxChangePolicy"],
  ].flat();
  for (const field of inOrder) refuse((OF_POD.includes(field) ? spec : security).at(field));
  const ofContainer = ["capabilities", "readOnlyRootFilesystem", "privileged", "allowPrivilegeEscalation", "procMount"];
  for (const context of contexts) for (const field of [...ON_LINUX, ...ofContainer, "runAsUser", "runAsGroup"]) refuse(context.at(field));
}

/** Applies a rule to a Go value that is not zero, or a pointer that is set. */
function ifGivenOrSet(rule: Rule): Rule {
  return (spot) => (/\.host(PID|IPC)$/.test(spot.path) ? ifGiven(rule) : ifSet(rule))(spot);
}
