import { type Config, isEvmChain } from "../../runtime/config/config.ts";

/** A configuration's EVM chains. */
export const evmChains = ({ chains }: Config) => chains.filter((chain) => isEvmChain(chain));
