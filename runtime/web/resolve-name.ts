import { Resolver } from "node:dns/promises";

/** All addresses of a name. Rejects where there are none, or the signal ends it. */
export type ResolveName = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

/** Asks the name servers directly: a stranger's name never meets this machine's own list of names, and slow name servers hold up no thread that others need. */
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
