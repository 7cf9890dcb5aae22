import { type Attack, flood } from "../attack.ts";
import { chain, hostileNamesWallet, hostileTokenCount } from "../fixture.ts";

const connectionCount = 16;

/** Name parts that attack logs, CSV, HTML, JSON or the spam rules. */
const parts: readonly string[] = [
  "\u0001\u0008\u001b[31m\u009b",
  "\r\nSet-Cookie: a=b\r\n",
  '=HYPERLINK("http://x","y")',
  "@SUM(1+1)*cmd|' /C calc'!A0",
  '\t=1+1,""',
  "<script>alert(1)</script>",
  '"},{"data":null',
  "\\u0000\\ud800\u2028\u2029",
  "\u202e\u200b\u2066gnp.exe",
  "\ufdfa\u3316 claim at http://a.b",
  "\u{1f468}\u200d\u0301\u0316",
  "'; DROP TABLE balances; --",
];

/** A lone surrogate, which is not valid UTF-8. */
const surrogate = Buffer.from([0xed, 0xa0, 0x80]);

/** The names that contracts return: half of them are short, the others have a megabyte. */
export const hostileNames: readonly Buffer[] = Array.from({ length: hostileTokenCount }, (_, number) => {
  const part = Buffer.concat([
    Buffer.from(parts[number % parts.length] ?? ""),
    number % 3 === 0 ? surrogate : Buffer.alloc(0),
    Buffer.from(`${number} `),
  ]);
  const bytes = number % 2 === 0 ? 150 : 1_000_000;
  return Buffer.concat(Array.from({ length: Math.ceil(bytes / part.length) }, () => part));
});

/** Requests the wallet with hostile names as JSON and as CSV. */
export const requestHostileNames = (attack: Attack): Promise<void> =>
  flood(attack, connectionCount, (number) => {
    const query = ["", "?format=csv", "?no-spam=true", "?quote-currency=EUR"][number % 4];
    return `/v1/${chain.name}/address/${hostileNamesWallet}/balances_v2/${query}`;
  });
