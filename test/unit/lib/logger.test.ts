import { describe, expect, it } from "vitest";
import { createLogger } from "../../../runtime/logger.ts";

describe("a log line", () => {
  const hostile = "\u001b]0;owned\u0007 \u009b2J \u202egnp.exe \u2028\u0085\u007f\r\n";

  it("contains no terminal control characters, and parses to the same text", () => {
    const lines: string[] = [];
    const logger = createLogger({ logLevel: "info", logFormat: "json", destination: { write: (text) => void lines.push(text) } });
    logger.info({ path: hostile, [hostile]: [hostile] }, hostile);
    logger.child({ chain: hostile }).error(new Error(hostile), `${hostile} failed`);
    expect(lines).toHaveLength(2);
    for (const line of lines) {
      expect(line.endsWith("\n")).toBe(true);
      expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
    }
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ path: hostile, [hostile]: [hostile], msg: hostile });
    expect(JSON.parse(lines[1] ?? "")).toMatchObject({ chain: hostile, err: { message: hostile }, msg: `${hostile} failed` });
  });

  it("contains no terminal control characters in the human-readable format", () => {
    const lines: string[] = [];
    const logger = createLogger({ logLevel: "info", logFormat: "pretty", destination: { write: (text) => void lines.push(text) } });
    logger.info({ path: hostile, [hostile]: [hostile] }, hostile);
    logger.child({ chain: hostile }).error(new Error(hostile), `${hostile} failed`);
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).not.toMatch(/(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
    expect(lines[0]).toContain("\\u001b]0;owned");
  });
});
