import { afterEach, describe, expect, it } from "vitest";
import { type Metrics, startMetrics } from "../../../runtime/metrics/start-metrics.ts";

let metrics: Metrics | undefined;
afterEach(() => metrics?.close());

const bearerToken = "only-for-this-test-0";
const start = async (token?: string): Promise<string> => {
  metrics = await startMetrics({ host: "127.0.0.1", port: 0, ...(token === undefined ? {} : { bearerToken: token }) });
  return `http://127.0.0.1:${metrics.address.port}`;
};
const statusOf = async (url: string, options: RequestInit = {}): Promise<number> => (await fetch(url, options)).status;

describe("the metrics listener", () => {
  it("serves /metrics in the exposition format, and nothing else", async () => {
    const url = await start();
    const response = await fetch(`${url}/metrics?x=1`);
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(await response.text()).toContain("# TYPE ashlar_metrics_source_up gauge\n");
    expect(await statusOf(`${url}/metrics/`)).toBe(404);
    expect(await statusOf(`${url}/healthz`)).toBe(404);
    expect(await statusOf(`${url}/metrics`, { method: "POST" })).toBe(405);
    expect(await statusOf(`${url}/metrics`, { method: "HEAD" })).toBe(200);
  });

  it("requires the configured token, and does not repeat it", async () => {
    const url = `${await start(bearerToken)}/metrics`;
    const withToken = (authorization: string): RequestInit => ({ headers: { authorization } });
    expect(await statusOf(url)).toBe(401);
    expect(await statusOf(url, withToken(`Bearer ${bearerToken}1`))).toBe(401);
    expect(await statusOf(url, withToken(`Bearer ${bearerToken.slice(1)}`))).toBe(401);
    expect(await statusOf(url, withToken(`Basic ${bearerToken}`))).toBe(401);
    const response = await fetch(url, withToken(`Bearer ${bearerToken}`));
    expect(response.status).toBe(200);
    expect(await response.text()).not.toContain(bearerToken);
  });
});
