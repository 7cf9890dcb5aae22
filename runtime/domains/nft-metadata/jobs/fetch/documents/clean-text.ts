/** What a terminal, a page or a table would act on, and halves of characters; of the invisible ones, those that join emoji to one stay. */
const hidden =
  /(?<!\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?)\u200d|\u200d(?!\p{Extended_Pictographic})|(?!\u200d)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\ufffd]/gu;
const hiddenInLines =
  /(?<!\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?)\u200d|\u200d(?!\p{Extended_Pictographic})|(?![\u200d\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\ufffd]/gu;

/** Text in one line, cleaned and cut to so many characters; null where nothing is left. */
export const cleanLine = (text: string, longest: number): string | null =>
  cut(
    text
      .slice(0, 4 * longest)
      .replace(/[\s\p{Zl}\p{Zp}]+/gu, " ")
      .replace(hidden, ""),
    longest,
  );

/** Text that may have lines. */
export const cleanText = (text: string, longest: number): string | null =>
  cut(
    text
      .slice(0, 4 * longest)
      .replace(/\r\n?|\p{Zl}|\p{Zp}/gu, "\n")
      .replace(hiddenInLines, ""),
    longest,
  );

const cut = (text: string, longest: number): string | null => {
  const trimmed = text.trim();
  // Characters, not halves of them.
  return trimmed === "" ? null : trimmed.length <= longest ? trimmed : [...trimmed].slice(0, longest).join("");
};
