import { communityObjects, communityOperations } from "../../../../generated/community-items.gen.ts";
import { scaffoldFiles } from "../../../../runtime/commands/community/scaffold.ts";
import { checkDirectory } from "../../../../runtime/declarations/check-directory.ts";
import { renderDiagnostic } from "../../../../runtime/declarations/diagnostics.ts";

/** The folder of the protocol `savings`, as `ashlar community new` writes it. */
export const folder = "endpoints/savings";
/** The protocol's vault. */
export const vault = "0x5fbdb2315678afecb367f032d93f642f64180aa3";
const scope = {
  template: new Map(Object.entries(communityOperations)),
  objects: communityObjects,
  takenNames: new Map([
    ["protocol_06", "the built-in protocol protocol_06"],
    ["morpho", "the built-in protocol protocol_06"],
  ]),
};

/** The protocol's files, with an edited declaration. */
export const files = (edit: (declaration: string) => string = (text) => text): Map<string, string> => {
  const scaffold = Object.entries(scaffoldFiles({ id: "savings", chain: "test", contracts: [vault] }));
  return new Map(scaffold.map(([name, text]) => [`${folder}/${name}`, name === "protocol.yaml" ? edit(text) : text]));
};
/** Checks a directory's files. */
export const check = (texts: ReadonlyMap<string, string>) => checkDirectory("endpoints", texts, scope);
/** The diagnostics of a check. */
export const problemsOf = (texts: ReadonlyMap<string, string>) => check(texts).diagnostics.map(renderDiagnostic);
