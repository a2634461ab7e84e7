/** What the operator does for each TemplateManaged: it observes, creates, changes and deletes the external resource. */
import { conditions, handler } from "treadle";
import { managed, provider, providerConfigs, secretText } from "treadle/managed";
import { TemplateManagedApi } from "./template-managed-api.ts";
import { TemplateManaged, TemplateManagedConfig } from "./template-managed.ts";

/** @param fetchIt for tests: answers without a service */
export function templateManagedHandlers(fetchIt?: typeof fetch) {
  const service = provider(TemplateManagedConfig, {
    secret: ({ spec }) => spec.secret,
    connect: ({ config, secret }) => new TemplateManagedApi(config.spec.url, secretText(secret, "token"), fetchIt),
    rate: { perSecond: 10, burst: 20 },
  });

  const resource = managed(TemplateManaged, {
    name: "template-managed",
    provider: service,
    // We choose the name, so a create that was interrupted can be repeated.
    externalName: ({ metadata }) => `${metadata.namespace}-${metadata.name}`,
    observe: ({ api, name, signal }) => api.read(name, signal),
    desired: ({ spec: { region, sizeGb } }) => ({ region, sizeGb }),
    create: ({ api, name, want, signal }) => api.write(name, want, signal),
    update: ({ api, name, want, signal }) => api.write(name, want, signal),
    delete: ({ api, name, signal }) => api.delete(name, signal),
    status: ({ endpoint }) => ({ endpoint }),
  });

  return {
    templateManageds: handler(TemplateManaged).step(conditions()).step(resource).build(),
    templateManagedConfigs: providerConfigs(service, [TemplateManaged]),
  };
}

export const { templateManageds, templateManagedConfigs } = templateManagedHandlers();
