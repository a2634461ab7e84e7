/** The command line and the input of `helm template`. Values go in by standard input: all users of a machine see command lines. */
import { TerminalError } from "@treadle/reconcile";

/** What a rendering is for. */
export interface Release {
  readonly name: string;
  readonly namespace: string;
  /** The version of the API server. */
  readonly kubeVersion: string;
  /** What the API server serves; empty: the chart does not ask. */
  readonly apiVersions: readonly string[];
  readonly isUpgrade: boolean;
}

/** The maximum length of the name of a release for Helm, in characters. */
const MAX_NAME_LENGTH = 53;
const NAMESPACE = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const NAME = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/** How many API versions are in one argument: systems limit its length. */
const PER_ARGUMENT = 200;

/** Returns the arguments of Helm. Names are behind `--` or `=`, so that none is read as an option. */
export function argumentsOf(chart: string, { name, namespace, kubeVersion, apiVersions, isUpgrade }: Release): readonly string[] {
  return [
    "template",
    `--namespace=${namespace}`,
    "--include-crds",
    `--kube-version=${kubeVersion}`,
    ...apiVersionFlags(apiVersions),
    ...(isUpgrade ? ["--is-upgrade"] : []),
    "--values=-",
    "--",
    name,
    chart,
  ];
}

/** Returns the flags for what the API server serves. */
export function apiVersionFlags(apiVersions: readonly string[]): readonly string[] {
  const lists = Array.from({ length: Math.ceil(apiVersions.length / PER_ARGUMENT) }, (_, i) =>
    apiVersions.slice(i * PER_ARGUMENT, (i + 1) * PER_ARGUMENT),
  );
  return lists.map((list) => `--api-versions=${list.join(",")}`);
}

/**
 * Returns the name and the namespace of the release.
 * @throws TerminalError with the code NamespaceMissing, NamespaceInvalid or NameInvalid
 */
export function requireRelease(given: {
  readonly name: string;
  readonly namespace: string | undefined;
}): Pick<Release, "name" | "namespace"> {
  const { name, namespace } = given;
  if (namespace === undefined || namespace === "")
    throw new TerminalError("helm: the owner is in no namespace, and Helm needs one: set the option placement of the set", {
      code: "NamespaceMissing",
    });
  requireNamespace("helm", namespace);
  if (name.length > MAX_NAME_LENGTH || !NAME.test(name))
    throw new TerminalError(
      `helm: the name ${JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}...` : name)} cannot be that of a release, which has at most ${MAX_NAME_LENGTH} characters from a-z, 0-9, "-" and ".": set the option placement of the set to another name`,
      { code: "NameInvalid" },
    );
  return { name, namespace };
}

/**
 * Refuses a namespace that cannot exist, which may be a value of an owner: the system does not start a program with some characters, or with
 * a very long text, in its arguments.
 * @throws TerminalError with the code NamespaceInvalid
 */
export function requireNamespace(where: string, namespace: string): void {
  if (NAMESPACE.test(namespace)) return;
  const shown = JSON.stringify(namespace.length > 100 ? `${namespace.slice(0, 100)}...` : namespace);
  throw new TerminalError(`${where}: ${shown} cannot be a namespace: correct what the option placement of the set returns`, {
    code: "NamespaceInvalid",
  });
}
