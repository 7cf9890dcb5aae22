import type { Model } from "../model/model.ts";
import { template } from "./template.ts";

const renderCommunity = template<{ protocols: string }>("community");

/** The declared protocols as `runtime/declarations/protocol.ts` describes them; generated files import nothing. */
export function emitCommunity({ protocols }: Model): string {
  return renderCommunity({ protocols: JSON.stringify(protocols, null, 2) });
}
