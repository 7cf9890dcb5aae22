import type { DescribedCapability } from "../chain/describe-capabilities.ts";

/** Renders a node's features and their consequences as table lines. */
export function renderCapabilities(capabilities: readonly DescribedCapability[]): string[] {
  const rows = [
    ["feature", "found", "consequence"],
    ...capabilities.map(({ feature, found, consequence }) => [feature, found, consequence]),
  ];
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
