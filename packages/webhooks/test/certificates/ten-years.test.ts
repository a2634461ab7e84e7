/**
 * Certificates over ten years of virtual time. A reader verifies the served certificates against the bundles of all
 * configurations, as the API server does: after every write of a replica, whenever a replica changes its certificate, and once
 * a day. Between these moments only the time changes, and a chain that is valid at both ends of a day is valid in each hour.
 */
import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { seededRandom } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import { failingCall } from "./reader.ts";
import { deploy, type Replica, type Rig, rig, SECRET } from "./rig.ts";

const DAY = 24 * 60 * 60 * 1000;
const YEARS = 10;

test.for<{ name: string; crashes: boolean }>([
  { name: "no call fails in ten years with three replicas and restarts", crashes: false },
  { name: "no call fails in ten years when every replica crashes after each of its writes", crashes: true },
])("$name", async ({ crashes }) => {
  const world = await rig();
  await deploy(world.client);
  const history = await live(world, { crashes });
  expect(history.failures).toEqual([]);
  // 90 days less the third, over ten years; and two changes of the authority.
  expect(history.served.size).toBeGreaterThan(55);
  expect(history.served.size).toBeLessThan(75);
  expect(history.reasons.get("AuthorityCreated")).toBe(crashes ? undefined : 3);
  expect(history.reasons.get("PreviousAuthorityRemoved")).toBe(crashes ? undefined : 2);
  expect(history.reasons.has("CertificatesReplaced")).toBe(false);
  expect(history.restarts).toBeGreaterThan(50);
  if (crashes) expect(history.crashes).toBeGreaterThan(60);
  expect((await world.client.get(Secret, SECRET))?.data).not.toHaveProperty("ca-previous.key");
  await world.close();
});

/** End of a certificate's validity. */
function endOf(cert: string): number {
  return Date.parse(new X509Certificate(cert).validTo);
}

interface History {
  readonly failures: string[];
  /** Each certificate that was served, with its end. */
  readonly served: Map<string, number>;
  readonly reasons: Map<string, number>;
  restarts: number;
  crashes: number;
}

async function live(world: Rig, { crashes }: { crashes: boolean }): Promise<History> {
  const random = seededRandom(7);
  const history: History = { failures: [], served: new Map(), reasons: new Map(), restarts: 0, crashes: 0 };
  const { clock, replicas } = world;
  let pods = 0;
  const look = async (when: string): Promise<void> => {
    // An authority stays for a day after its last certificate has ended.
    const trusted = [...history.served].filter(([, endMs]) => clock.now() < endMs + DAY).map(([cert]) => cert);
    const problem = await failingCall(world, trusted);
    if (problem !== undefined) history.failures.push(`${new Date(clock.now()).toISOString()} ${when}: ${problem}`);
  };
  const looks: Promise<void>[] = [];
  const start = (): void => {
    const podName = `website-operator-${++pods}`;
    const replica: Replica = world.start(podName, {
      lag: random,
      onNote: ({ reason }) => void history.reasons.set(reason, (history.reasons.get(reason) ?? 0) + 1),
      async onWritten({ method, path }) {
        await look(`after ${method} ${path} of ${podName}`);
        if (!crashes || !replicas.has(replica)) return;
        // The server has stored the write, and the replica never learns of it.
        history.crashes++;
        replicas.delete(replica);
        void replica.certificates.stop();
        clock.after(10_000, start);
        throw new Error("crashed");
      },
    });
    replica.certificates.onChange((next) => {
      history.served.set(next.cert, endOf(next.cert));
      looks.push(look(`when ${podName} changed its certificate`));
    });
  };
  for (let n = 0; n < 3; n++) start();
  await world.advance(DAY);
  for (let day = 1; day < YEARS * 365; day++) {
    await world.advance(DAY);
    await Promise.all(looks.splice(0));
    await look("daily");
    expect(replicas.size).toBe(3);
    // Each pod lives for some months.
    // A copy: those that start here live for longer.
    const present = [...replicas];
    for (const replica of present) {
      if (random.next() > 1 / 120) continue;
      history.restarts++;
      replicas.delete(replica);
      await replica.certificates.stop();
      start();
    }
  }
  return history;
}
