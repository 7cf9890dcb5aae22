const number = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });

export const formatNumber = (value: number | null): string => (value === null ? "–" : number.format(value));

/** A time in UTC to the second. */
export const formatTime = (iso: string | null): string => (iso === null ? "–" : `${iso.slice(0, 19).replace("T", " ")} UTC`);

export const formatDuration = (seconds: number | null): string => {
  if (seconds === null) return "–";
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3_600)} h`;
};

export const formatBytes = (bytes: number): string => {
  const gibibytes = bytes / 2 ** 30;
  return gibibytes >= 0.1 ? `${number.format(gibibytes)} GiB` : `${number.format(bytes / 2 ** 20)} MiB`;
};
