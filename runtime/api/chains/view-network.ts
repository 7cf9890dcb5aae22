import type { ChainItem, ColorTheme } from "../../../generated/responses.gen.ts";
import type { AnyChainConfig } from "../../config/config.ts";

/** A colour in several formats. */
function viewColor({ red, green, blue }: { readonly red: number; readonly green: number; readonly blue: number }): ColorTheme {
  const hex = `#${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}`;
  return { red, green, blue, alpha: 1, hex, css_rgb: `rgb(${red}, ${green}, ${blue})` };
}

/** A configured network as an item. */
export const viewNetwork = (chain: AnyChainConfig): ChainItem => ({
  name: chain.name,
  chain_id: String(chain.id),
  kind: chain.kind ?? "evm",
  is_testnet: chain.isTestnet,
  db_schema_name: null,
  label: chain.label ?? null,
  category_label: chain.category ?? null,
  logo_url: chain.logoUrl ?? null,
  black_logo_url: chain.blackLogoUrl ?? null,
  white_logo_url: chain.whiteLogoUrl ?? null,
  color_theme: chain.colorTheme === undefined ? null : viewColor(chain.colorTheme),
  is_appchain: false,
  appchain_of: null,
});
