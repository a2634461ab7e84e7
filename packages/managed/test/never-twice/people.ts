/** What people do: they change the object and the outside, and do what the object asks for. */
import { PAUSED_ANNOTATION } from "@treadle/reconcile";
import { type Author, DEADLINE_MS, Disk, type Outside } from "./author.ts";
import { type Ledger, stateOf } from "./ledger.ts";
import type { Processes } from "./processes.ts";
import type { Move } from "./script.ts";

export const REF = { namespace: "default", name: "data" };
export const CREATED = { metadata: REF, spec: { sizeGb: 1 } };
export const NAME = "treadle.dev/external-name";
const CREATE_FAILED = "treadle.dev/external-create-failed";

type PeopleMove = Exclude<Move, "pass" | "stale pass" | "other pass" | "other stale pass" | "restart">;

interface Given {
  readonly author: Author;
  readonly outside: Outside;
  readonly ledger: Ledger;
  readonly processes: Processes;
}

export class People {
  readonly #given: Given;

  constructor(given: Given) {
    this.#given = given;
  }

  async live(): Promise<Disk | undefined> {
    return await this.#given.processes.user.get(Disk, REF);
  }

  /** `tick` makes values that differ. */
  async move(move: PeopleMove, tick: number): Promise<void> {
    const { user, clock } = this.#given.processes;
    switch (move) {
      case "wait":
        return await clock.advance(DEADLINE_MS / 2);
      case "wait long":
        return await clock.advance(2 * DEADLINE_MS);
      case "delete":
        return void (await user.delete(Disk, REF));
      case "recreate":
        return void (await user.create(Disk, CREATED).catch(() => undefined));
      case "resize":
        return await this.#patch({ spec: { sizeGb: (tick % 3) + 1 } });
      case "label":
        return await this.#patch({ metadata: { labels: { tick: String(tick) } } });
      case "pause":
        return await this.#annotate(PAUSED_ANNOTATION, "true");
      case "resume":
        return await this.#annotate(PAUSED_ANNOTATION, null);
      case "name another":
        this.#given.outside.add("by-hand");
        return await this.#name("by-hand");
      case "name nothing":
        return await this.#name("nothing");
      case "remove name":
        return await this.#annotate(NAME, null);
      case "answer":
        return await this.#answer();
      default:
        return await this.#changeOutside(move);
    }
  }

  async #changeOutside(move: "resize outside" | "delete outside" | "vanish outside"): Promise<void> {
    const { outside } = this.#given;
    const name = outside.items.at(-1)?.name;
    if (name === undefined) return;
    if (move === "resize outside") outside.change(name, { sizeGb: 7 });
    else if (move === "vanish outside") outside.remove(name);
    else await outside.functions.delete({ name });
  }

  async #patch(body: object): Promise<void> {
    await this.#given.processes.user.patch(Disk, REF, { type: "merge", body }).catch(() => undefined);
  }

  async #name(name: string): Promise<void> {
    await this.#patch({ metadata: { annotations: { [NAME]: name } } });
    const stored = await this.live();
    if (stored !== undefined) this.#given.ledger.named(stored, name);
  }

  /** A person does what Synced asks for, after a look at the provider. */
  async #answer(): Promise<void> {
    const { author, ledger, outside } = this.#given;
    const stored = await this.live();
    const { record } = stateOf(stored);
    const name = stored?.metadata.annotations?.[NAME];
    switch (syncedOf(stored)) {
      case "CreateInterrupted": {
        if (author !== "blind" || record === undefined) return;
        const found = outside.items.find(({ token }) => token === record.token)?.name;
        ledger.answered(record.token, found);
        return found === undefined ? await this.#annotate(CREATE_FAILED, record.token) : await this.#annotate(NAME, found);
      }
      case "AlreadyExists":
        if (!ledger.hasNames) ledger.violations.push(`6: no person named another: ${JSON.stringify(stored)}`);
        return await this.#name(`disk-${stored?.metadata.uid}`);
      case "ExternalNotFound": {
        // Nothing can tell a blind author whether we or a person wrote a name beside a record.
        const isOpen = author === "blind" && record !== undefined;
        // In the middle of a pass, the condition is about an earlier name.
        const isAbout = name !== undefined && stored?.status?.conditions?.some(({ message }) => message.includes(JSON.stringify(name)));
        if (isAbout === true && !isOpen && !ledger.isNamed(name))
          ledger.violations.push(`6: no person wrote the name: ${JSON.stringify(stored)}`);
        return await this.#annotate(NAME, null);
      }
      default:
    }
  }

  async #annotate(annotation: string, value: string | null): Promise<void> {
    await this.#patch({ metadata: { annotations: { [annotation]: value } } });
  }
}

export function syncedOf(object: Disk | undefined): string | undefined {
  return object?.status?.conditions?.find(({ type }) => type === "Synced")?.reason;
}
