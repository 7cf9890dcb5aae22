const maxLength = 200;
/** The scheme's length is bounded: otherwise each dot in a long word would start a match up to the word's end, which takes quadratic time. */
const webAddress = /[a-z][a-z0-9+.-]{0,30}:\/\/\S+/gi;

/** Makes a message from the node or the network stack safe to show: removes control characters, URLs and parts of the node's own URL, and truncates it. */
export const redact = (text: string, url: URL): string => {
  const secrets = [url.username, url.password, url.search.slice(1), ...url.pathname.split("/"), ...url.searchParams.values()];
  const withoutUrls = text.replace(webAddress, "[url]").replace(/\p{Cc}+/gu, " ");
  const clean = secrets.filter((secret) => secret.length > 3).reduce((safe, secret) => safe.split(secret).join("[hidden]"), withoutUrls);
  return clean.length > maxLength ? `${clean.slice(0, maxLength)}…` : clean;
};
