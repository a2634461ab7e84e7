/**
 * The ready keys: highest priority first; inside a priority the groups (namespaces) take turns;
 * inside a group first in, first out. All operations are constant in the number of keys.
 */
import { Fifo, type Linked } from "./fifo.ts";

export interface ReadyKey extends Linked<ReadyKey> {
  readonly group: string;
  priority: number;
}

/** The keys of one group at one priority. It is in the ring of its level while it has keys. */
interface Group extends Linked<Group> {
  readonly name: string;
  readonly keys: Fifo<ReadyKey>;
}

interface Level {
  readonly priority: number;
  readonly groups: Map<string, Group>;
  /** Groups in the order of their turns. */
  readonly turns: Fifo<Group>;
  size: number;
}

export class Ready<T extends ReadyKey> {
  /** Highest priority first. A program uses few different priorities. */
  readonly #levels: Level[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Number of ready keys of this priority. */
  sizeAt(priority: number): number {
    return this.#levels.find((level) => level.priority === priority)?.size ?? 0;
  }

  push(key: T): void {
    const level = this.#level(key.priority);
    let group = level.groups.get(key.group);
    if (group === undefined) {
      group = { name: key.group, keys: new Fifo(), next: undefined, previous: undefined };
      level.groups.set(key.group, group);
      level.turns.push(group);
    }
    group.keys.push(key);
    level.size++;
    this.#size++;
  }

  shift(): T | undefined {
    const level = this.#levels[0];
    const group = level?.turns.first;
    const key = group?.keys.first;
    if (level === undefined || group === undefined || key === undefined) return undefined;
    level.turns.remove(group);
    level.turns.push(group);
    this.#take(level, group, key);
    return key as T; // only T are pushed
  }

  /** `key` must be in here, with the priority with which it was pushed. */
  remove(key: T): void {
    const level = this.#level(key.priority);
    const group = level.groups.get(key.group);
    if (group !== undefined) this.#take(level, group, key);
  }

  /** Removes every key and returns them. */
  clear(): T[] {
    const all: T[] = [];
    for (let key = this.shift(); key !== undefined; key = this.shift()) all.push(key);
    return all;
  }

  #take(level: Level, group: Group, key: ReadyKey): void {
    group.keys.remove(key);
    this.#size--;
    level.size--;
    if (group.keys.size > 0) return;
    // A group that gets a key again takes its turn after the groups that wait.
    level.turns.remove(group);
    level.groups.delete(group.name);
    if (level.size === 0) this.#levels.splice(this.#levels.indexOf(level), 1);
  }

  #level(priority: number): Level {
    let at = 0;
    for (; at < this.#levels.length; at++) {
      const level = this.#levels[at];
      if (level === undefined || level.priority < priority) break;
      if (level.priority === priority) return level;
    }
    const level: Level = { priority, groups: new Map(), turns: new Fifo(), size: 0 };
    this.#levels.splice(at, 0, level);
    return level;
  }
}
