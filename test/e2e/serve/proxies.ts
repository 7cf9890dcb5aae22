import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { adapt, documentedExample } from "../../support/documented-example.ts";
import { freePort } from "../../support/free-port.ts";
import { until } from "../../support/until.ts";

/** A proxy that tests run with its documented example. */
export interface ProxyProgram {
  readonly name: string;
  /** Whether the program is installed. */
  isInstalled(): boolean;
  /** Starts it in front of a server, with the test certificate. */
  start(folder: string, upstream: URL): Promise<RunningProxy>;
}

export interface RunningProxy {
  readonly port: number;
  stop(): Promise<void>;
}

/** A subdomain in the test certificate. */
export const proxyHost = "api.documents.example";
const certificate = (name: string): string => fileURLToPath(new URL(`../../support/certificate/test-only-${name}.pem`, import.meta.url));

const exampleOf = (language: string): Promise<string> => documentedExample("operations/proxy.md", language);

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });

async function run(program: string, args: readonly string[], folder: string, port: number): Promise<RunningProxy> {
  const environment = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = spawn(program, [...args], { env: environment, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (output += part.toString()));
  await until(`${program} to listen`, async () => {
    if (child.exitCode !== null) throw new Error(`${program} exited with code ${child.exitCode}: ${output.slice(-1_000)}`);
    return accepts(port);
  });
  return {
    port,
    async stop() {
      child.kill("SIGTERM");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}

const createInstallationCheck = (program: string, argument: string) => (): boolean => spawnSync(program, [argument]).error === undefined;

export const nginx: ProxyProgram = {
  name: "nginx",
  isInstalled: createInstallationCheck("nginx", "-v"),
  async start(folder, { host }) {
    const port = await freePort();
    const example = adapt(await exampleOf("nginx"), {
      "127.0.0.1:8080": host,
      "listen 443": `listen 127.0.0.1:${port}`,
      "api.example.com": proxyHost,
      "/etc/ssl/ashlar/certificate.pem": certificate("certificate"),
      "/etc/ssl/ashlar/key.pem": certificate("key"),
      "/var/log/nginx/ashlar.log": join(folder, "access.log"),
    });
    await mkdir(join(folder, "temporary"));
    // The part of Debian's nginx.conf that encloses the sites, with paths in the folder.
    const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder}/temporary/${name};`);
    const main = `pid ${folder}/nginx.pid;\nerror_log stderr warn;\nevents {}\nhttp {\n${paths.join("\n")}\n${example}}\n`;
    await writeFile(join(folder, "nginx.conf"), main);
    return run("nginx", ["-p", folder, "-c", join(folder, "nginx.conf"), "-g", "daemon off; master_process off;"], folder, port);
  },
};

export const caddy: ProxyProgram = {
  name: "Caddy",
  isInstalled: createInstallationCheck("caddy", "version"),
  async start(folder, { host }) {
    const port = await freePort();
    const example = adapt(await exampleOf("caddyfile"), {
      "127.0.0.1:8080": host,
      // With the test certificate, on one address, and without the ports for administration and redirects.
      "api.example.com {": `https://${proxyHost}:${port} {\n\tbind 127.0.0.1\n\ttls ${certificate("certificate")} ${certificate("key")}`,
      "{\n\tservers {": "{\n\tadmin off\n\tauto_https disable_redirects\n\tservers {",
    });
    await writeFile(join(folder, "Caddyfile"), example);
    return run("caddy", ["run", "--config", join(folder, "Caddyfile"), "--adapter", "caddyfile"], folder, port);
  },
};
