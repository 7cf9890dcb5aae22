import { createServer } from "node:net";

const tryPort = (port: number): Promise<number | null> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(null));
    server.listen({ host: "127.0.0.1", port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : null));
    });
  });

/** Whether nothing listens on this port of this machine. */
export const portIsFree = async (port: number): Promise<boolean> => (await tryPort(port)) !== null;

/** A currently free port. */
export const findFreePort = async (): Promise<number> => {
  const port = await tryPort(0);
  if (port === null) throw new Error("This machine has no free port on 127.0.0.1.");
  return port;
};
