import type { Currency } from "../../../../generated/requests.gen.ts";
import { type Address, type Hex, nativeTokenAddress } from "../../../lib/hex.ts";

/** The subject of a price: a token by its address (the native token by its placeholder address), or a currency. */
export type Asset = Address | Hex;

/** A currency as an asset: the letters of its code (ISO 4217). */
export const currencyAsset = (currency: Currency): Asset => `0x${Buffer.from(currency, "ascii").toString("hex")}`;

/** "0x" and three bytes. */
const currencyAssetLength = 8;

/** Whether an asset is a currency. */
export const isCurrencyAsset = (asset: Asset): boolean => asset.length === currencyAssetLength;

/** The currency that an asset encodes. */
export const currencyOfAsset = (asset: Asset): Currency => Buffer.from(asset.slice(2), "hex").toString("ascii") as Currency;

/** The address that a token's price is stored under: a wrapped native token has the native token's price. */
export const createPriceAddressOf =
  (wrappedNative: readonly Address[]) =>
  (token: Address): Address =>
    wrappedNative.includes(token) ? nativeTokenAddress : token;
