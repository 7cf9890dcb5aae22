import { describeRefusals } from "./declaration.ts";

describeRefusals([
  [
    "an unknown contract of a table",
    "unknown-contract",
    "deposits:\n    contract: vault",
    "deposits:\n    contract: §vaults",
    "nearest: vault",
  ],
  ["an unknown contract of a discovery", "unknown-contract", "contract: factory", "contract: §registry", "expected factory, vault"],
  ["an unknown contract of a read", "unknown-contract", "supply:\n    contract: vault", "supply:\n    contract: §pool", "Unknown contract"],
  [
    "a repeated address",
    "duplicate-address",
    "from: 7 }]",
    'from: 7 }, { address: §"0xa9c3d3a366466fa809d1ae982fb2c46e5fc41101", from: 8 }]',
    ":7:25",
  ],
  ["an unknown parameter of a discovery", "unknown-parameter", "address: vault }", "address: §vaults }", "nearest: vault"],
  [
    "a parameter of a discovery that is not an address",
    "wrong-value",
    "address: vault }",
    "address: §name }",
    "a parameter of type address",
  ],
]);
