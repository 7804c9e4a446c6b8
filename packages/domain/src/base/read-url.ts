/** A URL of any scheme; `undefined` for other text. `URL.canParse` rejects non-ASCII addresses once Node 20 has optimised it. */
export function readUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
