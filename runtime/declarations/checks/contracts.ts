import type { Address } from "../../lib/hex.ts";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { DeclaredContract, DeployedContract, Discovery, Listing } from "../protocol.ts";
import { type Checked, type Declaration, valueLocation } from "./declaration.ts";
import { checkEvent } from "./events.ts";

type Contracts = Declaration["file"]["contracts"];

/** Checks contract addresses and discoveries. `listings` are the checked listings, by kind. */
export function checkContracts(
  declaration: Declaration,
  listings: Readonly<Record<string, readonly Listing[]>>,
): Checked<Record<string, DeclaredContract>> {
  const checked = Object.entries(declaration.file.contracts).map(([name, contract]) => {
    const networks = Object.entries(contract.networks).map(
      ([chain, deployed]) => [chain, checkAddresses(declaration, ["contracts", name, "networks", chain], deployed)] as const,
    );
    const discoveries = contract.discoveredBy.map((discovery, index) => checkDiscovery(declaration, name, index, discovery));
    return {
      name,
      value: {
        networks: Object.fromEntries(networks.map(([chain, { value }]) => [chain, value])),
        discoveredBy: discoveries.flatMap(({ value }) => value ?? []),
        listedBy: listings[name] ?? [],
      },
      diagnostics: [...networks.flatMap(([, { diagnostics }]) => diagnostics), ...discoveries.flatMap(({ diagnostics }) => diagnostics)],
    };
  });
  return {
    value: Object.fromEntries(checked.map(({ name, value }) => [name, value])),
    diagnostics: checked.flatMap(({ diagnostics }) => diagnostics),
  };
}

/** Reports an undeclared contract, at the position of its name. */
export function checkContractName(declaration: Declaration, name: string, ...path: (string | number)[]): Diagnostic[] {
  const expected = Object.keys(declaration.file.contracts);
  return expected.includes(name) ? [] : [diagnostic("unknown-contract", valueLocation(declaration, ...path), { name, expected })];
}

function checkAddresses(
  declaration: Declaration,
  path: readonly string[],
  deployed: Contracts[string]["networks"][string],
): Checked<DeployedContract[]> {
  const value = deployed.map(({ address, from }) => ({ address: address.toLowerCase() as Address, from }));
  const locationOf = (index: number) => valueLocation(declaration, ...path, index, "address");
  const diagnostics = value.flatMap(({ address }, index) => {
    const first = value.findIndex((other) => other.address === address);
    return first === index ? [] : [diagnostic("duplicate-address", locationOf(index), { address, first: locationOf(first) })];
  });
  return { value, diagnostics };
}

function checkDiscovery(
  declaration: Declaration,
  name: string,
  index: number,
  { contract, event, address }: Contracts[string]["discoveredBy"][number],
): Checked<Discovery | null> {
  const path = ["contracts", name, "discoveredBy", index] as const;
  const { value: signature, diagnostics } = checkEvent(event, valueLocation(declaration, ...path, "event"));
  const findings = [...checkContractName(declaration, contract, ...path, "contract"), ...diagnostics];
  const parameter = signature?.parameters.find((found) => found.name === address);
  const location = valueLocation(declaration, ...path, "address");
  if (signature === null) return { value: null, diagnostics: findings };
  if (parameter === undefined) {
    const data = { name: address, kind: "a parameter of the event", expected: signature.parameters.map((found) => found.name) };
    return { value: null, diagnostics: [...findings, diagnostic("unknown-parameter", location, data)] };
  }
  if (parameter.type !== "address") {
    const data = { found: `${JSON.stringify(address)} of type ${parameter.type}`, expected: "a parameter of type address" };
    return { value: null, diagnostics: [...findings, diagnostic("wrong-value", location, data)] };
  }
  return { value: { contract, event: signature, parameter: address }, diagnostics: findings };
}
