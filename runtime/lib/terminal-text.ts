/**
 * Characters that a terminal interprets instead of displaying them: control characters (ECMA-48, C0 and C1, with ESC and DEL), line and paragraph
 * separators, and bidirectional formatting (Unicode Standard Annex #9).
 */
const controls = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
const controlsExceptLineBreaks = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

const asEscape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Escapes a line's control characters as in JSON. Applied to all text from contracts, nodes, hosts and files. */
export const escapeTerminal = (text: string): string => text.replace(controls, asEscape);

/** The same for text with trusted line breaks. */
export const escapeTerminalLines = (text: string): string => text.replace(controlsExceptLineBreaks, asEscape);
