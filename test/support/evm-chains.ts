import { type Config, isEvmChain } from "../../runtime/config/config.ts";

/** The EVM chains of a configuration. */
export const evmChains = ({ chains }: Config) => chains.filter((chain) => isEvmChain(chain));
