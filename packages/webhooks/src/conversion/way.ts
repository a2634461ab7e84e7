/**
 * The way between the hub and one other version: `down` writes the annotation with what is lost, `up` merges it with what a client changed.
 */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { AnyConversion } from "../definition.ts";
import { type Between, CONVERSION_ANNOTATION, fits, restored, type Sections, withAnnotation, written } from "./annotation.ts";
import { call } from "./functions.ts";
import { freeze, own } from "../json.ts";
import { reduced } from "./merge.ts";
import { shaped } from "./shape.ts";
import { TimeLimit } from "@treadle/reconcile/unstable/engine";
import { assembled, problemsOf, sectionsOf, settled, type View } from "./views.ts";

/** Called with the reason when the annotation of an object is not used. The reason has no values of the object. */
export type OnIgnored = (reason: string) => void;

/** The way between the hub and one other version. */
export class Way {
  readonly #hub: View;
  readonly #lower: View;
  readonly #between: Between;
  readonly #functions: AnyConversion;
  readonly #limit: TimeLimit = new TimeLimit();

  constructor(hub: View, lower: View, functions: AnyConversion) {
    this.#hub = hub;
    this.#lower = lower;
    this.#functions = functions;
    this.#between = { hub: hub.kind.version, version: lower.kind.version };
  }

  /** Returns the hub's form of an object of the version, with what its annotation kept. */
  up(object: KubernetesObject, onIgnored: OnIgnored): KubernetesObject {
    const metadata = withAnnotation(object.metadata, undefined);
    const theirs = this.risen(object);
    const text = own(object.metadata.annotations, CONVERSION_ANNOTATION);
    const sections = text === undefined ? theirs : this.#restored(text, { theirs, metadata, onIgnored });
    return assembled(this.#hub, metadata, settled(sections, this.#hub));
  }

  /** Returns the version's form of an object of the hub, with an annotation for what is lost. */
  down(object: KubernetesObject, onIgnored: OnIgnored): KubernetesObject {
    const metadata = withAnnotation(object.metadata, undefined);
    const mine = settled(sectionsOf(object), this.#hub);
    const fallen = this.#call("down", assembled(this.#hub, metadata, mine));
    const sections = settled(fallen, this.#lower);
    const base = this.#rise(sections, metadata);
    const kept = reduced({ base, mine, filled: settled(base, this.#hub) }, this.#hub.schema);
    const text = kept === undefined ? undefined : written(kept, this.#between);
    const isTooLong = text !== undefined && !fits(metadata, text);
    // The object alone loses these parts. A failure would stop every list of the kind.
    if (isTooLong)
      onIgnored("all annotations together would be over 256 KiB, so a write in this version would lose what only the hub says");
    else if (kept !== undefined && text === undefined) onIgnored("it would be nested too deeply");
    return assembled(this.#lower, withAnnotation(metadata, isTooLong ? undefined : text), sections);
  }

  /** Returns what `up` makes of an object without its annotation. It has no defaults of the hub. */
  risen(object: KubernetesObject): Sections {
    return this.#rise(settled(sectionsOf(object), this.#lower), withAnnotation(object.metadata, undefined));
  }

  /** Without the hub's defaults, a value that a client sets differs from an absent one. */
  #rise(sections: Sections, metadata: KubernetesObject["metadata"]): Sections {
    const risen = this.#call("up", assembled(this.#lower, metadata, sections));
    return shaped(risen, this.#hub.schema, false) as Sections; // the schema has both sections
  }

  #call(name: "up" | "down", object: KubernetesObject): Sections {
    const { kind } = this.#lower;
    return call({ kind: this.#hub.kind, version: kind.version, functions: this.#functions, name }, freeze(object));
  }

  #restored(text: unknown, { theirs, metadata, onIgnored }: Restoring): Sections {
    const result = restored(text, theirs, this.#between, this.#hub.schema);
    const reason = "ignored" in result ? result.ignored : this.#checked(result.sections, theirs, metadata);
    if (reason === undefined && "sections" in result) return result.sections;
    onIgnored(reason ?? "");
    return theirs;
  }

  /** A user who may write the object chooses its texts. With them, a slow pattern of the schema would block the process. */
  #checked(sections: Sections, theirs: Sections, metadata: KubernetesObject["metadata"]): string | undefined {
    const check = (): string | undefined => this.#newProblem(sections, theirs, metadata);
    if (!this.#hub.hasPatterns) return check();
    const done = this.#limit.run(check);
    return done === undefined ? `the patterns in the schema of ${this.#hub.kind.kind} take too long for its texts` : done.result;
  }

  /** A problem that the client's object has without the annotation as well is not one of the annotation. */
  #newProblem(sections: Sections, theirs: Sections, metadata: KubernetesObject["metadata"]): string | undefined {
    const found = problemsOf(assembled(this.#hub, metadata, settled(sections, this.#hub)), this.#hub);
    if (found.length === 0) return undefined;
    const known = problemsOf(assembled(this.#hub, metadata, settled(theirs, this.#hub)), this.#hub);
    const path = found.find((each) => !known.includes(each));
    return path === undefined ? undefined : `it leads to a ${this.#hub.kind.kind} that breaks its schema at ${path}`;
  }
}

interface Restoring {
  readonly theirs: Sections;
  readonly metadata: KubernetesObject["metadata"];
  readonly onIgnored: OnIgnored;
}
