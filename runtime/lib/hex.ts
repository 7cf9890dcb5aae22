/** Hexadecimal text with its 0x prefix; in lower case everywhere inside. */
export type Hex = `0x${string}`;
/** 20 bytes. */
export type Address = Hex;
/** 32 bytes. */
export type Hash = Hex;

export const zeroAddress: Address = "0x0000000000000000000000000000000000000000";

/** The address that stands for a chain's native token in this interface. */
export const nativeTokenAddress: Address = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";
