import type { Coding } from "./accept-encoding.ts";
import { type Codecs, cachedCodecs } from "./codecs.ts";

/** A body that is sent often: it is compressed once for each coding, on first use. */
export interface CachedBody {
  readonly plain: Buffer;
  /** The body in a coding; the plain body for null. */
  encoded(coding: Coding | null): Promise<Buffer>;
}

/** Caches a body and its compressed forms. */
export function createCachedBody(plain: Buffer, codecs: Codecs = cachedCodecs): CachedBody {
  const forms = new Map<Coding, Promise<Buffer>>();
  const compress = (coding: Coding): Promise<Buffer> => {
    const form = codecs[coding]?.compress(plain) ?? Promise.resolve(plain);
    form.catch(() => forms.delete(coding));
    forms.set(coding, form);
    return form;
  };
  return { plain, encoded: (coding) => (coding === null ? Promise.resolve(plain) : (forms.get(coding) ?? compress(coding))) };
}
