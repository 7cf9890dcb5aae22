import { protocols } from "../generated/community.gen.ts";
import type { Protocol } from "./declarations/protocol.ts";

/** The declared protocols. */
export const communityProtocols: readonly Protocol[] = protocols;
