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

/** Whether a port of the loopback interface is free. */
export const isPortFree = async (port: number): Promise<boolean> => (await tryPort(port)) !== null;

/** Returns a free port of the loopback interface. */
export const findFreePort = async (): Promise<number> => {
  const port = await tryPort(0);
  if (port === null) throw new Error("No free port on 127.0.0.1");
  return port;
};
