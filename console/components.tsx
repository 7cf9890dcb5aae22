import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { messageOf } from "./api.ts";

/** A heading that receives the focus when its page opens, so that keyboard and screen reader users start there. */
export function PageHeading({ children }: { readonly children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}

/** The result of an action, or why it failed. */
export function Notice({ text, isError = false }: { readonly text: string | null; readonly isError?: boolean }) {
  return (
    <p class={`notice${isError ? " error" : ""}`} role={isError ? "alert" : "status"} hidden={text === null}>
      {text}
    </p>
  );
}

/** A column header; columns of numbers are right-aligned. */
export type Column = string | { readonly name: string; readonly isNumber: true };

export const numberColumn = (name: string): Column => ({ name, isNumber: true });

/** A table that scrolls within its own box on a narrow screen. */
export function Table({
  caption,
  head,
  children,
}: {
  readonly caption: string;
  readonly head: readonly Column[];
  readonly children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard (WCAG 2.1.1)
    <section class="scroll" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {head.map((column) => {
              const { name, isNumber } = typeof column === "string" ? { name: column, isNumber: false } : column;
              return (
                <th key={name} scope="col" class={isNumber ? "number" : undefined}>
                  {name}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

/** A labelled text input. */
export function Field({
  label,
  hint,
  ...input
}: {
  readonly label: string;
  readonly hint?: string;
  readonly name: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: "text" | "date" | "datetime-local";
  readonly inputMode?: "numeric";
  readonly required?: boolean;
}) {
  const id = useId();
  const { onChange, type = "text", ...attributes } = input;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        // Preact's types have one union member per kind of input.
        type={type as "text"}
        autocomplete="off"
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onInput={(event) => onChange(event.currentTarget.value)}
        {...attributes}
      />
      {hint === undefined ? null : <small id={`${id}-hint`}>{hint}</small>}
    </div>
  );
}

/** A modal dialog: it keeps the focus inside and closes on Escape. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

/** Runs an action and keeps its state and its result for display. */
export function useAction(): {
  readonly isRunning: boolean;
  readonly text: string | null;
  readonly isError: boolean;
  readonly run: (work: () => Promise<string | null>) => Promise<void>;
} {
  const [state, setState] = useState({ isRunning: false, text: null as string | null, isError: false });
  return {
    ...state,
    async run(work) {
      setState({ isRunning: true, text: null, isError: false });
      try {
        setState({ isRunning: false, text: await work(), isError: false });
      } catch (error) {
        setState({ isRunning: false, text: messageOf(error), isError: true });
      }
    },
  };
}
