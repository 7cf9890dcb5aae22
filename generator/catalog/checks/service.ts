import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { findDuplicates, type Lookup, locationOf } from "../lookup.ts";

/** Checks the service for missing files, contradictory authentication schemes and duplicate error titles. */
export function checkService({ draft }: Lookup, root: string): Diagnostic[] {
  const { service, template } = draft;
  const missing = (path: string) => diagnostic("missing-file", { file: `${root}${path}`, line: 1, column: 1 }, { path });
  const lacksService = service === null && !draft.unreadableKinds.has("service");
  const lacksTemplate = template === null && !draft.unreadableKinds.has("template") && draft.protocols.length > 0;
  return [
    ...(lacksService ? [missing("service.yaml")] : []),
    ...(lacksTemplate ? [missing("community/template.yaml")] : []),
    ...checkAuthentication({ draft }),
    ...checkTitles({ draft }),
  ];
}

/** Reports duplicate titles, because the OpenAPI document names the components of error responses by their titles. */
function checkTitles({ draft: { service } }: Pick<Lookup, "draft">): Diagnostic[] {
  if (service === null) return [];
  const location = (status: string) => locationOf(service, "errors", status, "title");
  return findDuplicates(Object.entries(service.value.errors ?? {}), ([, { title }]) => title).map(({ item, first, name }) =>
    diagnostic("duplicate-title", location(item[0]), { title: name, first: location(first[0]) }),
  );
}

function checkAuthentication({ draft }: Pick<Lookup, "draft">): Diagnostic[] {
  return [...(draft.service?.authentication?.values() ?? [])].flatMap((entry) => {
    const { type, scheme, in: location, name } = entry.value;
    if (type === undefined || entry.invalidKeys.size > 0) return [];
    const isValid =
      type === "http"
        ? scheme !== undefined && location === undefined && name === undefined
        : location !== undefined && name !== undefined && scheme === undefined;
    const expected = type === "http" ? "`scheme`, without `in` and `name`" : "`in` and `name`, without `scheme`";
    return isValid ? [] : [diagnostic("contradictory-authentication", locationOf(entry, "type"), { type, expected })];
  });
}
