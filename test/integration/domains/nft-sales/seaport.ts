import { createRequire } from "node:module";
import type { Abi } from "viem";
import type { Address, Hex } from "../../../../runtime/lib/hex.ts";
import type { Artifact, TestChain } from "../../../support/chain.ts";

const require = createRequire(import.meta.url);
const load = (path: string): Artifact => {
  const { abi, bytecode } = require(`@opensea/seaport-js/src/artifacts/seaport/contracts/${path}`) as { abi: Abi; bytecode: Hex };
  return { abi, bytecode };
};

/** Returns Seaport's artifact from its package. */
export const seaportArtifact = (): Artifact => load("Seaport.sol/Seaport.json");

/** Deploys Seaport and the conduit controller that its constructor needs. */
export const deploySeaport = async (chain: TestChain): Promise<Address> => {
  const controller = await chain.deploy(load("conduit/ConduitController.sol/LocalConduitController.json"));
  return (await chain.deploy(seaportArtifact(), [controller])).toLowerCase() as Address;
};
