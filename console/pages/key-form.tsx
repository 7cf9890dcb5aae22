import { useState } from "preact/hooks";
import type { KeyItem } from "../../runtime/console/responses.ts";
import { Dialog, Field, Notice, useAction } from "../components.tsx";

/** The body of a request that creates or changes a key. */
export interface KeyInput {
  readonly label: string;
  readonly credits: number | null;
  readonly dailyCredits: number | null;
  readonly monthlyCredits: number | null;
  readonly expiresAt: string | null;
  readonly access: { readonly chains: readonly string[]; readonly origins: readonly string[]; readonly addresses: readonly string[] };
  readonly limits: Readonly<Record<string, number | "unlimited" | "default">>;
}

const limitLabels = {
  concurrentRequests: "Concurrent requests",
  databaseSecondsPerMinute: "Database seconds per minute",
  bytesInFlight: "Unread response bytes",
} as const;
const limitNames = Object.keys(limitLabels) as (keyof typeof limitLabels)[];

const textOf = (value: number | null | undefined): string => (value === null || value === undefined ? "" : `${value}`);
const listText = (values: readonly string[] | undefined): string => (values ?? []).join(", ");
const toList = (text: string): string[] => text.split(/[\s,]+/).filter((value) => value !== "");

/** Text that is not a number is sent unchanged, so that the server's error quotes it. */
const toNumber = (text: string): number | null => {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  return (/^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : trimmed) as number;
};
const toLimit = (text: string): number | "unlimited" | "default" =>
  text.trim() === "unlimited" ? "unlimited" : (toNumber(text) ?? "default");

/** Converts the value of a `datetime-local` input, which holds a time in UTC. */
const toTime = (text: string): string | null =>
  text === "" ? null : /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/.test(text) ? `${text.length === 16 ? `${text}:00` : text}Z` : text;

/** A form that creates or edits a key. */
export function KeyForm({
  item,
  onClose,
  onSave,
}: {
  readonly item: KeyItem | null;
  readonly onClose: () => void;
  readonly onSave: (input: KeyInput) => Promise<void>;
}) {
  const action = useAction();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({
    label: item?.label ?? "",
    credits: textOf(item?.credits),
    dailyCredits: textOf(item?.dailyCredits),
    monthlyCredits: textOf(item?.monthlyCredits),
    expiresAt: item?.expiresAt?.slice(0, 16) ?? "",
    chains: listText(item?.access.chains),
    origins: listText(item?.access.origins),
    addresses: listText(item?.access.addresses),
    ...Object.fromEntries(limitNames.map((name) => [name, `${item?.limits[name] ?? ""}`])),
  });
  const value = (name: string): string => values[name] ?? "";
  const field = (name: string) => ({
    name,
    value: value(name),
    onChange: (text: string) => setValues((before) => ({ ...before, [name]: text })),
  });
  const save = (): Promise<void> =>
    action.run(async () => {
      await onSave({
        label: value("label"),
        credits: toNumber(value("credits")),
        dailyCredits: toNumber(value("dailyCredits")),
        monthlyCredits: toNumber(value("monthlyCredits")),
        expiresAt: toTime(value("expiresAt")),
        access: { chains: toList(value("chains")), origins: toList(value("origins")), addresses: toList(value("addresses")) },
        limits: Object.fromEntries(limitNames.map((name) => [name, toLimit(value(name))])),
      });
      return null;
    });
  return (
    <Dialog title={item === null ? "Create key" : `Edit key ${item.id}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Field label="Label" {...field("label")} required />
        <fieldset>
          <legend>Credits</legend>
          <Field label="In total" hint="Empty: no limit" inputMode="numeric" {...field("credits")} />
          <Field label="Per UTC day" hint="Empty: no limit" inputMode="numeric" {...field("dailyCredits")} />
          <Field label="Per UTC month" hint="Empty: no limit" inputMode="numeric" {...field("monthlyCredits")} />
        </fieldset>
        <fieldset>
          <legend>Access</legend>
          <Field label="Expires (UTC)" type="datetime-local" {...field("expiresAt")} />
          <Field label="Chains" hint="Names or ids, separated by commas; empty: all" {...field("chains")} />
          <Field label="Origins" hint="Such as https://app.example.com; empty: all" {...field("origins")} />
          <Field label="Addresses" hint="IP addresses and networks; empty: all" {...field("addresses")} />
        </fieldset>
        <fieldset>
          <legend>Limits</legend>
          {limitNames.map((name) => (
            <Field key={name} label={limitLabels[name]} hint="A number, or unlimited; empty: as configured" {...field(name)} />
          ))}
        </fieldset>
        <Notice text={action.text} isError={action.isError} />
        <p class="buttons">
          <button type="submit" class="primary" disabled={action.isRunning}>
            {item === null ? "Create" : "Save"}
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </p>
      </form>
    </Dialog>
  );
}
