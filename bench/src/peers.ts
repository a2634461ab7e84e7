/** The operators that can be compared, and how each is made and started. */
import { type Account, inCluster, kubeconfig } from "./accounts.ts";
import { buildBuilt, buildClientNode, buildControllerRuntime, buildTreadle } from "./build.ts";
import type { Mode, Peer } from "./operator.ts";

/** Makes an operator that was built ready to start at a place. */
export type MakePeer = (place: Place) => Peer;

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
    modes: ["reconcile", "cache", "metadata", "sets"],
    hasEventLoop: true,
    isInCluster: true,
  },
  "controller-runtime": { build: async () => [buildControllerRuntime()], modes: ["reconcile", "cache", "metadata", "sets"] },
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

/** The operators of the quick form: those that have goals, and what they are compared with. */
export const quickPeers: readonly string[] = ["treadle", "controller-runtime", "treadle-built"];

/** The operators whose processes profiles can show. */
export const profiledPeers: readonly string[] = peerNames.filter((name) => RECIPES[name]?.hasEventLoop === true);

/** What builds the operators of these names. Building fails where there is none of a name. */
export function buildsOf(names: readonly string[]): Map<string, () => Promise<MakePeer>> {
  return new Map(names.map((name) => [name, async () => buildPeer(name)]));
}

/** Builds the operator of a checkout of Treadle, for {@link buildsOf}'s map; it takes part in what the mode "reconcile" measures. */
export async function buildCheckout(name: string, checkout: string): Promise<MakePeer> {
  return made(name, { build: async () => [process.execPath, "--expose-gc", buildTreadle(checkout)], modes: ["reconcile"], ...OURS });
}

const OURS = { hasEventLoop: true, isInCluster: true } as const;

async function buildPeer(name: string): Promise<MakePeer> {
  const recipe = RECIPES[name];
  if (recipe === undefined) throw new Error(`there is no operator ${JSON.stringify(name)}: use some of ${peerNames.join(", ")}`);
  return await made(name, recipe);
}

async function made(name: string, recipe: Recipe): Promise<MakePeer> {
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
