import type { Currency } from "../../../../generated/requests.gen.ts";
import type { Address, Hex } from "../../../lib/hex.ts";

/** What a price is of: a token by its address (the native one by the address that stands for it), or a currency. */
export type Asset = Address | Hex;

/** A currency as an asset: the letters of its code (ISO 4217). */
export const currencyAsset = (currency: Currency): Asset => `0x${Buffer.from(currency, "ascii").toString("hex")}`;
