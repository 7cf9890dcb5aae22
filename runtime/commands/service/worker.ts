import process from "node:process";
import { createChannel } from "../../cluster/channel.ts";
import { followParent } from "../../cluster/follow-parent.ts";
import { createLogger } from "../../logger.ts";
import { loadProtocols } from "../../protocols.ts";
import { type CurrentAddress, createCurrentAddress } from "../database-address.ts";
import { controlPool, openNotifications, readerPool, servingPool } from "../pools.ts";
import { type AcceptedServing, createServing } from "../serving.ts";
import type { PrimaryFunctions, WorkerFunctions, WorkerStart } from "./functions.ts";
import { createRemoteMeter } from "./remote-meter.ts";

/** A worker that serves. */
interface Running {
  readonly address: CurrentAddress;
  readonly serving: AcceptedServing;
  stop(): Promise<void>;
}

let running: Running | undefined;

const functions: WorkerFunctions = {
  async start(work) {
    running = createWorker(work);
  },
  connection(_, socket) {
    report("taken");
    // The client may have closed the connection before it arrived.
    if (socket === undefined || running === undefined) return report("closed");
    socket.once("close", () => report("closed"));
    running.serving.accept(socket);
  },
  changeDatabase: (address) => running?.address.change(address),
  isReady: async () => (await running?.serving.isReady()) ?? false,
  requests: async () => (await running?.serving.requests()) ?? 0,
  async stop() {
    await running?.stop();
    process.exit(0);
  },
};

followParent();
const primary = createChannel<PrimaryFunctions>(process, functions);

function createWorker({ name, pools, config, chains, database, demo }: WorkerStart): Running {
  process.title = `ashlar ${name}`;
  const logger = createLogger({ logLevel: config.logLevel, logFormat: "json", process: name });
  const address = createCurrentAddress(database);
  const serving = servingPool(config, address.server, pools.serving);
  const control = controlPool(config, address.server, pools.control);
  const reader = readerPool(config, address.reader, pools.reader);
  const notifications = openNotifications(address.server);
  const server = createServing({
    config,
    ...loadProtocols(config),
    chains,
    database: serving,
    control,
    reader,
    notifications,
    logger,
    demo,
    meter: createRemoteMeter(primary),
  });
  return {
    address,
    serving: server,
    async stop() {
      await server.stop();
      await Promise.all([serving, control, reader, notifications].map((connections) => connections.close()));
    },
  };
}

let counts = { taken: 0, closed: 0 };

/** Reports taken and closed connections, those of one turn of the event loop together. */
function report(event: "taken" | "closed"): void {
  if (counts.taken + counts.closed === 0) {
    setImmediate(() => {
      primary.post("reportConnections", counts);
      counts = { taken: 0, closed: 0 };
    });
  }
  counts[event] += 1;
}
