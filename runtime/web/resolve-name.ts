import { Resolver } from "node:dns/promises";

/** Resolves a name to all its addresses; rejects if there are none or the signal aborts. */
export type ResolveName = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

/**
 * Queries the name servers directly, so that untrusted names are never looked up in this machine's hosts file, and slow name servers do not block a thread in
 * the pool.
 */
export const resolveName: ResolveName = async (hostname, signal) => {
  const resolver = new Resolver({ tries: 2 });
  const cancel = (): void => resolver.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    if (addresses.length === 0) throw new Error("No addresses.");
    return addresses;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
};
