import { Writable } from "node:stream";

/** Discards its input: ends a pipeline that only computes a digest. */
export const createDiscardStream = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });
