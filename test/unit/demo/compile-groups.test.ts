import { describe, expect, it } from "vitest";
import { groupSources } from "../../../demo/contracts/compile-groups.ts";

const importing = (name: string, length: number): string => `import {Thing} from "./${name}";\n${" ".repeat(length)}`;

describe("the groups of sources that are compiled concurrently", () => {
  it("contain every source once, and those that import one another together", () => {
    const sources = {
      "base.sol": "",
      "first.sol": importing("base.sol", 10),
      "other.sol": 'import {Package} from "@package/thing.sol";\n',
      "second.sol": importing("first.sol", 10),
      "third.sol": importing("base.sol", 10),
    };
    const groups = groupSources(sources, 2);
    expect(Object.assign({}, ...groups)).toEqual(sources);
    expect(groups.map((group) => Object.keys(group))).toEqual([["base.sol", "first.sol", "second.sol", "third.sol"], ["other.sol"]]);
  });

  it("joins sets that a later source connects", () => {
    const sources = { "a.sol": "", "b.sol": "", "c.sol": `${importing("a.sol", 0)}${importing("b.sol", 0)}` };
    expect(groupSources(sources, 2)).toEqual([sources, {}]);
  });

  it("have similar lengths", () => {
    const sources = { "five.sol": "55555", "four.sol": "4444", "three.sol": "333", "two.sol": "22" };
    // 5 + 2 and 4 + 3.
    expect(groupSources(sources, 2).map((group) => Object.values(group).join("").length)).toEqual([7, 7]);
  });
});
