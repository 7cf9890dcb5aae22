import type { Model } from "../model/model.ts";
import { compileTemplate } from "./template.ts";

const renderCommunity = compileTemplate<{ protocols: string }>("community");

/** Emits the declared protocols as `runtime/declarations/protocol.ts` describes them; generated files import nothing. */
export function emitCommunity({ protocols }: Model): string {
  return renderCommunity({ protocols: JSON.stringify(protocols, null, 2) });
}
