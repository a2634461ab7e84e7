/**
 * Certificates that the operator makes for itself: an authority and a serving certificate in one Secret, and the authority in the
 * `caBundle` of every configuration. `decide` chooses each step; here are the reads, the steps, and a timer for the next one.
 *
 * Guarantees: every replica runs this, and no leader is needed. No call of the API server fails over a renewal, a restart or a
 * crash, because each write leaves a state from which any replica continues. Private keys are in the Secret and in memory only.
 *
 * Assumptions: the clocks of the cluster differ by less than a day.
 *
 * Cost in steady state: one watch of the Secret, one of each configuration, and one timer for the next renewal.
 */
import { orAborted, type Timer } from "@treadle/apimachinery";
import type { CertificateSource, CertifiedKey } from "@treadle/controller";
import { textOf } from "./error-text.ts";
import type { OwnCertificatesOptions } from "./options.ts";
import { Backoff } from "./backoff.ts";
import { type Certificate, isValidAt } from "./pem.ts";
import { blockers, decide, JITTER_MS, laggards, type PlannedStep, type PlanState, SETTLE_MS } from "./plan.ts";
import { CertificateReports } from "./certificate-reports.ts";
import { newAuthority, newServing, withoutPrevious } from "./renewal.ts";
import { bundleOf, type Serving, viewOf } from "./secret-content.ts";
import { SecretStore } from "./secret-store.ts";
import { type NextAuthority, TargetStore } from "./target-store.ts";

type StepOf<T extends PlannedStep["type"]> = Extract<PlannedStep, { readonly type: T }>;

/** Steps of one pass. A change of the authority takes three; more mean that another program undoes them. */
const MAX_STEPS = 20;

/** The certificates of an operator: a source for `tls` of `httpService`. Nothing is read or written before `start`. */
export class OwnCertificates implements CertificateSource {
  readonly #options: OwnCertificatesOptions;
  readonly #secret: SecretStore;
  readonly #targets: readonly TargetStore[];
  readonly #end = new AbortController();
  readonly #failures: Backoff;
  readonly #listeners = new Set<(next: CertifiedKey) => void>();
  readonly #reports: CertificateReports;
  readonly #jitterMs: number;
  #serving: Serving | undefined;
  /** The authorities that were last read from a Secret without faults: what other replicas may serve by. */
  #remembered: readonly Certificate[] = [];
  #agreed: { readonly id: string; readonly sinceMs: number } | undefined;
  #seenVersion = "";
  #timer: Timer | undefined;
  #watches: Promise<unknown> = Promise.resolve();
  #running: Promise<void> | undefined;
  #isDirty = false;
  #resolveReady: () => void = () => {};
  readonly #ready: Promise<void>;

  constructor(options: OwnCertificatesOptions) {
    const { client, clock, random, namespace, secretName, name, createSecret = true } = options;
    this.#options = options;
    this.#failures = new Backoff(clock);
    this.#reports = new CertificateReports(options);
    this.#jitterMs = jitterOf(options.podName);
    const env = { client, clock, random, signal: this.#end.signal, onChange: () => this.#kick() };
    this.#secret = new SecretStore({ ...env, namespace, name: secretName, owner: name, mayCreate: createSecret });
    this.#targets = options.targets.map((target) => new TargetStore(target, { ...env, fieldManager: `${name}/certificates` }));
    this.#ready = new Promise((resolve) => (this.#resolveReady = resolve));
    this.#end.signal.addEventListener("abort", () => this.#timer?.cancel());
  }

  /**
   * Begins to watch, and resolves when there is a certificate to serve. It waits without a limit; {@link problem} says for what.
   * @throws the reason of the signal, or an Error after {@link stop}
   */
  async start(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#end.signal.throwIfAborted();
    signal.addEventListener("abort", () => this.#end.abort(signal.reason), { once: true, signal: this.#end.signal });
    this.#watches = Promise.allSettled([this.#secret, ...this.#targets].map((store) => store.watch()));
    await orAborted(this.#ready, this.#end.signal);
  }

  /** The certificate to serve. @throws Error before `start` has resolved */
  get current(): CertifiedKey {
    if (this.#serving === undefined) throw new Error("there is no serving certificate yet: wait for start()");
    return this.#serving.pair;
  }

  /** Calls `listener` with each new certificate. Returns the function that ends this. */
  onChange(listener: (next: CertifiedKey) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** What a person must look at: all that is missing, refused or not yet trusted, for the log; `undefined` when all is well. */
  problem(): string | undefined {
    const issuer = this.#serving?.issuer;
    return listed([this.#secret.problem, ...this.#targets.map((target) => target.problem(issuer, this.#next())), this.#servingProblem()]);
  }

  /**
   * Why calls of the API server fail now, for `/readyz`; `undefined`: they do not. All replicas see the same objects, so what breaks no call
   * must not take all of them out of the Service.
   */
  failure(): string | undefined {
    const issuer = this.#serving?.issuer;
    return listed([...this.#targets.map((target) => target.failure(issuer, this.#next())), this.#servingProblem()]);
  }

  /** The authority of the Secret, where the certificate in service is by another one. */
  #next(): NextAuthority | undefined {
    const id = this.#secret.content.authority?.certificate.id;
    if (id === undefined || id === this.#serving?.issuer) return undefined;
    const since = this.#agreed?.id === id ? this.#agreed.sinceMs : undefined;
    const when = since === undefined ? "when every configuration has it" : `at ${new Date(since + SETTLE_MS).toISOString()}`;
    return { id, text: `the certificate by it is issued ${when}` };
  }

  #servingProblem(): string | undefined {
    if (this.#serving === undefined) return "there is no serving certificate yet";
    return this.#options.clock.now() >= this.#serving.certificate.endsMs ? "the serving certificate has expired" : undefined;
  }

  /** Ends watches and timers. Resolves when nothing runs any more. */
  async stop(): Promise<void> {
    this.#end.abort(new Error("the certificates were stopped"));
    await this.#watches;
    await this.#running;
  }

  /** Resolves when no pass runs. For tests in virtual time. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  #kick(): void {
    this.#isDirty = true;
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    while (this.#isDirty && !this.#end.signal.aborted) {
      this.#isDirty = false;
      try {
        await this.#pass();
        this.#failures.reset();
        this.#reports.problem(this.problem());
      } catch (error) {
        if (this.#end.signal.aborted) break;
        this.#failures.failed();
        this.#arm(this.#failures.nextAtMs);
        this.#reports.failure(textOf(error));
      }
    }
    // In the same turn as the last look at #isDirty, so that no call is lost.
    this.#running = undefined;
  }

  async #pass(): Promise<void> {
    for (let n = 0; n < MAX_STEPS; n++) {
      this.#end.signal.throwIfAborted();
      if (this.#secret.isStale) await this.#secret.read();
      // Its watch reports it. Another operator's Secret is neither served nor changed.
      if (!this.#secret.isKnown || this.#secret.otherOwner !== undefined) return;
      await Promise.all(this.#targets.map((target) => target.refresh()));
      this.#adopt();
      const step = decide(this.#state(), this.#options.clock.now());
      if (step.type === "wait") {
        this.#arm(step.untilMs);
        return;
      }
      await this.#do(step);
    }
    throw new Error(
      `Secret ${this.#where} or the configurations changed after each of ${MAX_STEPS} steps: look for another program that writes them`,
    );
  }

  #do(step: Exclude<PlannedStep, { type: "wait" }>): Promise<void> {
    switch (step.type) {
      case "replaceAuthority":
        return this.#replaceAuthority(step);
      case "inject":
        return this.#inject(step);
      case "issue":
        return this.#issue(step);
      case "dropPrevious":
        return this.#dropPrevious();
    }
  }

  async #replaceAuthority({ reason, isRepair }: StepOf<"replaceAuthority">): Promise<void> {
    const { content, version } = this.#secret;
    const served = this.#serving;
    const isLost = isRepair || content.authority === undefined;
    // Other replicas may serve by authorities that the Secret no longer names.
    const others = [...this.#remembered, ...this.#targets.flatMap(({ trusted }) => trusted)];
    const data = await newAuthority(content, isLost ? { others, served } : undefined, this.#options.clock.now());
    if (!(await this.#secret.write(data, version))) return;
    const made = `made an authority in Secret ${this.#where}`;
    if (isRepair) this.#reports.note("Warning", "CertificatesReplaced", `${made}: ${reason}`);
    else if (isLost && served !== undefined) this.#reports.note("Warning", "CertificatesReplaced", `${made}: its data was removed`);
    else this.#reports.note("Normal", "AuthorityCreated", `${made}: ${reason}`);
  }

  async #inject({ keys }: StepOf<"inject">): Promise<void> {
    // Another replica may have changed the authority, and the configurations by it, since the Secret was read. The
    // configurations were read before, and are changed only in the version that was read.
    const { version } = this.#secret;
    await this.#secret.read();
    if (this.#secret.version !== version) return;
    const bundle = bundleOf(this.#secret.content);
    await Promise.all(this.#targets.filter((target) => keys.includes(target.view(bundle).key)).map((target) => target.inject(bundle)));
  }

  async #issue({ by, reason, keepsNames }: StepOf<"issue">): Promise<void> {
    const { content, version } = this.#secret;
    const { authority, serving } = content;
    if (by === "authority" && authority !== undefined && serving?.issuer !== authority.certificate.id) {
      await Promise.all(this.#targets.map((target) => target.read()));
      if (blockers(this.#state(), authority.certificate.id).length > 0) return;
    }
    const data = await newServing(content, { by, names: this.#options.dnsNames, keepsNames }, this.#options.clock.now());
    if (data === undefined || !(await this.#secret.write(data, version))) return;
    this.#reports.note("Normal", "CertificateIssued", `issued a serving certificate in Secret ${this.#where}: ${reason}`);
  }

  async #dropPrevious(): Promise<void> {
    const { content, version } = this.#secret;
    const data = withoutPrevious(content);
    if (data === undefined || !(await this.#secret.write(data, version))) return;
    const where = `Secret ${this.#where}`;
    this.#reports.note("Normal", "PreviousAuthorityRemoved", `removed the previous authority from ${where}: its certificates have ended`);
  }

  /** Serves what the Secret contains, where it is valid. Otherwise the last valid certificate stays in service. */
  #adopt(): void {
    const { content, version } = this.#secret;
    const { serving, faults } = content;
    const isNew = version !== this.#seenVersion;
    this.#seenVersion = version;
    if (faults.length === 0 && content.authority !== undefined) this.#remembered = bundleOf(content);
    if (isNew && content.tls.cert !== "") this.#reports.guard("onRead", () => this.#options.onRead?.(serving !== undefined));
    if (serving === undefined || !isValidAt(serving.certificate, this.#options.clock.now())) return;
    const isSame = serving.certificate.id === this.#serving?.certificate.id;
    this.#serving = serving;
    if (isSame) return;
    this.#resolveReady();
    for (const listener of this.#listeners) this.#reports.guard("a listener for certificates", () => listener(serving.pair));
  }

  #state(): PlanState {
    const { content } = this.#secret;
    const bundle = bundleOf(content);
    const targets = this.#targets.map((target) => target.view(bundle));
    const view = viewOf(content, this.#options.dnsNames);
    const { authority } = view;
    if (authority === undefined || laggards({ targets }, authority.id).length > 0) this.#agreed = undefined;
    else if (this.#agreed?.id !== authority.id) this.#agreed = { id: authority.id, sinceMs: this.#options.clock.now() };
    const repairAtMs = this.#secret.nextWriteAtMs;
    return { ...view, targets, agreedSinceMs: this.#agreed?.sinceMs, repairAtMs, jitterMs: this.#jitterMs };
  }

  #arm(untilMs: number | undefined): void {
    this.#timer?.cancel();
    const { clock } = this.#options;
    this.#timer = untilMs === undefined || this.#end.signal.aborted ? undefined : clock.after(untilMs - clock.now(), () => this.#kick());
  }

  get #where(): string {
    return `${this.#options.namespace}/${this.#options.secretName}`;
  }
}

function listed(problems: readonly (string | undefined)[]): string | undefined {
  const texts = [...new Set(problems.filter((problem) => problem !== undefined))];
  return texts.length === 0 ? undefined : texts.join("; ");
}

/** The same for the same pod, so that a restart neither hurries nor delays a renewal (FNV-1a). */
function jitterOf(podName: string): number {
  let hash = 0x811c9dc5;
  for (const char of podName) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return (hash / 2 ** 32) * JITTER_MS;
}
