import { Writable } from "node:stream";

/** The end of a pipeline that only computes a digest. */
export const discard = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });
