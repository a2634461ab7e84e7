/** Authentication and authorization of requests: who sends a request, as whom it acts, and whether it is allowed. */
import type { ApiRequest, Clock } from "@treadle/apimachinery";
import type { Written } from "../objects/validation.ts";
import type { Registry, Served } from "../storage/registry.ts";
import type { ResourceRoute, Target } from "../request/routes.ts";
import type { Store } from "../storage/store.ts";
import type { Draft, StoredObject } from "../storage/stored-object.ts";
import { attributesOf, forbidden, type ResourceAttributes } from "./attributes.ts";
import { ALLOW_ALL, type Authorizer, RbacAuthorizer } from "./authorizer.ts";
import { checkEscalation } from "./escalation.ts";
import { type Identity, userInfoOf, type UserInfo } from "./identity.ts";
import { actingUser } from "./impersonation.ts";
import { checkOwners } from "./owner-references.ts";
import { AccountTokens, type Holder, INVALID } from "./tokens.ts";

export interface AccessOptions {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  /** Whether requests need rights. */
  readonly isRestricted: boolean;
  readonly tokens: Readonly<Record<string, Identity>>;
  /** Issuer of the tokens of service accounts. */
  readonly issuer: string;
  readonly enforcesOwners: boolean;
}

/** The part of a request that decides whether it is allowed. */
interface Asked {
  readonly user: UserInfo;
  readonly request: ApiRequest;
  readonly route: ResourceRoute;
  readonly served: Served;
}

export class Access {
  readonly authorizer: Authorizer;
  /** Tokens of service accounts. */
  readonly accountTokens: AccountTokens;
  readonly isRestricted: boolean;
  readonly #options: AccessOptions;
  readonly #tokens: Map<string, Identity>;

  constructor(options: AccessOptions) {
    this.#options = options;
    this.isRestricted = options.isRestricted;
    this.authorizer = options.isRestricted ? new RbacAuthorizer(options.store) : ALLOW_ALL;
    this.accountTokens = new AccountTokens(options);
    this.#tokens = new Map(Object.entries(options.tokens));
  }

  /** Returns the user of a token, or `undefined` for an unknown or expired one. */
  authenticate(token: string): Identity | undefined {
    const holder = this.holderOf(token, [this.accountTokens.issuer]);
    return "identity" in holder ? holder.identity : undefined;
  }

  /** Accepts a bearer token as this user, until the returned function is called. */
  acceptToken(token: string, identity: Identity): () => void {
    const before = this.#tokens.get(token);
    this.#tokens.set(token, identity);
    return () => {
      if (before === undefined) this.#tokens.delete(token);
      else this.#tokens.set(token, before);
    };
  }

  /** Returns the user of a token if the token is valid for one of the audiences. Tokens of users are valid for this server only. */
  holderOf(token: string, audiences: readonly string[]): Holder {
    const identity = this.#tokens.get(token);
    if (identity === undefined) return this.accountTokens.read(token, audiences);
    const { issuer } = this.accountTokens;
    return audiences.includes(issuer) ? { identity, audiences: [issuer] } : INVALID;
  }

  /** Returns the user that the request acts as. @throws StatusError 400, 403 when this user is not allowed to send it */
  enter(request: ApiRequest, target: Target, sender: Identity): UserInfo {
    const user = actingUser(request, userInfoOf(sender), this.authorizer);
    if (this.isRestricted) this.#require(user, attributesOf(request, target));
    return user;
  }

  /** Checks the right to create for a PUT or PATCH that creates an object. @throws StatusError 403 */
  checkCreate({ user, request, route, served }: Asked): void {
    if (!this.isRestricted || request.method === "POST") return;
    const { version } = served.version;
    this.#require(user, { verb: "create", ...resourceAttributes(route), version });
  }

  /** Checks that a role or binding gives only rights that the user has. @throws StatusError 403 */
  checkRoles({ user, served, route }: Asked, draft: Draft, live: StoredObject | undefined): void {
    if (!this.isRestricted) return;
    const { store } = this.#options;
    checkEscalation({ id: served.type.id, user, draft, live, store, authorizer: this.authorizer, nameInPath: route.name });
  }

  /** Checks that the user may set the owner references. @throws StatusError 403 */
  checkOwners({ user, served }: Asked, { draft, live, subresource }: Written): void {
    const { enforcesOwners, registry } = this.#options;
    if (!enforcesOwners || !this.isRestricted) return;
    checkOwners({ user, authorizer: this.authorizer, registry, served, draft, live, subresource });
  }

  #require(user: UserInfo, attributes: ReturnType<typeof attributesOf>): void {
    const { isAllowed, reason } = this.authorizer.authorize(user, attributes);
    if (!isAllowed) throw forbidden(user, attributes, reason);
  }
}

function resourceAttributes(route: ResourceRoute): Omit<ResourceAttributes, "verb"> {
  const { group, version, resource, subresource, namespace, name } = route;
  return { group, version, resource, subresource, namespace, name };
}
