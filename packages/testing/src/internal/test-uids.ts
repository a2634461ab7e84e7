/** The uids of a server in memory: readable and in order, so that they are the same in each run of a test. */
export class TestUids {
  readonly #cluster: string;
  #next: string | undefined;
  #count = 0;

  /** @param nth which of the clusters of a test this is: no two of them have a uid in common */
  constructor(nth: number = 1) {
    this.#cluster = String(nth - 1).padStart(8, "0");
  }

  /** The uid of the next object. */
  make(): string {
    const given = this.#next;
    this.#next = undefined;
    return given ?? `${this.#cluster}-0000-4000-8000-${String(++this.#count).padStart(12, "0")}`;
  }

  /** Runs `create`, whose object gets the uid `uid` if there is one. */
  async using<T>(uid: string | undefined, create: () => Promise<T>): Promise<T> {
    this.#next = uid;
    try {
      return await create();
    } finally {
      this.#next = undefined;
    }
  }
}
