/**
 * Characters that a terminal acts on instead of showing them: control characters (ECMA-48, C0 and C1, with ESC and DEL), separators of lines and
 * paragraphs, and those that change the order of what follows (Unicode Standard Annex #9).
 */
const acting = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
const actingInLines = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

const asEscape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** One line of text for a terminal: what it would act on is written as an escape, as in JSON. Text of contracts, nodes, hosts and files goes through here. */
export const escapeTerminal = (text: string): string => text.replace(acting, asEscape);

/** The same for text whose line ends are our own. */
export const escapeTerminalLines = (text: string): string => text.replace(actingInLines, asEscape);
