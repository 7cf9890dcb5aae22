import { describeRefusals } from "./declaration.ts";

describeRefusals([
  ["an unknown parameter of a column", "unknown-parameter", "note: note }", "note: §notes }", "nearest: note"],
  [
    "a column of an event without parameters",
    "unknown-parameter",
    "  deposits:\n",
    '  resets:\n    contract: vault\n    events: ["Reset()"]\n    columns: { sender: §sender }\n  deposits:\n',
    "sender",
  ],
  ["a column that every table has", "reserved-name", "{ id: id,", "{ §block_number: id,", "is a column that every table has"],
  [
    "a reserved word as a column",
    "reserved-name",
    'uint256 assetAmount, uint8[] ids)"]',
    'uint256 assetAmount, uint8[] ids, address to)"]',
    "expected another name for it under columns",
  ],
  ["a table that every protocol has", "reserved-name", "  moves:\n", "  §contracts:\n", "is a table that every protocol has"],
  ["a table with the name of a derived table", "reserved-name", "  moves:\n", "  §moves_latest:\n", "<table>_latest"],
  ["a table with the name of a catalog", "reserved-name", "  moves:\n", "  §pg_class:\n", "catalog"],
  ["a reserved word as a read", "reserved-name", "  supply:\n", "  §limit:\n", "reserved word"],
  ["a read with the name of a table", "duplicate-table", "  supply:\n", "  §moves:\n", ":17:3"],
  ["an unknown column in an index", "unknown-column", "[[owner], [contract, sender]]", "[[owner], [contract, §sendr]]", "nearest: sender"],
  ["a repeated column in an index", "duplicate-column", "[[owner], [contract, sender]]", "[[owner, §owner], [contract, sender]]", "owner"],
  [
    "an index on values without a fixed length",
    "unindexable-column",
    "[[owner], [contract, sender]]",
    "[[§ids], [contract, sender]]",
    "uint8[]",
  ],
  ["an unknown column in latestBy", "unknown-column", "latestBy: [owner]", "latestBy: [§owners]", "nearest: owner"],
  [
    "a column in latestBy that a variant lacks",
    "nullable-key",
    "note: note }",
    "done: done }\n    latestBy: [id, §done]",
    "Moved(bytes32 indexed id, int128 amount)",
  ],
]);
