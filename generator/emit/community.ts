import type { Model } from "../model/model.ts";
import { template } from "./template.ts";

const renderCommunity = template<{ protocols: string }>("community");

/** Emits the declared protocols as `runtime/declarations/protocol.ts` describes them; generated files import nothing. */
export function emitCommunity({ protocols }: Model): string {
  return renderCommunity({ protocols: JSON.stringify(protocols, null, 2) });
}
