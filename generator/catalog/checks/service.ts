import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { findRepeated, type Lookup, placeOf } from "../lookup.ts";

/** Checks the service: required files, authentication schemes that do not define how a key is sent, and duplicate failure titles. */
export function checkService({ draft }: Lookup, root: string): Diagnostic[] {
  const { service, template } = draft;
  const missing = (path: string) => diagnostic("missing-file", { file: `${root}${path}`, line: 1, column: 1 }, { path });
  const lacksService = service === null && !draft.unreadable.has("service");
  const lacksTemplate = template === null && !draft.unreadable.has("template") && draft.protocols.length > 0;
  return [
    ...(lacksService ? [missing("service.yaml")] : []),
    ...(lacksTemplate ? [missing("community/template.yaml")] : []),
    ...checkAuthentication({ draft }),
    ...checkTitles({ draft }),
  ];
}

/** The OpenAPI document names failure components by their titles. */
function checkTitles({ draft: { service } }: Pick<Lookup, "draft">): Diagnostic[] {
  if (service === null) return [];
  const place = (status: string) => placeOf(service, "errors", status, "title");
  return findRepeated(Object.entries(service.value.errors ?? {}), ([, { title }]) => title).map(({ item, first, name }) =>
    diagnostic("duplicate-title", place(item[0]), { title: name, first: place(first[0]) }),
  );
}

function checkAuthentication({ draft }: Pick<Lookup, "draft">): Diagnostic[] {
  return [...(draft.service?.authentication?.values() ?? [])].flatMap((entry) => {
    const { type, scheme, in: place, name } = entry.value;
    if (type === undefined || entry.broken.size > 0) return [];
    const right =
      type === "http"
        ? scheme !== undefined && place === undefined && name === undefined
        : place !== undefined && name !== undefined && scheme === undefined;
    const accepted = type === "http" ? "scheme alone" : "in and name, without scheme";
    return right ? [] : [diagnostic("contradictory-authentication", placeOf(entry, "type"), { type, accepted })];
  });
}
