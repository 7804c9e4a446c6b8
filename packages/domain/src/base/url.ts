/** A URL of any scheme; `undefined` for other text. `URL.canParse` rejects non-ASCII addresses once Node 20 has optimised it. */
export function readUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** An absolute http or https URL; `undefined` for other text. */
export function readWebUrl(text: string): URL | undefined {
  const url = readUrl(text);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
}

/**
 * An escape that has another spelling: with a digit in lower case, or of an unreserved character. Not right after a malformed
 * one, whose "%" would then get digits that it was not sent with. Ordinary escapes do not match, since pages are read often.
 */
const ESCAPE = /%(?:2[DE]|3\d|[46][1-9A-F]|[57][\dA]|5F|7E|[\dA-F][a-f]|[a-f][\da-fA-F])(?<!%%..|%[\da-fA-F]%..)/g;
const UNRESERVED = /[\w.~-]/;

/**
 * The one spelling of an address whose escapes differ (RFC 3986, section 6.2.2): digits in upper case, and no escapes of
 * letters and digits in ASCII, `-`, `.`, `_` and `~`. Everything else means something else, or is malformed, and stays.
 */
export function normalizeEscapes(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(ESCAPE, (found) => {
    const character = String.fromCharCode(Number.parseInt(found.slice(1), 16));
    return UNRESERVED.test(character) ? character : found.toUpperCase();
  });
}

/** Decodes escapes and "+" in a name or value of a query; escapes that are not UTF-8 stay unchanged. */
export function decodeParameter(text: string): string {
  if (!/[%+]/.test(text)) return text;
  const spaced = text.replaceAll('+', ' ');
  return spaced.replace(/(?:%[\da-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}
