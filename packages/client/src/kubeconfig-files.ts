/** The places of kubeconfig files, as kubectl knows them. Nothing is read. */
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

/** Returns the files of `KUBECONFIG`; empty if it names none. */
export function namedKubeconfigs(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return (env["KUBECONFIG"] ?? "").split(delimiter).filter((file) => file !== "");
}

/** Returns the file in the home folder. */
export function homeKubeconfig(env: Readonly<Record<string, string | undefined>>): string {
  return join(env["HOME"] || env["USERPROFILE"] || homedir(), ".kube", "config");
}

/** Returns the files of `KUBECONFIG`, or the one in the home folder if it names none. They need not exist. */
export function kubeconfigFiles(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const named = namedKubeconfigs(env);
  return named.length > 0 ? named : [homeKubeconfig(env)];
}
