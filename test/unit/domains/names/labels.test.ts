import { describe, expect, it } from "vitest";
import { createLabelQueries, labelOf } from "../../../../runtime/domains/names/labels.ts";
import { parseLabels } from "../../../../runtime/domains/names/labels-file.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";

const account = (digit: string): Address => `0x${digit.repeat(40)}`;
const [alice, bob, carol] = ["a", "b", "c"].map(account) as [Address, Address, Address];
const errorsOf = (file: string, text: string): string => {
  try {
    parseLabels(file, text);
  } catch (error) {
    return (error as Error).message;
  }
  return "";
};

describe("a label file", () => {
  it("may be CSV, with or without a header or quotes", () => {
    const text = `\uFEFFaddress,label\r\n${alice.toUpperCase().replace("0X", "0x")}, Alice's wallet \r\n\r\n${bob},"Bank, ""main"" account"\n`;
    expect([...parseLabels("labels.csv", text)]).toEqual([
      [alice, "Alice's wallet"],
      [bob, 'Bank, "main" account'],
    ]);
    expect(parseLabels("labels.csv", `${alice},A`).get(alice)).toBe("A");
  });

  it("may be JSON, an object or a list", () => {
    expect([...parseLabels("labels.json", JSON.stringify({ [alice]: "A" }))]).toEqual([[alice, "A"]]);
    expect([...parseLabels("LABELS.JSON", JSON.stringify([{ address: bob, label: "B" }]))]).toEqual([[bob, "B"]]);
  });

  it("is rejected with a position and reason for every invalid line", () => {
    const text = ["address,label", "0x12,Short", `${alice},`, `${alice},A`, `${alice},Again`, `${bob},one,two`, `${bob},tab\there`].join(
      "\n",
    );
    expect(errorsOf("labels.csv", text).split("\n")).toEqual([
      'labels.csv:2: Invalid address "0x12": expected 0x followed by 40 hex digits.',
      'labels.csv:3: Invalid label "": expected 1 to 100 printable characters.',
      `labels.csv:5: Duplicate address ${alice}: expected unique addresses.`,
      "labels.csv:6: Invalid label (missing): expected 1 to 100 printable characters.",
      'labels.csv:7: Invalid label "tab\\there": expected 1 to 100 printable characters.',
    ]);
  });

  it.each([
    ["{", "labels.json: Invalid JSON"],
    ["7", "labels.json: Invalid labels 7"],
    ["[3]", "labels.json: entry 1: Invalid address (missing)"],
    [`{"${alice}": 3}`, `labels.json: ${alice}: Invalid label 3`],
    [`{"${alice}": "${"x".repeat(101)}"}`, "1 to 100 printable characters"],
  ])("is rejected with a message: %s", (text, message) => {
    expect(errorsOf("labels.json", text)).toContain(message);
  });
});

describe("labels", () => {
  it("are the operator's labels, or else the addresses' primary names", async () => {
    const queried: Address[] = [];
    const claimed = new Map([
      [alice, "alice.eth"],
      [bob, "bob.eth"],
    ]);
    const namesOf = async (_chainId: number, addresses: Iterable<Address>) => {
      const requested = [...addresses];
      queried.push(...requested);
      return new Map([...claimed].filter(([address]) => requested.includes(address)));
    };
    const { labels } = createLabelQueries({ namesOf }, new Map([[1, new Map([[alice, "Treasury"]])]]));
    const returned = await labels(1, [alice, null, bob, bob, carol]);
    expect(queried).toEqual([bob, carol]);
    expect([alice, bob, carol, null].map((address) => labelOf(returned, address))).toEqual(["Treasury", "bob.eth", null, null]);
    expect(labelOf(await labels(2, [alice]), alice)).toBe("alice.eth");
  });
});
