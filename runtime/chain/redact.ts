const longest = 200;
/** The scheme is bounded, and may begin anywhere in a word: without a bound, each dot of a long word would begin one that goes to its end. */
const webAddress = /[a-z][a-z0-9+.-]{0,30}:\/\/\S+/gi;

/** A text of the node's (or of the network stack's) that may be shown: cut, without control characters, addresses on the web or what the node's own URL holds. */
export const redact = (text: string, url: URL): string => {
  const secrets = [url.username, url.password, url.search.slice(1), ...url.pathname.split("/"), ...url.searchParams.values()];
  const withoutUrls = text.replace(webAddress, "[url]").replace(/\p{Cc}+/gu, " ");
  const clean = secrets.filter((secret) => secret.length > 3).reduce((rest, secret) => rest.split(secret).join("[hidden]"), withoutUrls);
  return clean.length > longest ? `${clean.slice(0, longest)}…` : clean;
};
