/** Hexadecimal text with a 0x prefix; always in lower case within the runtime. */
export type Hex = `0x${string}`;
/** 20 bytes. */
export type Address = Hex;
/** 32 bytes. */
export type Hash = Hex;

export const zeroAddress: Address = "0x0000000000000000000000000000000000000000";

/** The address that represents a chain's native token in requests and responses. */
export const nativeTokenAddress: Address = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";
