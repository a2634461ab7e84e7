/** The operators that can be compared, and how each is made and started. */
import { type Account, inCluster, kubeconfig } from "./accounts.ts";
import { buildBuilt, buildClientNode, buildControllerRuntime, buildTreadle } from "./build.ts";
import type { Mode, Peer } from "./operator.ts";

/** Where the server is, and whom an operator is to it. */
export interface Place {
  readonly dir: string;
  readonly server: string;
  readonly adminKubeconfig: string;
  readonly account: Account;
}

interface Recipe {
  /** Makes the program: the command and its arguments. */
  readonly build: () => Promise<readonly [command: string, ...args: string[]]>;
  readonly modes: readonly Mode[];
  readonly hasEventLoop?: boolean;
  readonly isInCluster?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

const RECIPES: Readonly<Record<string, Recipe>> = {
  treadle: {
    build: async () => [process.execPath, "--expose-gc", buildTreadle()],
    modes: ["reconcile", "cache", "sets"],
    hasEventLoop: true,
    isInCluster: true,
  },
  "controller-runtime": { build: async () => [buildControllerRuntime()], modes: ["reconcile", "cache", "sets"] },
  "treadle-built": {
    build: async () => [process.execPath, "--expose-gc", await buildBuilt()],
    modes: ["reconcile", "cache", "metadata", "sets"],
    hasEventLoop: true,
    isInCluster: true,
  },
  "controller-runtime-tuned": {
    build: async () => [buildControllerRuntime()],
    modes: ["cache", "metadata"],
    env: { BENCH_TUNED: "1" },
  },
  "client-node": { build: async () => [process.execPath, "--expose-gc", buildClientNode()], modes: ["cache"] },
};

const peerNames: readonly string[] = Object.keys(RECIPES);
export const defaultPeers: readonly string[] = [
  "treadle",
  "controller-runtime",
  "treadle-built",
  "controller-runtime-tuned",
  "client-node",
];

/** @throws when there is none of that name, or it cannot be built. */
export async function buildPeer(name: string): Promise<(place: Place) => Peer> {
  const recipe = RECIPES[name];
  if (recipe === undefined) throw new Error(`there is no operator ${JSON.stringify(name)}: use some of ${peerNames.join(", ")}`);
  const [command, ...args] = await recipe.build();
  return ({ dir, server, adminKubeconfig, account }) => ({
    name,
    command,
    args,
    user: account.user,
    modes: recipe.modes,
    hasEventLoop: recipe.hasEventLoop === true,
    env: { ...(recipe.isInCluster === true ? inCluster : kubeconfig)(dir, account, server, adminKubeconfig), ...recipe.env },
  });
}
