/** The targets of HorizontalPodAutoscalers: the scales of objects of any kind. */
import type { Kind } from "@treadle/apimachinery";
import type { HorizontalPodAutoscaler } from "@treadle/apimachinery/kinds";
import type { Registry } from "../storage/registry.ts";
import { RefusedError, type Scale, type Writer } from "./writer.ts";

/** An autoscaler with a spec, which each stored one has. */
export type Autoscaler = HorizontalPodAutoscaler & { readonly spec: NonNullable<HorizontalPodAutoscaler["spec"]> };

export interface Target {
  readonly kind: Kind;
  readonly scale: Scale;
  readonly replicas: number;
  /** Selector of its pods. */
  readonly selector: string;
}

export interface Targets {
  /** Returns the target, or the problem with it. */
  find(autoscaler: Autoscaler): Promise<Target | string>;
  /** @throws RefusedError */
  scale(target: Target, replicas: number): Promise<void>;
}

export function scaleTargets(registry: Registry, write: Writer): Targets {
  return {
    async find({ metadata, spec }) {
      const { apiVersion = "", kind, name } = spec.scaleTargetRef;
      const parts = apiVersion.split("/");
      if (parts.length > 2) return `unexpected GroupVersion string: ${apiVersion}`;
      const group = parts.length === 2 ? (parts[0] ?? "") : "";
      const kinds = kindsOf(registry, group, kind);
      let problem = `no matches for kind "${kind}" in group "${group}"`;
      for (const [index, candidate] of kinds.entries()) {
        try {
          const scale = await write.scaleOf(candidate, { name, namespace: metadata.namespace ?? "" });
          return { kind: candidate, scale, replicas: scale.spec.replicas ?? 0, selector: scale.status?.selector ?? "" };
        } catch (error) {
          if (!(error instanceof RefusedError)) throw error;
          if (index === 0) problem = error.message;
        }
      }
      return problem;
    },
    async scale({ kind, scale }, replicas) {
      await write.updateScale(kind, { ...scale, spec: { ...scale.spec, replicas } });
    },
  };
}

/** Returns the kind in all its served versions. */
function kindsOf(registry: Registry, group: string, kind: string): readonly Kind[] {
  const found: Kind[] = [];
  for (const { type, version } of registry.all()) {
    if (type.group !== group || type.kind !== kind) continue;
    const scope = type.isNamespaced ? "Namespaced" : "Cluster";
    found.push({ group, version: version.version, kind, plural: type.plural, scope });
  }
  return found;
}
